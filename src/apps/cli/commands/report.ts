import {
  compileFilter,
  type FilterOptions,
  parseParity,
  reportOpenRun,
} from "../../../analyses/runs/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { openOutputs, openRun, type Run, type SourceReport } from "../../../input/ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { renderHtml, renderMarkdown, renderTerminal } from "../../../render/index.ts";
import type { MismatchReport } from "../../../results/index.ts";
import type { ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { type InputOptions, positiveInteger, toReadOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { commandLine, conclude, inputFlags, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { formatExplanation } from "./explain.ts";

export interface ReportOptions extends InputOptions, FilterOptions, ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly parity?: string;
  readonly explain?: boolean;
  /** Beside the dumps, where --tokenizer was not given. */
  readonly foundTokenizer?: string;
  readonly brief?: boolean;
  readonly full?: boolean;
  readonly threads?: string;
  /** The run is the one that comes with logratio. */
  readonly asDemo?: boolean;
}

const FORM_FLAGS = [
  "json",
  "markdown",
  "html",
  "force",
  "explain",
  "brief",
  "full",
  "threads",
  "asDemo",
  "foundTokenizer",
];

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
  const parity = parseParity((options.parity ?? "").split(","));
  const threads = options.threads === undefined ? undefined : positiveInteger("--threads", options.threads);
  if (options.html !== undefined) {
    const inputs = [...paths, ...(options.tokenizer === undefined ? [] : [options.tokenizer])];
    const outputs = await openOutputs({ inputs, force: options.force });
    await outputs.file("--html", options.html, "report page");
  }
  const tokenizer = options.tokenizer ?? options.foundTokenizer;
  const filter = await compileFilter({ ...options, ...(tokenizer !== undefined && { tokenizer }) });
  const progress = createProgress(terminal);
  // Also of files that are refused, where it is needed most.
  const explain = (of: Pick<Run, "sources" | "ignored">): void => {
    if (options.explain) terminal.err(formatExplanation(of, options.foundTokenizer));
  };
  let examined: readonly SourceReport[] = [];
  const run = await openRun(paths, {
    ...toReadOptions(options),
    onProgress: progress.update,
    onExamined: (sources) => {
      examined = sources;
    },
  }).catch((error: unknown) => {
    explain({ sources: examined, ignored: [] });
    throw error;
  });
  const reading = readUntilInterrupted(run, filter);
  const result = await reportOpenRun(run, reading.batches, {
    paths,
    flags: inputFlags(options, [...FORM_FLAGS, "parity"]),
    parity,
    ...(threads !== undefined && { threads }),
  }).finally(() => {
    reading.end();
    progress.end();
    explain(run);
  });
  const findings = run.findings.list();
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderHtml(result));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(result, paths, options, terminal));
  if (options.json || options.markdown || options.brief) tellFindings(findings, terminal);
  return conclude(run, reading, result.metrics.sequences, terminal);
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
