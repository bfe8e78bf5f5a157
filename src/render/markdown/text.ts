/**
 * Markdown primitives: tables, code and escaping, safe for foreign text.
 * Content belongs in the folder of its verb.
 *
 * @module
 */
import { pasteable } from "../terminal/command.ts";
import { printable } from "../text/printable.ts";

/** Foreign text inside Markdown prose or a table cell: nothing in it becomes markup, HTML or a cell border. */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[\\`*_{}[\]|~#]/g, "\\$&");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Foreign text as code, fenced by more backticks than it contains; bars are escaped so that it may stand in a table.
 */
export function codeSpan(text: string): string {
  const content = printable(text).replaceAll("|", "\\|");
  if (content === "") return "";
  const fence = "`".repeat(1 + longestRun(content));
  const space = fence.length > 1 ? " " : "";
  return `${fence}${space}${content}${space}${fence}`;
}

/** One line of shell as a code block. */
export function codeBlock(text: string): string {
  return codeLines(pasteable(text, true), "sh");
}

/** Lines of code as a block. */
export function codeLines(text: string, language: string): string {
  const content = text.split("\n").map(printable).join("\n");
  const fence = "`".repeat(Math.max(3, 1 + longestRun(content)));
  return `${fence}${language}\n${content}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
}
