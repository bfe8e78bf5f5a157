/**
 * A run made ready for the viewer.
 *
 * @module
 */
export { ANSWER_FILES, type AnswerName } from "./build-cache.ts";
export { parseQuestion } from "./exact.ts";
export { type FollowOptions, followRun } from "./follow-run.ts";
export type { PrepareOptions, TruthSource } from "./options.ts";
export { prepareRun } from "./prepare-run.ts";
export type { PreparedRun } from "./prepared-run.ts";
