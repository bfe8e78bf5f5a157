export { headlines, inputParts, placeName } from "./content.ts";
export { buildDigitsDocument, renderDigitsMarkdown, renderDigitsTerminal } from "./document.ts";
export { digitTables, formatBounded } from "./tables.ts";
