/**
 * A digit analysis as a document. Figures come from `src/analyses/digits`.
 *
 * @module
 */

export { buildDigitsDocument, renderDigitsMarkdown, renderDigitsTerminal } from "./document.ts";
export { exampleHandles } from "./example-tables.ts";
