/**
 * A mismatch report for terminals, Markdown and HTML. Its figures and sentences come from `src/analyses/report`;
 * nothing is computed here.
 *
 * @module
 */

export { verdictWord } from "../document/verdict-word.ts";
export { keyRows } from "./answer/key-rows.ts";
export { namePart } from "./answer/rows.ts";
export { buildReportDocument, renderHtml } from "./document.ts";
export { foldSteps } from "./fold-steps.ts";
export { PARTS } from "./parts.ts";
export { SECTION_TITLES } from "./section-titles.ts";
export { LEVELS, rankSeverity, worstReadings } from "./verdict-level.ts";
