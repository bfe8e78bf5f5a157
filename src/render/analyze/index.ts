/**
 * What an analysis of high-divergence logs says; and the rows of a query.
 *
 * @module
 */
export {
  buildAnalyzeDocument,
  renderAnalyzeHtml,
  renderAnalyzeMarkdown,
  renderAnalyzeTerminal,
} from "./document.ts";
export { type RowTable, renderRows } from "./rows.ts";
