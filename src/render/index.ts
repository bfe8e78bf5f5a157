/**
 * Text and pictures from a report: pure functions, string out, safe in a browser.
 *
 * @module
 */
export * from "./charts/index.ts";
export { renderCorrectTerminal } from "./correct/index.ts";
export { renderLintMarkdown, renderLintTerminal } from "./correct/lint.ts";
export { type KlMarkdownOptions, renderKlHtml, renderKlMarkdown, renderKlTerminal } from "./kl/index.ts";
export { renderHtml } from "./report/html.ts";
export { plural } from "./report/input.ts";
export { type MarkdownOptions, renderMarkdown } from "./report/markdown.ts";
export { renderTerminal, type TerminalReportOptions } from "./report/terminal.ts";
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
} from "./text/format.ts";
export { printable } from "./text/printable.ts";
