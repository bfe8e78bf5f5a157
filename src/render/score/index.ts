/**
 * The result of scoring as a document.
 *
 * @module
 */
export { buildScoreDocument, renderScoreTerminal } from "./document.ts";
