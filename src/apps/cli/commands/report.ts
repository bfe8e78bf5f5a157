import { inputWasSkipped } from "../../../analyses/report/index.ts";
import {
  compileFilter,
  type FilterOptions,
  hasNoDumps,
  joinLogged,
  parityOfLogged,
  parseParity,
  readLogged,
  reportOpenRun,
} from "../../../analyses/runs/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { openOutputs, openRun } from "../../../input/ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { renderHtml, renderMarkdown, renderTerminal } from "../../../render/index.ts";
import type { MismatchReport } from "../../../results/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { type InputOptions, positiveInteger, toReadOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { commandLine, conclude, inputFlags, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { formatExplanation } from "./explain.ts";
import { explainSeries, reportSeries } from "./report-series.ts";

export interface ReportOptions extends InputOptions, FilterOptions, ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly parity?: string;
  readonly explain?: boolean;
  readonly brief?: boolean;
  readonly full?: boolean;
  readonly threads?: string;
  /** The run is the one that comes with logratio. */
  readonly asDemo?: boolean;
}

const FORM_FLAGS = ["json", "markdown", "html", "force", "explain", "brief", "full", "threads", "asDemo"];

/** Reads a run once and prints the report in the form that was asked for. */
export async function report(
  paths: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown cannot be combined", { hint: "choose one" });
  if (options.brief && options.full)
    throw new UsageError("--brief and --full cannot be combined", { hint: "choose one" });
  const asked = parseParity((options.parity ?? "").split(","));
  const threads = options.threads === undefined ? undefined : positiveInteger("--threads", options.threads);
  if (options.html !== undefined) {
    const inputs = [...paths, ...(options.tokenizer === undefined ? [] : [options.tokenizer])];
    const outputs = await openOutputs({ inputs, force: options.force });
    await outputs.file("--html", options.html, "report page");
  }
  const filter = await compileFilter(options);
  const readOptions = toReadOptions(options);
  const { logged, others, areDirectories } = await readLogged(paths);
  const alone = (): Promise<ExitStatus> => reportSeries(logged!, paths, options, terminal);
  if (logged !== undefined && others.length === 0) return alone();
  const parity = logged === undefined ? asked : parityOfLogged(logged, asked);
  const progress = createProgress(terminal);
  const opening = openRun(others, { ...readOptions, onProgress: progress.update });
  const run = await opening.catch((error: unknown) => {
    if (logged !== undefined && areDirectories && hasNoDumps(error)) return undefined;
    throw error;
  });
  if (run === undefined) return alone();
  const reading = readUntilInterrupted(run, filter);
  const measured = await reportOpenRun(run, reading.batches, {
    // The command to run next may be of a verb that reads dumps alone.
    paths: others,
    flags: inputFlags(options, [...FORM_FLAGS, "parity"]),
    parity,
    ...(threads !== undefined && { threads }),
  }).finally(() => {
    reading.end();
    progress.end();
  });
  const result = logged === undefined ? measured : joinLogged(measured, logged);
  const { findings } = result;
  if (options.explain) terminal.err(formatExplanation(run) + explainSeries(logged));
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderHtml(result));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(result, paths, options, terminal));
  if (options.json || options.markdown || options.brief) tellFindings(findings, terminal);
  const status = conclude(run, reading, result.metrics.sequences, terminal);
  return status === EXIT.fine && inputWasSkipped(findings) ? EXIT.skipped : status;
}

/** On a terminal the tables would scroll the verdict away: they are printed to files and pipes, or when asked for. */
function render(
  result: MismatchReport,
  paths: readonly string[],
  options: ReportOptions,
  { width, colour: color, unicode, interactive }: Terminal,
): string {
  if (options.json) return toJson(result);
  const command = options.asDemo
    ? commandLine("demo", [], options, FORM_FLAGS)
    : commandLine("report", paths, options, FORM_FLAGS);
  if (options.markdown) return renderMarkdown(result, { command });
  const isCut = interactive && !options.full && !options.brief;
  return renderTerminal(result, {
    width,
    color,
    unicode,
    sections: options.brief || isCut ? "summary" : "all",
    ...(isCut && { more: `${command} --full` }),
  });
}
