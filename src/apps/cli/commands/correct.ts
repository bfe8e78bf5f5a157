import { type CorrectedColumns, CorrectRun, type TrainerSettings } from "../../../analyses/correct/index.ts";
import { correctionFigures, readCorrectionFlag, sweepMetrics } from "../../../analyses/sweep/index.ts";
import { containError, EmptyInputError, type Place, UsageError } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { type Outputs, openOutputs, openRun, type Run } from "../../../ingest/index.ts";
import { openFile } from "../../../input/io/index.ts";
import { renderCorrectTerminal, renderLintTerminal } from "../../../render/index.ts";
import { CORRECT_SCHEMA_VERSION, type CorrectReport } from "../../../results/correct.ts";
import { lintConfig } from "../../../trainers/configs/index.ts";
import { PRESETS, presetNamed } from "../../../trainers/index.ts";
import { type Correction, correctionClauses, formatCorrection } from "../../../trainers/neutral/index.ts";
import { completeSettings, parseSetting } from "../../../trainers/shared/index.ts";
import { type CorrectTarget, checkTarget, chooseTarget, writeCorrected } from "../correct-output.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { conclude, type Reading, readHere, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface CorrectOptions extends InputOptions, ForceOption {
  readonly preset?: string;
  readonly set?: readonly string[];
  readonly correction?: string;
  readonly out?: string;
  readonly format?: string;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly lint?: string;
}

/** Applies a correction to a run: figures to the terminal, weights and masks to files. */
export async function correct(
  paths: readonly string[],
  options: CorrectOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.list) {
    terminal.out(listPresets(options.preset));
    return EXIT.fine;
  }
  if (options.lint !== undefined) return lint(options.lint, options, terminal);
  // Whatever can be refused is refused before anything is read: a run may take an hour.
  if (paths.length === 0)
    throw new UsageError("no path given", { hint: "logratio correct dumps/ --preset verl" });
  const chosen = chooseCorrection(options);
  const corrected = new CorrectRun(chosen);
  const target = options.out === undefined ? undefined : chooseTarget(options.out, options.format, paths);
  const outputs = await openOutputs({ inputs: paths, force: options.force });
  if (target !== undefined) await checkTarget(outputs, target, paths);
  if (target && corrected.needsSecondPass && paths.includes("-")) {
    throw new UsageError("normalized weights need two passes, but standard input can be read only once", {
      hint: "save the input to a file first",
    });
  }

  const pass = await readAndWrite({ paths, options, terminal, corrected, target, outputs });
  const result = buildResult(corrected, chosen, pass);
  const { width, color, unicode } = terminal;
  terminal.out(options.json ? toJson(result) : renderCorrectTerminal(result, { width, color, unicode }));
  tellFindings(result.findings, terminal);
  if (pass.written.length > 0) terminal.err(writtenFiles(...pass.written));
  return conclude(
    pass.run.findings.list(),
    pass.reading.interrupted,
    result.metrics?.sequences ?? 0,
    terminal,
  );
}

/**
 * A trainer's settings, or the neutral form.
 *
 * @throws UsageError where neither or both are given, and where the trainer or the form refuses them.
 */
function chooseCorrection({ preset: name, set = [], correction }: CorrectOptions): Chosen {
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
  readonly paths: readonly string[];
  readonly options: CorrectOptions;
  readonly terminal: Terminal;
  readonly corrected: CorrectRun;
  readonly target: CorrectTarget | undefined;
  readonly outputs: Outputs;
}

interface Pass {
  readonly run: Run;
  readonly reading: Reading;
  /** By file. */
  readonly sequences: ReadonlyMap<string, number>;
  readonly written: readonly string[];
}

/** Fills `corrected`; writes at once, or in a second pass where weights are divided by a mean of all of them. */
async function readAndWrite({ paths, options, terminal, corrected, target, outputs }: Job): Promise<Pass> {
  const progress = createProgress(terminal);
  const open = (): Promise<Run> => openRun(paths, { ...toReadOptions(options), onProgress: progress.update });
  const run = await open();
  const sequences = new Map<string, number>();
  let written: readonly string[] = [];
  let reading = readHere(run);
  try {
    const batches = counted(reading.batches, sequences);
    if (target && !corrected.needsSecondPass) {
      written = await writeCorrected(target, batches, (batch) => corrected.add(batch), reading, outputs);
    } else {
      for await (const batch of batches) corrected.add(batch);
      if (target && !reading.interrupted) {
        reading = readHere(await open());
        const again = (batch: RecordBatch): CorrectedColumns => corrected.correct(batch);
        written = await writeCorrected(target, reading.batches, again, reading, outputs);
      }
    }
  } finally {
    reading.onRead();
  }
  progress.end();
  return { run, reading, sequences, written };
}

/** No config comes near this; lintConfig refuses text of more than a quarter as many characters. */
const MOST_CONFIG_BYTES = 1 << 24;

/** Reads a trainer's config and says what it does; nothing in it is run. */
async function lint(file: string, options: CorrectOptions, terminal: Terminal): Promise<ExitStatus> {
  const trainer = options.preset === undefined ? undefined : presetNamed(options.preset).trainer;
  const source = await openFile(file);
  const bytes = await source
    .slice(0, Math.min(source.byteLength, MOST_CONFIG_BYTES + 1))
    .finally(() => source.close());
  const text = new TextDecoder().decode(bytes);
  const result = contained({ file }, () =>
    lintConfig(text, { file, presets: PRESETS, ...(trainer !== undefined && { trainer }) }),
  );
  const { width, color, unicode } = terminal;
  terminal.out(options.json ? toJson(result) : renderLintTerminal(result, { width, color, unicode }));
  return result.errors > 0 ? EXIT.checkFailed : EXIT.fine;
}

function contained<T>(at: Place, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw containError(error, at, "config");
  }
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
    sources: sourceSummaries(run).map((source) => ({
      ...source,
      sequences: sequences.get(source.file) ?? 0,
    })),
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

async function* counted(
  batches: AsyncIterable<RecordBatch>,
  sequences: Map<string, number>,
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    const { file } = batch.provenance;
    sequences.set(file, (sequences.get(file) ?? 0) + batch.length);
    yield batch;
  }
}

function listPresets(name: string | undefined): string {
  const chosen = name === undefined ? PRESETS : [presetNamed(name)];
  return chosen
    .map(({ name: preset, summary, source, parameters }) => {
      const rows = parameters.map(
        (parameter) =>
          `    ${parameter.name}=${JSON.stringify(parameter.fallback)}\n        ${parameter.meaning}\n`,
      );
      return name === undefined
        ? `${preset.padEnd(14)}${summary}\n`
        : `${preset}: ${summary}\n  ${source}\n${rows.join("")}`;
    })
    .join("");
}
