/**
 * A report as text or as a page: pure functions, string out, in Node and in browsers.
 *
 * @module
 */
export {
  type HtmlReportOptions,
  type MarkdownOptions,
  renderHtml,
  renderMarkdown,
  renderTerminal,
  type ScreenOptions,
} from "./render/index.ts";
export type { MismatchReport } from "./results/report.ts";
