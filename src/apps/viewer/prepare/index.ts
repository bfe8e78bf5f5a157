/**
 * A run made ready for the viewer.
 *
 * @module
 */
export { ANSWER_FILES, type AnswerName } from "./cache/build-cache.ts";
export type { PrepareOptions, TruthSource } from "./cache/options.ts";
export { prepareRun } from "./cache/prepare-run.ts";
export type { PreparedRun } from "./cache/prepared-run.ts";
export type { ExactAnswers } from "./exact/exact.ts";
export { parseQuestion } from "./exact/exact-question.ts";
export { type FollowOptions, followRun } from "./follow/follow-run.ts";
