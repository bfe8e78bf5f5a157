/**
 * A study of checkpoints under teacher forcing as a document.
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
export { continuationTable, groupContinuations, tellOutcome } from "./continuation-tables.ts";
export { buildKlDocument, renderKlHtml, renderKlMarkdown, renderKlTerminal } from "./document.ts";
export { klFigures } from "./figures.ts";
export { followUpPictures } from "./follow-up-pictures.ts";
export { gradientTable, tellDependence } from "./gradient-tables.ts";
export { type HeatColumn, type HeatText, heatLines, TOKEN_CHARACTERS } from "./heat-map-lines.ts";
export { categoryPictures, correctnessPictures, type KlPicture, overviewPictures } from "./html-pictures.ts";
export { spikeDistributionsTable, spikeDistributionTable, topProblemTables } from "./problem-tables.ts";
export { progressionLines, progressionTable, stageTable, turningTable } from "./progression-tables.ts";
export { listChoices } from "./spike-choices.ts";
export { keyFigures, methodLines, SUPPORT } from "./summary.ts";
export {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "./test-tables.ts";
export { categoryProgressTable, categoryTable, spikeTable, tokenTable } from "./token-tables.ts";
