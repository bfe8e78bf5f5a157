/**
 * A digit analysis for terminals and Markdown. Figures come from `src/analyses/digits`.
 *
 * @module
 */
export { headlines, inputParts, placeName } from "./content.ts";
export { buildDigitsDocument, renderDigitsMarkdown, renderDigitsTerminal } from "./document.ts";
export { digitTables, formatBounded } from "./tables.ts";
