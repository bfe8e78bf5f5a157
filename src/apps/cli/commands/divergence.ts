import { dirname } from "node:path";
import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import {
  createRunLog,
  createRunReport,
  divergenceLine,
  type IterationResult,
  type RunLogOptions,
} from "../../../analyses/divergence/index.ts";
import { logPart } from "../../../analyses/parts/index.ts";
import { compileFilter } from "../../../analyses/runs/index.ts";
import { shellCommand, UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { type JsonlLog, openRun, type Run } from "../../../input/ingest/index.ts";
import {
  renderDivergenceSummary,
  renderDivergentTokens,
  renderStepTitle,
} from "../../../render/divergence/index.ts";
import { pasteable } from "../../../render/terminal/index.ts";
import type { DivergenceReport, LeanDivergenceRecord } from "../../../results/index.ts";
import { append, listOutputs, openLogFile, STDOUT } from "../divergence-log.ts";
import { noteNoTokenizer, noteRepeated, noteRun, noteStep } from "../divergence-notes.ts";
import { type DivergenceCommandOptions, readLogOptions } from "../divergence-options.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { answerFromParts } from "../from-parts.ts";
import { toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { conclude, readHere, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export type { DivergenceCommandOptions } from "../divergence-options.ts";

/** Logs, step by step, the tokens whose two probabilities are furthest apart: on the screen and as JSONL. */
export async function divergence(
  paths: readonly string[],
  options: DivergenceCommandOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.out === STDOUT)
    throw new UsageError("--json and --out - would both write to standard output", { hint: "choose one" });
  const logOptions = await readLogOptions(options);
  const answered = await answerFromParts(
    "divergence",
    paths,
    options,
    async (part, wasSkipped) => {
      const log = logPart(part, logOptions);
      const run = { name: log.run, findings: log.findings };
      const file = await openLogFile(paths, options);
      const delivery = new Delivery({ ...log, run, file, options, terminal, beforeLines: () => {} });
      for (const result of log.steps) delivery.add(result);
      const result = delivery.conclude(log.leftOut);
      const status = wasSkipped || inputWasSkipped(result.findings) ? EXIT.skipped : EXIT.fine;
      return tellUnwritten(delivery, result, status, terminal);
    },
    terminal,
  );
  return answered ?? logDumps(paths, options, logOptions, terminal);
}

async function logDumps(
  paths: readonly string[],
  options: DivergenceCommandOptions,
  logOptions: RunLogOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const log = createRunLog(logOptions);
  const file = await openLogFile(paths, options);
  const filter = await compileFilter(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, {
    ...toReadOptions(options),
    keepDetails: true,
    onProgress: progress.update,
  });
  const delivery = new Delivery({
    ...{ run, logOptions, file, options, terminal, beforeLines: progress.end },
    get sources() {
      return sourceSummaries(run);
    },
  });
  const reading = readHere(run, filter);
  try {
    for await (const batch of reading.batches) for (const result of log.add(batch)) delivery.add(result);
  } finally {
    reading.onRead();
  }
  for (const result of log.finish()) delivery.add(result);
  progress.end();

  const result = delivery.conclude(log.leftOut);
  return tellUnwritten(
    delivery,
    result,
    conclude(run.findings.list(), reading.interrupted, result.metrics.sequences, terminal),
    terminal,
  );
}

/** The exit status, which another one replaces where the file could not be written. */
function tellUnwritten(
  delivery: Delivery,
  result: DivergenceReport,
  status: ExitStatus,
  terminal: Terminal,
): ExitStatus {
  if (!delivery.failed) return status;
  const written = result.outputs.reduce((sum, { lines }) => sum + lines, 0);
  terminal.err(`written: ${written} of ${plural(result.metrics.records, "record")}\n`);
  return status === EXIT.interrupted ? status : EXIT.unreadable;
}

interface DeliveryOptions {
  readonly run: Pick<Run, "name" | "findings">;
  /** Read when all is. */
  readonly sources: DivergenceReport["sources"];
  readonly logOptions: RunLogOptions;
  readonly file: JsonlLog | undefined;
  readonly options: DivergenceCommandOptions;
  readonly terminal: Terminal;
  /** Ends the line of progress, which the terminal has only one of. */
  readonly beforeLines: () => void;
}

/**
 * Takes each step to the screen, to the file and to the report. A file that cannot be written any more loses nothing:
 * what it should have had goes into `--json`.
 */
class Delivery {
  readonly #given: DeliveryOptions;
  readonly #form: { readonly lean: boolean };
  readonly #report: ReturnType<typeof createRunReport>;
  readonly #kept: LeanDivergenceRecord[] = [];
  #logged = 0;
  #failed = false;

  constructor(given: DeliveryOptions) {
    this.#given = given;
    this.#form = { lean: given.options.lean ?? false };
    this.#report = createRunReport(given.logOptions, this.#form);
  }

  /** Records so far. */
  get logged(): number {
    return this.#logged;
  }

  /** Whether the file could not be written. */
  get failed(): boolean {
    return this.#failed;
  }

  add(result: IterationResult): void {
    const { run, file, options, terminal, beforeLines } = this.#given;
    const step = this.#report.add(result);
    noteStep(run, result);
    if (result.records.length === 0) return;
    this.#logged += result.records.length;
    beforeLines();
    const lines = result.records.map((record) => divergenceLine(record, this.#form));
    if (options.out === STDOUT) terminal.data(lines.map((line) => `${line}\n`).join(""));
    else if (!options.json) this.#draw(step, result);
    const written = file !== undefined && append(file, lines, result.iteration, this.#failed, terminal);
    this.#failed ||= file !== undefined && !written;
    if (options.json && !written)
      this.#kept.push(...lines.map((line) => JSON.parse(line) as LeanDivergenceRecord));
  }

  #draw(step: ReturnType<ReturnType<typeof createRunReport>["add"]>, { records }: IterationResult): void {
    const { run, terminal } = this.#given;
    const { width, color, unicode } = terminal;
    const title = { run: run.name, settings: this.#report.settings };
    terminal.out(renderStepTitle(step, title, { width, color, unicode }));
    terminal.out(`${renderDivergentTokens(records, { unicode })}\n`);
  }

  /** Prints what the whole run came to. */
  conclude(leftOut: number): DivergenceReport {
    const { run, logOptions, file, options, terminal } = this.#given;
    noteRun(run, leftOut, logOptions, file);
    if (logOptions.tokenizer === undefined && this.#logged > 0) noteNoTokenizer(run, this.#logged);
    noteRepeated(run, file);
    const result = this.#finish();
    print(result, options, terminal);
    tellFindings(result.findings, terminal);
    return result;
  }

  #finish(): DivergenceReport {
    const { run, file, options } = this.#given;
    return this.#report.finish({
      run: run.name,
      records: options.json && (!file || this.#failed) ? this.#kept : null,
      outputs: listOutputs(file),
      findings: run.findings.list(),
      sources: this.#given.sources,
    });
  }
}

function print(result: DivergenceReport, options: DivergenceCommandOptions, terminal: Terminal): void {
  const { width, color, unicode } = terminal;
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
