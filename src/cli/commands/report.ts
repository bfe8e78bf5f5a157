import { buildReport } from "../../analysis/build-report.ts";
import { EmptyInputError, UsageError } from "../../base/errors.ts";
import { openRun } from "../../ingest/index.ts";
import { writeWholeFile } from "../../io/write-whole-file.ts";
import { summarizeBatches } from "../../parallel/summarize-batches.ts";
import { PARITY_TRAINERS, type ParityTrainer } from "../../parity/index.ts";
import type { MismatchReport } from "../../protocol/report.ts";
import { renderHtml, renderMarkdown, renderTerminal } from "../../report/index.ts";
import type { ExitStatus } from "../exit-status.ts";
import { type FilterOptions, filterOf } from "../filter-option.ts";
import { type InputOptions, positiveInteger, readOptionsOf } from "../input-options.ts";
import { toJson } from "../json.ts";
import { formatFinding } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { commandLine, conclude, inputFlags, readUntilInterrupted, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { formatExplanation } from "./explain.ts";

export interface ReportOptions extends InputOptions, FilterOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly parity?: string;
  readonly explain?: boolean;
  readonly brief?: boolean;
  readonly full?: boolean;
  readonly threads?: string;
}

const FORM_FLAGS = ["json", "markdown", "html", "explain", "brief", "full", "threads"];

/** Reads a run once and prints the report in the form that was asked for. */
export async function report(
  paths: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown contradict each other", { hint: "ask for one of them" });
  if (options.brief && options.full)
    throw new UsageError("--brief and --full contradict each other", { hint: "ask for one of them" });
  const parity = parityTrainers(options.parity);
  const threads = options.threads === undefined ? undefined : positiveInteger("--threads", options.threads);
  const filter = await filterOf(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, { ...readOptionsOf(options), onProgress: progress.update });
  const reading = readUntilInterrupted(run, filter);
  const summary = await summarizeBatches(reading.batches, threads === undefined ? {} : { threads }).finally(
    reading.end,
  );
  progress.end();

  const findings = run.findings.list();
  const result = buildReport({
    run: run.name,
    paths,
    flags: inputFlags(options, [...FORM_FLAGS, "parity"]),
    summary,
    parity,
    findings,
    sources: sourceSummaries(run),
  });
  if (result.metrics.tokens === 0) refuseEmpty(result);
  if (options.explain) terminal.err(formatExplanation(run));
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderHtml(result));
    terminal.err(`written: ${options.html}\n`);
  }
  terminal.out(render(result, paths, options, terminal));
  if (options.json || options.markdown || options.brief)
    for (const finding of findings) terminal.err(formatFinding(finding, terminal));
  return conclude(run, reading, result.metrics.sequences, terminal);
}

function parityTrainers(list: string | undefined): ParityTrainer[] {
  const names = (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  return names.map((name) => {
    const trainer = PARITY_TRAINERS.find((candidate) => candidate.name === name);
    if (!trainer) {
      throw new UsageError(`--parity: there is no trainer "${name}"`, {
        hint: `known: ${PARITY_TRAINERS.map((known) => known.name).join(", ")}`,
      });
    }
    return trainer;
  });
}

function refuseEmpty({ excluded, metrics }: MismatchReport): never {
  const missing = excluded.missing + excluded.delta_negative_infinite + excluded.delta_positive_infinite;
  throw new EmptyInputError(
    missing > 0
      ? `Nothing to compare: all ${missing.toLocaleString("en")} masked tokens lack a finite log-prob on one side`
      : `Nothing to compare: the masks of all ${metrics.sequences_empty.toLocaleString("en")} sequences are empty`,
    {
      likely: "the wrong columns were read, or the mask is inverted",
      hint: "run with --explain to see what each column was taken for",
    },
  );
}

/** On a terminal the tables would scroll the verdict away: they are printed to files and pipes, or when asked for. */
function render(
  result: MismatchReport,
  paths: readonly string[],
  options: ReportOptions,
  { width, colour: color, unicode, interactive }: Terminal,
): string {
  if (options.json) return toJson(result);
  const command = commandLine("report", paths, options, FORM_FLAGS);
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
