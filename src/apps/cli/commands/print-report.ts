/**
 * What `logratio report` was asked for, and how its result is written in each form.
 *
 * @module
 */

import type { BatchFilter } from "../../../analyses/filter/index.ts";
import type { FilterOptions } from "../../../analyses/runs/filter-option.ts";
import type { Finding } from "../../../core/schema/index.ts";
import type { ReadOptions } from "../../../ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import type { MarkdownOptions } from "../../../render/index.ts";
import type { ScreenOptions } from "../../../render/terminal/index.ts";
import type { SeriesReport } from "../../../results/series.ts";
import type { ParityTrainer } from "../../../trainers/index.ts";
import { screenOptions } from "../first-screen.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import type { Progress, ProgressState } from "../progress.ts";
import { commandLine } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface ReportOptions extends InputOptions, FilterOptions, ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly parity?: string;
  readonly explain?: boolean;
  /** Found next to the dumps, if --tokenizer was not given. */
  readonly foundTokenizer?: string;
  readonly brief?: boolean;
  readonly full?: boolean;
  readonly threads?: string;
  /** Whether the run is the example that comes with logratio. */
  readonly asDemo?: boolean;
}

/** The flags that do not affect what is read. */
export const FORM_FLAGS = [
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

/** What to report, and how. */
export interface Job {
  readonly paths: readonly string[];
  /** The paths that are not logged metrics: dumps. */
  readonly others: readonly string[];
  readonly options: ReportOptions;
  readonly read: ReadOptions;
  readonly terminal: Terminal;
  readonly parity: readonly ParityTrainer[];
  readonly logged: SeriesReport | undefined;
  readonly threads: number | undefined;
  readonly filter: BatchFilter | undefined;
  readonly progress: Progress<ProgressState>;
}

/** How a result is written in each form. */
export interface Forms<Result> {
  readonly html: (result: Result) => string;
  readonly markdown: (result: Result, options: MarkdownOptions) => string;
  readonly terminal: (result: Result, options: ScreenOptions) => string;
}

/**
 * Writes the page where one was asked for, then the result on standard output and what reading noticed on the other.
 *
 * @param loadForms called unless JSON is all that was asked for
 */
export async function print<Result>(
  result: Result,
  loadForms: () => Promise<Forms<Result>>,
  findings: readonly Finding[],
  job: Job,
): Promise<void> {
  const { options, terminal } = job;
  if (options.html !== undefined) {
    await writeWholeFile(options.html, (await loadForms()).html(result));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(options.json ? toJson(result) : render(result, await loadForms(), job));
  if (options.json || options.markdown || options.brief) tellFindings(findings, terminal);
}

function render<Result>(result: Result, forms: Forms<Result>, { paths, options, terminal }: Job): string {
  const command = options.asDemo
    ? commandLine("demo", [], options, FORM_FLAGS)
    : commandLine("report", paths, options, FORM_FLAGS);
  if (options.markdown) return forms.markdown(result, { command });
  return forms.terminal(result, screenOptions(options, terminal, command));
}
