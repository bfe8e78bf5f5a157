import { dirname } from "node:path";
import {
  createRunLog,
  createRunReport,
  divergenceLine,
  type IterationResult,
  lineIdentity,
  type RunLogOptions,
} from "../../../analyses/divergence/index.ts";
import { compileFilter, type FilterOptions } from "../../../analyses/runs/index.ts";
import { isLogratioError, shellCommand, UsageError } from "../../../core/base/index.ts";
import { formatCount, plural } from "../../../core/text/index.ts";
import {
  isLogLine,
  type JsonlLog,
  type JsonlLogOptions,
  listLogFiles,
  openJsonlLog,
  openOutputs,
  openRun,
  type Run,
} from "../../../input/ingest/index.ts";
import { openTokenizer } from "../../../input/tokens/index.ts";
import {
  renderDivergenceSummary,
  renderDivergentTokens,
  renderStepTitle,
} from "../../../render/divergence/index.ts";
import { pasteable } from "../../../render/terminal/index.ts";
import type { DivergenceReport, LeanDivergenceRecord } from "../../../results/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { type InputOptions, positiveInteger } from "../input-options.ts";
import { toJson } from "../json.ts";
import { formatError, tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { conclude, readUntilInterrupted, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface DivergenceCommandOptions extends InputOptions, FilterOptions, ForceOption {
  readonly json?: boolean;
  readonly threshold?: string;
  readonly topK?: string;
  readonly context?: string;
  readonly promptChars?: string;
  readonly responseChars?: string;
  readonly tokenizer?: string;
  readonly out?: string;
  readonly every?: string;
  readonly iteration?: string;
  readonly rotate?: string;
  readonly rotateSize?: string;
  readonly lean?: boolean;
}

/** Standard output instead of a file. */
const STDOUT = "-";

/** Logs, step by step, the tokens whose two probabilities are furthest apart: on the screen and as JSONL. */
export async function divergence(
  paths: readonly string[],
  options: DivergenceCommandOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.out === STDOUT)
    throw new UsageError("--json and --out - would both write to standard output", { hint: "choose one" });
  const settings = await readLogOptions(options);
  const form = { lean: options.lean ?? false };
  const report = createRunReport(settings, form);
  const log = createRunLog(settings);
  const file = await openLogFile(paths, options);
  const { width, colour: color, unicode } = terminal;
  const filter = await compileFilter(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, {
    ...toReadOptions(options),
    keepDetails: true,
    onProgress: progress.update,
  });
  const kept: LeanDivergenceRecord[] = [];
  let failed = false;
  let logged = 0;

  const deliver = (result: IterationResult): void => {
    const step = report.add(result);
    noteStep(run, result);
    if (result.records.length === 0) return;
    logged += result.records.length;
    progress.end();
    const lines = result.records.map((record) => divergenceLine(record, form));
    if (options.out === STDOUT) terminal.out(lines.map((line) => `${line}\n`).join(""));
    else if (!options.json) {
      const title = { run: run.name, settings: report.settings };
      terminal.out(renderStepTitle(step, title, { width, color, unicode }));
      terminal.out(`${renderDivergentTokens(result.records, { unicode })}\n`);
    }
    const written = file !== undefined && append(file, lines, result.iteration, failed, terminal);
    failed ||= file !== undefined && !written;
    if (options.json && !written) kept.push(...lines.map((line) => JSON.parse(line) as LeanDivergenceRecord));
  };

  const reading = readUntilInterrupted(run, filter);
  try {
    for await (const batch of reading.batches) log.add(batch).forEach(deliver);
  } finally {
    reading.end();
  }
  log.finish().forEach(deliver);
  progress.end();

  noteRun(run, log.leftOut, settings, file);
  if (settings.tokenizer === undefined && logged > 0) noteNoTokenizer(run, logged);
  noteRepeated(run, file);
  const findings = run.findings.list();
  const result = report.finish({
    run: run.name,
    records: options.json && (!file || failed) ? kept : null,
    outputs: listOutputs(file),
    findings,
    sources: sourceSummaries(run),
  });
  print(result, options, terminal);
  tellFindings(findings, terminal);
  const status = conclude(run, reading, result.metrics.sequences, terminal);
  if (!failed) return status;
  const written = result.outputs.reduce((sum, { lines }) => sum + lines, 0);
  terminal.err(`written: ${written} of ${plural(result.metrics.records, "record")}\n`);
  return status === EXIT.interrupted ? status : EXIT.unreadable;
}

async function readLogOptions(options: DivergenceCommandOptions): Promise<RunLogOptions> {
  const { threshold, topK, context, every, iteration, tokenizer } = options;
  return {
    ...(threshold !== undefined && { divergenceThreshold: fraction("--threshold", threshold) }),
    ...(topK !== undefined && { divergenceTopK: positiveInteger("--top-k", topK) }),
    ...(context !== undefined && { contextWindow: wholeNumber("--context", context) }),
    ...(options.promptChars !== undefined && {
      maxPromptChars: chars("--prompt-chars", options.promptChars),
    }),
    ...(options.responseChars !== undefined && {
      maxResponseChars: chars("--response-chars", options.responseChars),
    }),
    ...(every !== undefined && { every: positiveInteger("--every", every) }),
    ...(iteration !== undefined && { iteration: wholeNumber("--iteration", iteration) }),
    ...(tokenizer !== undefined && { tokenizer: await openTokenizer(tokenizer) }),
  };
}

async function openLogFile(
  paths: readonly string[],
  { out, rotate, rotateSize, tokenizer, force }: DivergenceCommandOptions,
): Promise<JsonlLog | undefined> {
  if (rotate !== undefined && rotate !== "iteration" && rotate !== "date")
    throw new UsageError(`unknown --rotate "${rotate}"`, { hint: "use iteration or date" });
  if (out === undefined || out === STDOUT) {
    if (rotate === undefined && rotateSize === undefined) return undefined;
    throw new UsageError("--rotate and --rotate-size need a file to rotate", {
      hint: "add --out FILE.jsonl",
    });
  }
  const log: JsonlLogOptions = {
    path: out,
    rotate,
    rotateBytes: rotateSize === undefined ? undefined : bytes(rotateSize),
  };
  const inputs = [...paths, ...(tokenizer === undefined ? [] : [tokenizer])];
  const outputs = await openOutputs({ inputs, force });
  for (const there of [out, ...listLogFiles(log)]) await outputs.file("--out", there, "divergence log");
  return openJsonlLog({
    ...log,
    identityOf: lineIdentity,
    // Files whose names are only known when a step is: nothing was there when it was asked.
    check(path, stats, firstLine) {
      const isForeign = stats.isFile() && stats.size > 0 && !isLogLine(firstLine) && !force;
      if (outputs.isInput(stats) || isForeign)
        throw new UsageError(
          `--out ${path} appeared while the run was being read, and is not a divergence log`,
          {
            at: { file: path },
          },
        );
    },
  });
}

/** False when the file could not be written; the first time, says why. */
function append(
  file: JsonlLog,
  lines: readonly string[],
  iteration: number | null,
  failedBefore: boolean,
  terminal: Terminal,
): boolean {
  try {
    file.append(lines, iteration);
    return true;
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    if (!failedBefore) terminal.err(formatError(error, terminal));
    return false;
  }
}

function noteStep(run: Run, { again, step, records }: IterationResult): void {
  if (again) {
    run.findings.add({
      code: "note",
      severity: "warning",
      subject: "step again",
      count: 1,
      at: {},
      likely: "one file mixes sequences of several steps",
      hint: "sort the sequences by step",
      describe: (count) =>
        `${formatCount(count)} times, first at step ${step}, the sequences of a step are not contiguous: each part was ranked separately`,
    });
  }
  const nameless = records.filter(({ token_id }) => token_id === null);
  if (nameless.length > 0) {
    run.findings.add({
      code: "note",
      severity: "info",
      subject: "no token ids",
      count: nameless.length,
      at: { ...(nameless[0]!.file !== null && { file: nameless[0]!.file }) },
      hint: "name the column of the response's token ids with --tokens",
      describe: (count) => `${formatCount(count)} logged tokens have no token id, so their text is unknown`,
    });
  }
}

function noteRun(run: Run, leftOut: number, { every }: RunLogOptions, file?: JsonlLog): void {
  if (leftOut > 0) {
    run.findings.add({
      code: "note",
      severity: "info",
      subject: "every",
      count: leftOut,
      at: {},
      describe: (count) =>
        `${plural(count, "sequence")} ${count === 1 ? "is of a step" : "are of steps"} that ${every} does not divide, and ${count === 1 ? "was" : "were"} left out`,
    });
  }
  for (const { file: path } of (file?.files ?? []).filter(({ completedTornLine }) => completedTornLine)) {
    run.findings.add({
      code: "partial-line",
      severity: "warning",
      subject: path,
      count: 1,
      at: { file: path },
      likely: "the previous writer was stopped in the middle of a line",
      describe: () => "the last line of the log was incomplete; a line break was added before appending",
    });
  }
}

/** After a run that was killed, or is repeated. */
function noteRepeated(run: Run, file: JsonlLog | undefined): void {
  const repeated = (file?.files ?? []).reduce((sum, entry) => sum + entry.repeated, 0);
  if (repeated === 0) return;
  run.findings.add({
    code: "duplicate",
    severity: "info",
    subject: "log",
    count: repeated,
    at: { file: file!.files[0]!.file },
    hint: "to log them again with other settings, use another --out",
    describe: (count) =>
      `${plural(count, "record was", "records were")} already in the log and ${count === 1 ? "was" : "were"} not written again`,
  });
}

function noteNoTokenizer(run: Run, logged: number): void {
  run.findings.add({
    code: "note",
    severity: "info",
    subject: "no tokenizer",
    count: logged,
    at: {},
    hint: "--tokenizer DIR, the model's directory with tokenizer.json in it",
    describe: (count) =>
      `without a tokenizer, the ${formatCount(count)} logged tokens are named <no_tokenizer:ID> and have no context`,
  });
}

function listOutputs(file: JsonlLog | undefined): DivergenceReport["outputs"] {
  return (file?.files ?? []).map(({ file: path, lines, repeated, completedTornLine }) => ({
    file: path,
    lines,
    repeated,
    completed_torn_line: completedTornLine,
  }));
}

function print(result: DivergenceReport, options: DivergenceCommandOptions, terminal: Terminal): void {
  const { width, colour: color, unicode } = terminal;
  if (options.json) terminal.out(toJson(result));
  else if (options.out === STDOUT)
    terminal.err(renderDivergenceSummary(result, { width, color: false, unicode }));
  else terminal.out(renderDivergenceSummary(result, { width, color, unicode }) + nextStep(result, unicode));
}

/** A command that names every file would not fit where there is one for each step. */
const MOST_NAMED = 3;

function nextStep({ outputs }: DivergenceReport, unicode: boolean): string {
  if (outputs.length === 0) return "";
  const files = outputs.map(({ file }) => file);
  const paths = files.length > MOST_NAMED ? [...new Set(files.map((file) => dirname(file)))] : files;
  return `  next: ${pasteable(shellCommand("analyze", paths), unicode)}\n`;
}

function fraction(flag: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= 1))
    throw new UsageError(`${flag} must be a difference of probabilities, from 0 to 1, not "${text}"`);
  return value;
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${flag} must be a whole number, not "${text}"`);
  return Number(text);
}

function chars(flag: string, text: string): number | null {
  return text === "all" ? null : wholeNumber(flag, text);
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** `500000`, `10MB`, `1.5G`, `64MiB`. */
function bytes(text: string): number {
  const [, number, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?i?)b?\s*$/i.exec(text) ?? [];
  const factor = UNITS[(unit ?? "?").toLowerCase()];
  const value = Math.floor(Number(number) * (factor ?? Number.NaN));
  if (!(value > 0)) throw new UsageError(`--rotate-size must be a size such as 10MB, not "${text}"`);
  return value;
}
