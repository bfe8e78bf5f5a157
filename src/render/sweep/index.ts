/**
 * The report of a sweep as a document.
 *
 * @module
 */
export { renderSweepMarkdown, renderSweepTerminal } from "./document.ts";
export type { RowChoice } from "./rows.ts";
