/**
 * Logged metrics for terminals, Markdown and HTML: alone, or as sections of a report on dumps.
 * What they mean and whether they are right is found in `src/analyses/series`.
 *
 * @module
 */
export {
  buildSeriesDocument,
  renderSeriesHtml,
  renderSeriesMarkdown,
  renderSeriesTerminal,
} from "./document.ts";
export { loggedSections } from "./sections.ts";
