/**
 * A digit analysis for terminals and Markdown. Figures come from `src/analyses/digits`.
 *
 * @module
 */
export { headlines, inputParts, placeName } from "./content.ts";
export { buildDigitsDocument, renderDigitsMarkdown, renderDigitsTerminal } from "./document.ts";
export {
  DIGIT_LOSSES,
  type DigitLoss,
  describeCoverage,
  formatBounded,
  isRecorded,
  lossTitle,
} from "./losses.ts";
export { digitTables } from "./tables.ts";
