import { inputWasSkipped } from "../../analysis/left-out.ts";
import { quoteForShell } from "../../analysis/next-command.ts";
import { UsageError } from "../../base/errors.ts";
import { writeWholeFile } from "../../io/write-whole-file.ts";
import { type AnalyzeOptions as Analysis, analyzeLog } from "../../logs/index.ts";
import type { AnalyzeReport } from "../../protocol/analyze.ts";
import {
  renderAnalyzeHtml,
  renderAnalyzeMarkdown,
  renderAnalyzeTerminal,
} from "../../report/analyze/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { positiveInteger } from "../input-options.ts";
import { toJson } from "../json.ts";
import { formatFinding } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface AnalyzeOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly where?: string;
  readonly top?: string;
}

/** Answers the questions of the usage guide about high-divergence logs: terminal, Markdown, JSON, and a page. */
export async function analyze(
  paths: readonly string[],
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown contradict each other", { hint: "ask for one of them" });
  // Ends with an exit that clears what has spilled to disk.
  process.once("SIGINT", () => process.exit(EXIT.interrupted));
  const report = await analyzeLog(paths, analysisOf(options));
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderAnalyzeHtml(report));
    terminal.err(`written: ${options.html}\n`);
  }
  terminal.out(render(report, paths, options, terminal));
  for (const finding of report.findings) terminal.err(formatFinding(finding, terminal));
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

function analysisOf({ where, top }: AnalyzeOptions): Analysis {
  return {
    ...(where !== undefined && { where }),
    ...(top !== undefined && { top: positiveInteger("--top", top) }),
  };
}

function render(
  report: AnalyzeReport,
  paths: readonly string[],
  { json, markdown, where, top }: AnalyzeOptions,
  { width, colour: color, unicode }: Terminal,
): string {
  if (json) return toJson(report);
  if (markdown) {
    const flags = [
      ...(where === undefined ? [] : ["--where", quoteForShell(where)]),
      ...(top === undefined ? [] : ["--top", top]),
    ];
    return renderAnalyzeMarkdown(report, {
      command: ["logratio analyze", ...paths.map(quoteForShell), ...flags].join(" "),
    });
  }
  return renderAnalyzeTerminal(report, { width, color, unicode });
}
