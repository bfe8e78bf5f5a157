/**
 * From paths to a corrected run: what `logratio correct` prints, as an object.
 *
 * @module
 */
import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { Run } from "../../ingest/index.ts";
import { type Outputs, openOutputs } from "../../ingest/outputs/index.ts";
import { CORRECT_SCHEMA_VERSION, type CorrectReport } from "../../results/correct.ts";
import { PRESETS, presetNamed } from "../../trainers/index.ts";
import { type Correction, correctionClauses, formatCorrection } from "../../trainers/neutral/index.ts";
import { completeSettings, parseSetting } from "../../trainers/shared/index.ts";
import { type CorrectedColumns, CorrectRun, type TrainerSettings } from "../correct/correct-run.ts";
import { readCorrectionFlag } from "../sweep/correction-flag.ts";
import { correctionFigures, sweepMetrics } from "../sweep/figures.ts";
import {
  type CorrectedFileOptions,
  type CorrectTarget,
  checkTarget,
  chooseTarget,
  writeCorrected,
} from "./corrected-files.ts";
import type { RunInput } from "./input-options.ts";
import { countedSources, countSequences } from "./read-batches.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";

/** Which correction: a trainer's settings, or the neutral form. */
export interface CorrectionChoice {
  /** The trainer whose correction it is: `verl`, `xtuner`, … */
  readonly preset?: string;
  /** Settings of the preset under the trainer's own names, `rollout_is=token`; the others have its defaults. */
  readonly set?: readonly string[];
  /** In place of a preset, as `correction_text` of a result has it: `weight:token truncate:..2`. */
  readonly correction?: string;
}

/** The flags of `logratio correct` that decide what is in the result, under the same names. */
export interface CorrectRunOptions extends RunInput, CorrectionChoice, CorrectedFileOptions, ReadingOptions {}

/**
 * Applies a correction to a run: the same object that `logratio correct PATHS --json` prints. Nothing is written without
 * `out`. With it, weights that are divided by a mean over a step need a second read.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { correctRun } from "logratio/node";
 *
 * const { effect, does } = await correctRun("examples/demo/stale", { steps: "30", correction: "weight:token truncate:..2" });
 * assert(effect !== null && effect.ess_tokens > 0 && effect.ess_tokens <= 1); // a fraction of the tokens
 * assert(does.length > 0);
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @returns what the correction keeps, drops and does to the weights (shares and ESS as fractions from 0 to 1), what its
 * trainer would have logged, over the run and by step, and the files that were written
 * @throws UsageError when options contradict each other, the paths or the data, the trainer refuses its settings, or `out`
 * would replace an input or something foreign
 * @throws NotFoundError when a path does not exist
 * @throws MissingSideError when the files hold one policy's log-probs only
 * @throws EmptyInputError when no token is left to weigh
 * @throws FileSystemError when a file cannot be written
 * @throws LogratioError the first one, when no file could be read; single files that fail are findings of the result
 */
export async function correctRun(
  paths: string | readonly string[],
  options: CorrectRunOptions = {},
): Promise<CorrectReport> {
  const list = listPaths(paths);
  // Whatever can be refused is refused before anything is read: a run may take an hour.
  const chosen = chooseCorrection(options);
  const corrected = new CorrectRun(chosen);
  const target = options.out === undefined ? undefined : chooseTarget(options.out, options.format, list);
  const outputs = await openOutputs({ inputs: list, force: options.force });
  if (target !== undefined) await checkTarget(outputs, target, list);
  if (target && corrected.needsSecondPass && list.includes("-")) {
    throw new UsageError("normalized weights need two passes, but standard input can be read only once", {
      hint: "save the input to a file first",
    });
  }
  return buildResult(corrected, chosen, await readAndWrite(list, options, { corrected, target, outputs }));
}

/**
 * A trainer's settings, or the neutral form.
 *
 * @throws UsageError where neither or both are given, and where the trainer or the form refuses them.
 */
function chooseCorrection({ preset: name, set = [], correction }: CorrectionChoice): Chosen {
  if (correction !== undefined) {
    if (name !== undefined || set.length > 0)
      throw new UsageError("--correction cannot be combined with --preset and --set", {
        hint: "choose one: a trainer's settings, or the correction itself",
      });
    return readCorrectionFlag(correction);
  }
  if (name === undefined) {
    throw new UsageError("--preset is missing: which trainer's correction should be applied?", {
      hint: `--preset ${PRESETS.map((preset) => preset.name).join(", ")}; --list shows their settings; or --correction 'weight:token truncate:..2'`,
    });
  }
  const preset = presetNamed(name);
  return { preset, settings: completeSettings(preset, Object.fromEntries(set.map(parseSetting))) };
}

type Chosen = TrainerSettings | Correction;

interface Job {
  readonly corrected: CorrectRun;
  readonly target: CorrectTarget | undefined;
  readonly outputs: Outputs;
}

interface Pass {
  readonly run: Run;
  /** By file. */
  readonly sequences: ReadonlyMap<string, number>;
  readonly written: readonly string[];
}

/** Fills `corrected`; writes at once, or in a second pass where weights are divided by a mean of all of them. */
async function readAndWrite(
  paths: readonly string[],
  options: CorrectRunOptions,
  { corrected, target, outputs }: Job,
): Promise<Pass> {
  const isTwice = target !== undefined && corrected.needsSecondPass;
  let stopped = false;
  const isStopped = (): boolean => {
    stopped ||= options.isStopped?.() ?? false;
    return stopped;
  };
  const reading: CorrectRunOptions = { ...options, isStopped };
  const { onRead: _, ...first } = reading;
  const { run, batches } = await startReading(paths, isTwice ? first : reading);
  const sequences = new Map<string, number>();
  const counted = countSequences(batches, sequences);
  const write = (
    read: AsyncIterable<RecordBatch>,
    columnsOf: (batch: RecordBatch) => CorrectedColumns,
    to: CorrectTarget,
  ) => writeCorrected(to, { batches: read, columnsOf, isStopped: () => stopped }, outputs);
  if (target && !isTwice) {
    const written = await write(counted, (batch) => corrected.add(batch), target);
    return { run, sequences, written };
  }
  for await (const batch of counted) corrected.add(batch);
  if (target === undefined || stopped) return { run, sequences, written: [] };
  const again = await startReading(paths, reading);
  const written = await write(again.batches, (batch) => corrected.correct(batch), target);
  return { run, sequences, written };
}

function buildResult(
  corrected: CorrectRun,
  chosen: Chosen,
  { run, sequences, written }: Pass,
): CorrectReport {
  const { sweep } = corrected;
  if (sweep && sweep.totals.tokens === 0) {
    throw new EmptyInputError("nothing to correct: no token with mask 1 has a log-prob on both sides", {
      likely: "the wrong columns were read, or the mask is inverted",
      hint: "logratio report --explain shows how each column was read",
    });
  }
  const { pooled, perStep, discrepancies } = corrected.metrics();
  const missingAdvantages = sweep && !sweep.hasAdvantages && corrected.looksAtAdvantages;
  return {
    schemaVersion: CORRECT_SCHEMA_VERSION,
    kind: "correct",
    run: run.name,
    ...describeSource(chosen),
    correction_text: formatCorrection(corrected.correction),
    does: correctionClauses(corrected.correction),
    metrics: sweep ? sweepMetrics(sweep, 0) : null,
    effect: sweep && !missingAdvantages ? { ...correctionFigures(sweep, 1), on_front: false } : null,
    effect_absent: corrected.unswept ?? null,
    gradient: corrected.gradient,
    trainer_metrics: pooled,
    per_step: perStep,
    discrepancies,
    written,
    findings: run.findings.list(),
    sources: countedSources(run, sequences),
  };
}

/** Of a trainer what it calls the correction, and what goes wrong with it; nothing of the neutral form. */
function describeSource(
  chosen: Chosen,
): Pick<CorrectReport, "preset" | "trainer" | "source" | "settings" | "traps"> {
  if (!("preset" in chosen)) return { preset: null, trainer: null, source: null, settings: {}, traps: [] };
  const { preset, settings } = chosen;
  const { name, trainer, source } = preset;
  const traps = preset.traps(settings).map(({ says }) => says);
  return { preset: name, trainer, source, settings, traps };
}
