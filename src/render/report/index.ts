/**
 * A mismatch report for terminals, Markdown and HTML. Its figures and sentences come from `src/analyses/report`;
 * nothing is computed here.
 *
 * @module
 */

export { verdictWord } from "../document/index.ts";
export { keyRows, namePart } from "./answer/index.ts";
export { buildReportDocument, type HtmlReportOptions, renderHtml, renderMarkdown } from "./document.ts";
export { foldSteps } from "./fold-steps.ts";
export { gradientTable } from "./gradient-tables.ts";
export { correctnessTable, stepTable, turnTable } from "./group-tables.ts";
export { columnLines, inputParts, sourceTable } from "./input.ts";
export { keyFigures } from "./key-figures.ts";
export { parityTable } from "./parity-tables.ts";
export { PARTS } from "./parts.ts";
export { SECTION_TITLES } from "./section-titles.ts";
export { renderTerminal } from "./terminal.ts";
export { probabilityTable } from "./token-tables.ts";
export { LEVELS, rankSeverity, worstReadings } from "./verdict-level.ts";
