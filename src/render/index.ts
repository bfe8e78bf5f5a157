/**
 * Text and pictures from a report: pure functions, string out, safe in a browser.
 *
 * @module
 */
export * from "./charts/index.ts";
export { renderCorrectTerminal, renderLintTerminal } from "./correct/index.ts";
export { renderKlHtml, renderKlMarkdown, renderKlTerminal } from "./kl/index.ts";
export type { MarkdownOptions } from "./markdown/index.ts";
export {
  type HtmlReportOptions,
  renderHtml,
  renderMarkdown,
  renderTerminal,
} from "./report/index.ts";
export { renderSeriesHtml, renderSeriesMarkdown, renderSeriesTerminal } from "./series/index.ts";
export type { ScreenOptions } from "./terminal/index.ts";
export {
  type Figure,
  type FigureKind,
  formatBytes,
  formatColumn,
  formatCount,
  formatFigure,
  formatNearOne,
  formatNumber,
  formatPlain,
  formatShare,
  formatSigned,
  plural,
  printable,
} from "./text/index.ts";
