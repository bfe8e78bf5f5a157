/**
 * A study of checkpoints under teacher forcing for terminals, Markdown and HTML.
 *
 * @module
 */

export { attentionTable, hiddenTable } from "./attention-tables.ts";
export { caseFacts } from "./case-facts.ts";
export {
  boundTable,
  checkpointTable,
  detailTable,
  policyTable,
  regionTable,
  rlProbeTable,
} from "./checkpoint-tables.ts";
export { type HeatColumn, type HeatText, heatLines, TOKEN_CHARACTERS } from "./heat-map-lines.ts";
export { renderKlHtml } from "./html.ts";
export { categoryPictures, correctnessPictures, type KlPicture, overviewPictures } from "./html-pictures.ts";
export { type KlMarkdownOptions, renderKlMarkdown } from "./markdown.ts";
export { spikeDistributionsTable, spikeDistributionTable, topProblemTables } from "./problem-tables.ts";
export { progressionLines, progressionTable, stageTable, turningTable } from "./progression-tables.ts";
export { choicesOf } from "./spike-choices.ts";
export { keyFigures, methodLines, SUPPORT } from "./summary.ts";
export { renderKlTerminal } from "./terminal.ts";
export {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "./test-tables.ts";
export { categoryProgressTable, categoryTable, spikeTable, tokenTable } from "./token-tables.ts";
