/**
 * A study of checkpoints under teacher forcing as a document.
 *
 * @module
 */

export { caseFacts } from "./case-facts.ts";
export { buildKlDocument, renderKlHtml, renderKlMarkdown, renderKlTerminal } from "./document.ts";
export { klFigures } from "./figures.ts";
export { type HeatColumn, type HeatText, heatLines, TOKEN_CHARACTERS } from "./heat-map-lines.ts";
export { listChoices } from "./spike-choices.ts";
