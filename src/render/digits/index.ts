export { headlines, inputParts, placeName } from "./content.ts";
export { type DigitsMarkdownOptions, renderDigitsMarkdown } from "./markdown.ts";
export { digitTables, formatBounded } from "./tables.ts";
export { renderDigitsTerminal } from "./terminal.ts";
