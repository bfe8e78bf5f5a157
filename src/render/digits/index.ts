/**
 * A digit analysis for terminals and Markdown. Figures come from `src/analyses/digits`.
 *
 * @module
 */
export { headlines, inputParts, placeName } from "./content.ts";
export { type DigitsMarkdownOptions, renderDigitsMarkdown } from "./markdown.ts";
export { digitTables, formatBounded } from "./tables.ts";
export { renderDigitsTerminal } from "./terminal.ts";
