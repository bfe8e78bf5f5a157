import { existsSync, statSync } from "node:fs";
import { basename, join, parse } from "node:path";
import { type CorrectedColumns, CorrectRun } from "../../../analyses/correct/index.ts";
import { correctionFigures, sweepMetrics } from "../../../analyses/sweep/index.ts";
import { containError, EmptyInputError, type Place, UsageError } from "../../../core/base/index.ts";
import type { LayoutColumn, RecordBatch } from "../../../core/schema/index.ts";
import {
  type ArrayFormat,
  createCorrectedArrays,
  MASK_NAME,
  type Outputs,
  openOutputs,
  openRun,
  type Run,
  WEIGHTS_NAME,
  walk,
  writeRecord,
} from "../../../input/ingest/index.ts";
import { openFile } from "../../../input/io/index.ts";
import { renderCorrectTerminal, renderLintTerminal } from "../../../render/index.ts";
import { CORRECT_SCHEMA_VERSION, type CorrectReport } from "../../../results/index.ts";
import { lintConfig } from "../../../trainers/configs/index.ts";
import { PRESETS, presetNamed } from "../../../trainers/index.ts";
import { correctionClauses } from "../../../trainers/neutral/index.ts";
import type { Preset, Settings } from "../../../trainers/shared/index.ts";
import { completeSettings, parseSetting } from "../../../trainers/shared/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { conclude, type Reading, readUntilInterrupted, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface CorrectOptions extends InputOptions, ForceOption {
  readonly preset?: string;
  readonly set?: readonly string[];
  readonly out?: string;
  readonly format?: string;
  readonly json?: boolean;
  readonly list?: boolean;
  readonly lint?: string;
}

/** Applies one trainer's correction to a run: figures to the terminal, weights and masks to files. */
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
  if (paths.length === 0)
    throw new UsageError("no path was given", { hint: "logratio correct dumps/ --preset verl" });
  if (options.preset === undefined) {
    throw new UsageError("--preset is missing: which trainer's correction should be applied?", {
      hint: `--preset ${PRESETS.map(({ name }) => name).join(", ")}; --list shows their settings`,
    });
  }
  const preset = presetNamed(options.preset);
  const settings = completeSettings(preset, Object.fromEntries((options.set ?? []).map(parseSetting)));
  const corrected = new CorrectRun(preset, settings);
  const target = options.out === undefined ? undefined : chooseTarget(options.out, options.format, paths);
  const outputs = await openOutputs({ inputs: paths, force: options.force });
  if (target !== undefined) await checkTarget(outputs, target, paths);
  if (target && corrected.needsSecondPass && paths.includes("-")) {
    throw new UsageError("normalized weights need two passes, but standard input can be read only once", {
      hint: "save the input to a file first",
    });
  }

  const progress = createProgress(terminal);
  const open = (): Promise<Run> => openRun(paths, { ...toReadOptions(options), onProgress: progress.update });
  const run = await open();
  const sequences = new Map<string, number>();
  let written: readonly string[] = [];
  let reading = readUntilInterrupted(run);
  try {
    const batches = counted(reading.batches, sequences);
    if (target && !corrected.needsSecondPass) {
      written = await write(target, batches, (batch) => corrected.add(batch), reading, outputs);
    } else {
      for await (const batch of batches) corrected.add(batch);
      if (target && !reading.interrupted) {
        reading = readUntilInterrupted(await open());
        written = await write(target, reading.batches, (batch) => corrected.correct(batch), reading, outputs);
      }
    }
  } finally {
    reading.end();
  }
  progress.end();

  const result = buildResult(corrected, preset, settings, run, sequences, written);
  const { width, colour: color, unicode } = terminal;
  terminal.out(options.json ? toJson(result) : renderCorrectTerminal(result, { width, color, unicode }));
  tellFindings(result.findings, terminal);
  if (written.length > 0) terminal.err(writtenFiles(...written));
  return conclude(run, reading, result.metrics?.sequences ?? 0, terminal);
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
  const { width, colour: color, unicode } = terminal;
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
  preset: Preset,
  settings: Settings,
  run: Run,
  sequences: ReadonlyMap<string, number>,
  written: readonly string[],
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
    preset: preset.name,
    trainer: preset.trainer,
    source: preset.source,
    settings,
    does: correctionClauses(corrected.correction),
    traps: preset.traps(settings),
    metrics: sweep ? sweepMetrics(sweep, 0) : null,
    effect: sweep && !missingAdvantages ? { ...correctionFigures(sweep, 1), on_front: false } : null,
    effect_absent: corrected.unswept ?? null,
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

type Target =
  | { readonly format: "parquet"; readonly path: string; readonly folder?: string }
  | { readonly format: ArrayFormat; readonly pathOf: (file: string) => string; readonly folder?: string };

/** A `.parquet` file, or arrays: one file for one input, a directory for several. */
function chooseTarget(out: string, format: string | undefined, paths: readonly string[]): Target {
  const extension = parse(out).ext.slice(1);
  if (format !== undefined && !["parquet", "npz", "safetensors"].includes(format))
    throw new UsageError(`--format must be parquet, npz or safetensors, not "${format}"`);
  const known = extension === "npz" || extension === "safetensors" || extension === "parquet";
  if (known && format !== undefined && format !== extension)
    throw new UsageError(`--out ${out} and --format ${format} contradict each other`);
  if (extension === "parquet") return { format: "parquet", path: out };
  if (known) {
    const single =
      paths.length === 1 && paths[0] !== "-" && existsSync(paths[0]!) && statSync(paths[0]!).isFile();
    if (!single && paths[0] !== "-") {
      throw new UsageError(`--out ${out} is one file, but arrays are written per input file`, {
        hint: `give a directory: --out ${parse(out).name}/ --format ${extension}, or one .parquet file for all`,
      });
    }
    return { format: extension as ArrayFormat, pathOf: () => out };
  }
  const chosen = (format ?? "npz") as Target["format"];
  if (chosen === "parquet") return { format: chosen, path: join(out, "corrected.parquet"), folder: out };
  const taken = new Map<string, string>();
  return {
    format: chosen,
    folder: out,
    pathOf: (file) => {
      const name = parse(basename(file)).name || "stdin";
      let path = join(out, `${name}.${chosen}`);
      for (let n = 1; (taken.get(path) ?? file) !== file; n++) path = join(out, `${name}-${n}.${chosen}`);
      taken.set(path, file);
      return path;
    },
  };
}

/** Every file that the inputs ask for, before any of them is read. */
async function checkTarget(outputs: Outputs, target: Target, paths: readonly string[]): Promise<void> {
  if (target.folder !== undefined) await outputs.folder("--out", target.folder);
  if (target.format === "parquet") return outputs.file("--out", target.path, "corrected record");
  for (const { path } of (await walk(paths)).files)
    await outputs.file("--out", target.pathOf(path), "corrected arrays");
}

/** Thrown into a writer, so that a file that an interrupt left incomplete is not given its name. */
class Interrupted extends Error {}

async function* orInterrupted(
  batches: AsyncIterable<RecordBatch>,
  reading: Reading,
): AsyncGenerator<RecordBatch> {
  yield* batches;
  if (reading.interrupted) throw new Interrupted();
}

/** Writes what is complete; returns the files. */
async function write(
  target: Target,
  batches: AsyncIterable<RecordBatch>,
  correctedOf: (batch: RecordBatch) => CorrectedColumns,
  reading: Reading,
  outputs: Outputs,
): Promise<readonly string[]> {
  const whole = orInterrupted(batches, reading);
  const unlessInterrupted = (error: unknown): readonly string[] => {
    if (error instanceof Interrupted) return [];
    throw error;
  };
  if (target.format === "parquet") {
    const more = (batch: RecordBatch): LayoutColumn[] => listColumns(batch, correctedOf(batch));
    const beforePart = (file: string): Promise<void> => outputs.file("--out", file, "corrected record");
    return writeRecord(target.path, whole, { more, writer: "correct", beforePart }).catch(unlessInterrupted);
  }
  const arrays = createCorrectedArrays(target.pathOf, target.format);
  try {
    for await (const batch of whole) await arrays.add(batch, correctedOf(batch));
    await arrays.finish();
  } catch (error) {
    unlessInterrupted(error);
  } finally {
    await arrays.discard();
  }
  return arrays.files;
}

function listColumns({ offsets }: RecordBatch, { weights, mask }: CorrectedColumns): LayoutColumn[] {
  const list = (name: string, values: Float32Array | Uint8Array): LayoutColumn => ({
    kind: "list",
    name,
    values,
    offsets,
    inner: undefined,
  });
  return [...(weights ? [list(WEIGHTS_NAME, Float32Array.from(weights))] : []), list(MASK_NAME, mask)];
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
