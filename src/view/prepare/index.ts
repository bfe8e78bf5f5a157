/**
 * A run made ready for the viewer.
 *
 * @module
 */
export { ANSWER_FILES, type AnswerName } from "./build-cache.ts";
export type { ExactAnswers } from "./exact.ts";
export { parseQuestion } from "./exact-question.ts";
export { type FollowOptions, followRun } from "./follow-run.ts";
export type { PrepareOptions, TruthSource } from "./options.ts";
export { prepareRun } from "./prepare-run.ts";
export type { PreparedRun } from "./prepared-run.ts";
