/**
 * An analysis of high-divergence logs as a document; and the rows of a query.
 *
 * @module
 */
export { renderAnalyzeHtml, renderAnalyzeMarkdown, renderAnalyzeTerminal } from "./document.ts";
export { renderRows } from "./rows.ts";
