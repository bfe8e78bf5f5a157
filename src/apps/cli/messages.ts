import {
  foreseenError,
  formatPlace,
  type LogratioError,
  recognizeMissingLibrary,
  splitLines,
} from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import { formatBytes, plural } from "../../core/text/index.ts";
import { printable } from "../../render/text/index.ts";
import type { Terminal } from "./terminal.ts";

/**
 * A text whose line breaks are its own, as in errors and findings: they escape the ones they quote. Any other text is
 * one line: {@link formatLine}, or `printable`.
 */
export function printableLines(text: string, indent = ""): string {
  return splitLines(text).map(printable).join(`\n${indent}`);
}

/** One line about what the command does, for the user. */
export function formatLine(text: string): string {
  return `${printable(text)}\n`;
}

const advice = (label: string, text: string | undefined): string[] =>
  text ? [`  ${label.padEnd(8)}${printableLines(text, "          ")}`] : [];

/** An error for people: what, where, why, what to try. No stack trace. */
export function formatError(error: LogratioError, { paint }: Terminal): string {
  return [
    `${paint("red", "error:")} ${printableLines(error.message)}`,
    ...advice("where", printable(formatPlace(error.at))),
    ...advice("likely", error.likely),
    ...advice("try", error.hint),
    "",
  ].join("\n");
}

/** A finding in one to three lines. */
export function formatFinding(finding: Finding, { paint }: Terminal): string {
  const place = formatPlace(finding.at);
  const word = finding.severity === "info" ? "note:" : `${finding.severity}:`;
  return [
    `${paint(finding.severity === "info" ? "dim" : "yellow", word)} ${printableLines(finding.message)}${place && !finding.message.includes(place) ? ` (first at ${printable(place)})` : ""}`,
    ...advice("likely", finding.likely),
    ...advice("try", finding.hint),
    "",
  ].join("\n");
}

/**
 * What a verb reports about its input on standard error: all findings except that a README or a tokenizer is next to
 * the data, which the line "left out", `--explain` and `--json` report, and that a batch has identical rows, which
 * occurs in healthy runs too and which the full report and `--json` state.
 *
 * @param told findings already reported, which are not repeated
 */
export function tellFindings(
  findings: readonly Finding[],
  terminal: Terminal,
  told: Set<string> = new Set(),
): void {
  for (const finding of findings) {
    const text = formatFinding(finding, terminal);
    const isUsual = finding.code === "identical-rows";
    if (finding.omits?.why !== "by_name" && !isUsual && !told.has(text)) terminal.err(text);
    told.add(text);
  }
}

/** Something that the user should know, in one line. */
export function formatWarning(message: string, { paint }: Terminal): string {
  return `${paint("yellow", "warning:")} ${printable(message)}\n`;
}

/** An error that logratio did not foresee: reported as a bug. */
export function formatBug(error: unknown, { paint }: Terminal): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `${paint("red", "bug:")} ${printable(text)}\n  This is a bug in logratio. Run again with LOGRATIO_DEBUG=1 and report it with the stack trace.\n`;
}

/** Files that were written. */
export function writtenFiles(...paths: readonly string[]): string {
  return `written: ${paths.map(printable).join(", ")}\n`;
}

/** An error that ended one answer but not the process. */
export function formatFailure(error: unknown, terminal: Terminal): string {
  const foreseen = recognizeMissingLibrary(error) ?? foreseenError(error);
  return foreseen === undefined ? formatBug(error, terminal) : formatError(foreseen, terminal);
}

/** What was written, and how much. */
export function writtenLine(
  path: string,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): string {
  return `written: ${printable(path)}, ${plural(files, "file")}, ${formatBytes(bytes)} of data\n`;
}
