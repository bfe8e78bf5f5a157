/**
 * Text and pictures from a report: pure functions that return strings and run safely in a browser.
 *
 * @module
 */

export { formatCount, formatNumber, formatPlain, plural } from "../core/text/index.ts";
export { renderCorrectTerminal } from "./correct/document.ts";
export { renderLintTerminal } from "./correct/lint.ts";
export { type MarkdownOptions, writeMarkdown } from "./markdown/document.ts";
export { pipeTable } from "./markdown/table.ts";
export { codeLines, codeSpan, escapeMarkdown } from "./markdown/text.ts";
export { type HtmlReportOptions, renderHtml, renderMarkdown } from "./report/document.ts";
export { renderTerminal } from "./report/terminal.ts";
export { renderSeriesHtml, renderSeriesMarkdown, renderSeriesTerminal } from "./series/document.ts";
export type { ScreenOptions } from "./terminal/screen.ts";
export { printable } from "./text/printable.ts";
