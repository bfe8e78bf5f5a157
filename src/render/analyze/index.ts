/**
 * An analysis of high-divergence logs for terminals, Markdown and HTML.
 *
 * @module
 */
export { renderAnalyzeHtml } from "./html.ts";
export { type AnalyzeMarkdownOptions, renderAnalyzeMarkdown } from "./markdown.ts";
export { type RowTable, renderRows } from "./rows.ts";
export { renderAnalyzeTerminal } from "./terminal.ts";
