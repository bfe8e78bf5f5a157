/**
 * Logged metrics for terminals, Markdown and HTML: alone, or as sections of a report on dumps.
 * Their meaning and correctness are determined in `src/analyses/series`.
 *
 * @module
 */
export { renderSeriesHtml, renderSeriesMarkdown, renderSeriesTerminal } from "./document.ts";
export { loggedSections } from "./sections.ts";
