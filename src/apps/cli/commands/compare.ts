import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { compareRuns } from "../../../analyses/runs/compare-runs.ts";
import { UsageError } from "../../../core/base/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import {
  renderCompareHtml,
  renderCompareMarkdown,
  renderCompareTerminal,
} from "../../../render/compare/index.ts";
import type { CompareReport } from "../../../results/compare.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { isCut, screenOptions } from "../first-screen.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toRunInput } from "../read-options.ts";
import { commandLine } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { unlessInterrupted } from "../until-interrupted.ts";

export interface CompareOptions extends InputOptions, ForceOption {
  readonly filter?: string;
  readonly tokenizer?: string;
  readonly to?: readonly string[];
  readonly column?: string;
  readonly within?: string;
  readonly alpha?: string;
  readonly unpaired?: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly full?: boolean;
  readonly by?: string;
  readonly date?: string;
  readonly digests?: boolean;
}

const FORM_FLAGS = ["json", "markdown", "full", "html", "force", "digests", "memory"];

/**
 * Compares two sources and prints the certificate. The exit status is 0 if it is granted (equal or equivalent), else 1:
 * an undecided comparison has not been shown to hold.
 */
export async function compare(
  paths: readonly string[],
  options: CompareOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const [a, b] = splitSides(paths, options.to);
  if (options.html !== undefined) {
    const outputs = await openOutputs({ inputs: [...a, ...(b ?? [])], force: options.force });
    await outputs.file("--html", options.html, "compare page");
  }
  const progress = createProgress(terminal);
  const report = await readBoth(a, b, options, progress.update).finally(() => progress.end());
  if (report === undefined) {
    terminal.err("interrupted: a certificate needs both sides in full, so there is none\n");
    return EXIT.interrupted;
  }
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderCompareHtml(report));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(report, paths, options, terminal));
  if (options.json || options.markdown || isCut(options, terminal)) tellFindings(report.findings, terminal);
  if (report.certificate === "different" || report.certificate === "undecidable") return EXIT.checkFailed;
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

/** Undefined if the user interrupts. */
function readBoth(
  a: readonly string[],
  b: readonly string[] | undefined,
  options: CompareOptions,
  onProgress: ReturnType<typeof createProgress>["update"],
): Promise<CompareReport | undefined> {
  const { within, alpha, date, ...asked } = toRunInput(options);
  return unlessInterrupted((signal) =>
    compareRuns(a, b, {
      ...asked,
      ...(within !== undefined && { within: parseNumber("--within", within) }),
      ...(alpha !== undefined && { alpha: parseNumber("--alpha", alpha) }),
      ...(date !== undefined && { date: date === "now" ? new Date().toISOString().slice(0, 10) : date }),
      signal,
      onProgress,
    }),
  );
}

function parseNumber(flag: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new UsageError(`${flag} must be a number, not "${text}"`);
  return value;
}

/** @throws UsageError if it is not clear which path belongs to which side */
function splitSides(
  paths: readonly string[],
  to: readonly string[] | undefined,
): [a: readonly string[], b: readonly string[] | undefined] {
  if (to !== undefined) return [paths, to];
  if (paths.length > 2)
    throw new UsageError(`${paths.length} paths do not say which belong to A and which to B`, {
      hint: "write logratio compare A1 A2 --to B1 B2, or give two directories",
    });
  return [paths.slice(0, 1), paths.length === 2 ? paths.slice(1) : undefined];
}

function render(
  report: CompareReport,
  paths: readonly string[],
  options: CompareOptions,
  terminal: Terminal,
): string {
  if (options.json) return toJson(report);
  const command = commandLine("compare", paths, options, FORM_FLAGS);
  if (options.markdown) return renderCompareMarkdown(report, { command });
  return renderCompareTerminal(report, screenOptions(options, terminal, command));
}
