/**
 * A mismatch report for terminals, Markdown and HTML. Its figures and sentences come from `src/analyses/report`;
 * nothing is computed here.
 *
 * @module
 */

export { verdictWord } from "../document/index.ts";
export { buildReportDocument, renderHtml, renderMarkdown } from "./document.ts";
export { allFiguresTable, baselineTable, distributionTable } from "./figure-tables.ts";
export { foldSteps } from "./fold-steps.ts";
export {
  gradientSequenceTable,
  gradientTable,
  gradientTokenTable,
  standoutTexts,
  withoutGradient,
} from "./gradient-tables.ts";
export {
  correctnessTable,
  engineTable,
  environmentTable,
  finishReasonTable,
  rankTable,
  stalenessTable,
  stepTable,
  turnTable,
} from "./group-tables.ts";
export { type Picture, sectionPictures, spreadPictures } from "./html-pictures.ts";
export { failedTests } from "./identity-tables.ts";
export { columnLines, inputParts, leftOutLines, sourceTable } from "./input.ts";
export { type KeyFigure, keyFigure, keyFigures, noInterval } from "./key-figures.ts";
export { METRIC_NAMES } from "./metric-names.ts";
export { parityTable, parityTables } from "./parity-tables.ts";
export { SECTION_TITLES } from "./section-titles.ts";
export { sequenceFigureTable, worstSequenceTable } from "./sequence-tables.ts";
export { renderTerminal } from "./terminal.ts";
export { positionTable, probabilityTable, tailSideTable, tailTable } from "./token-tables.ts";
export { LEVELS, rankSeverity, worstReadings } from "./verdict-level.ts";
export { type WordNow, wordNow } from "./word-now.ts";
