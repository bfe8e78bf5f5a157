/**
 * The answer about a run as words: rows that every medium shows, and the first screen of a terminal.
 *
 * @module
 */

export type { AnswerRow } from "./answer-row.ts";
export { answerBlocks } from "./blocks.ts";
export { drawAnswerScreen } from "./first-screen.ts";
export { type KeyRow, keyRows } from "./key-rows.ts";
export { answerRows, namePart, sayCauses, sayWhere } from "./rows.ts";
