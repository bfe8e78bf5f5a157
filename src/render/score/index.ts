/**
 * What scoring did.
 *
 * @module
 */
export { buildScoreDocument, renderScoreTerminal } from "./document.ts";
