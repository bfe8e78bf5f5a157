/**
 * The result of scoring as a document.
 *
 * @module
 */
export { renderScoreTerminal } from "./document.ts";
