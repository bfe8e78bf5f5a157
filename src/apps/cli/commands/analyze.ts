import { analyzeLog } from "../../../analyses/analyze/index.ts";
import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { positiveInteger, shellCommand, UsageError } from "../../../core/base/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { onInterrupt, writeWholeFile } from "../../../input/io/index.ts";
import {
  renderAnalyzeHtml,
  renderAnalyzeMarkdown,
  renderAnalyzeTerminal,
} from "../../../render/analyze/index.ts";
import type { AnalyzeReport } from "../../../results/analyze.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface AnalyzeOptions extends ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly where?: string;
  readonly accuracy?: string;
  readonly top?: string;
}

/** Answers the questions of the usage guide about high-divergence logs: terminal, Markdown, JSON, and a page. */
export async function analyze(
  paths: readonly string[],
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  if (options.html !== undefined) {
    const outputs = await openOutputs({ inputs: paths, force: options.force });
    await outputs.file("--html", options.html, "analyze page");
  }
  const { where, accuracy, top } = options;
  const analysis = {
    ...(accuracy !== undefined && { accuracy: parseShare("--accuracy", accuracy) }),
    ...(where !== undefined && { where }),
    ...(top !== undefined && { top: positiveInteger("--top", top) }),
  };
  // Ends with an exit that clears what has spilled to disk.
  const endListening = onInterrupt(() => process.exit(EXIT.interrupted));
  const report = await analyzeLog(paths, analysis).finally(endListening);
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderAnalyzeHtml(report));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(report, paths, options, terminal));
  tellFindings(report.findings, terminal);
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

function render(
  report: AnalyzeReport,
  paths: readonly string[],
  { json, markdown, where, accuracy, top }: AnalyzeOptions,
  { width, color, unicode }: Terminal,
): string {
  if (json) return toJson(report);
  if (markdown) {
    const flags = [
      ...(where === undefined ? [] : ["--where", where]),
      ...(accuracy === undefined ? [] : ["--accuracy", accuracy]),
      ...(top === undefined ? [] : ["--top", top]),
    ];
    return renderAnalyzeMarkdown(report, {
      command: shellCommand("analyze", paths, flags),
    });
  }
  return renderAnalyzeTerminal(report, { width, color, unicode });
}

function parseShare(flag: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= 0 && value <= 1) return value;
  throw new UsageError(`${flag} is a share from 0 to 1, not "${text}"`, {
    hint: `62 % of all responses correct: ${flag} 0.62`,
  });
}
