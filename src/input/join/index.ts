/**
 * Joins two sources with one policy's log-probs each into drafts with both sides: by id, group, prompt or tokens.
 *
 * @module
 */
export { type JoinOptions, type JoinSide, joinSides } from "./join-sides.ts";
export { PromptSums } from "./prompt-sums.ts";
