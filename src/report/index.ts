/**
 * Text and pictures from a report: pure functions, string out, safe in a browser.
 *
 * @module
 */
export * from "./charts/index.ts";
export { plural } from "./content/input.ts";
export { renderCorrectTerminal } from "./correct/index.ts";
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
} from "./format.ts";
export { renderHtml } from "./html/index.ts";
export { type KlMarkdownOptions, renderKlHtml, renderKlMarkdown, renderKlTerminal } from "./kl/index.ts";
export { renderLintMarkdown, renderLintTerminal } from "./lint.ts";
export { type MarkdownOptions, renderMarkdown } from "./markdown.ts";
export { printable } from "./printable.ts";
export { renderTerminal, type TerminalReportOptions } from "./terminal/index.ts";
