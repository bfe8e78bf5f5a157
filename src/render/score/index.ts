/**
 * What scoring did, as text.
 *
 * @module
 */
export { renderScoreTerminal } from "./terminal.ts";
