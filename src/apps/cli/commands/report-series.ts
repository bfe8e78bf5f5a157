import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { renderSeriesHtml, renderSeriesMarkdown, renderSeriesTerminal } from "../../../render/index.ts";
import type { SeriesReport } from "../../../results/series.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { commandLine } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { explainSeries } from "./explain.ts";

interface SeriesOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly explain?: boolean;
}

const FORM_FLAGS = ["json", "markdown", "html", "force", "explain", "brief", "full", "threads", "asDemo"];

/** Prints the report on logged metrics if there are no dumps with them. */
export async function reportSeries(
  report: SeriesReport,
  paths: readonly string[],
  options: SeriesOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.explain) terminal.err(explainSeries(report));
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderSeriesHtml(report));
    terminal.err(writtenFiles(options.html));
  }
  const { width, color, unicode } = terminal;
  if (options.json) terminal.out(toJson(report));
  else if (options.markdown)
    terminal.out(
      renderSeriesMarkdown(report, { command: commandLine("report", paths, options, FORM_FLAGS) }),
    );
  else terminal.out(renderSeriesTerminal(report, { width, color, unicode }));
  if (options.json || options.markdown) tellFindings(report.findings, terminal);
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}
