/**
 * A run made ready for the viewer.
 *
 * @module
 */
export { stampAlertList, writeAlertList } from "./cache/alert-list.ts";
export { ANSWER_FILES, type AnswerName, CACHE_FACTS } from "./cache/cache-files.ts";
export {
  type CacheNotice,
  cachePlaces,
  dropOldCaches,
  makeCache,
  openCache,
  publishCache,
} from "./cache/cache-place.ts";
export { FileAppender } from "./cache/file-appender.ts";
export { readFilterChange } from "./cache/filter-list.ts";
export { digest, existing, packageVersion } from "./cache/inputs.ts";
export type { PrepareOptions, TruthSource } from "./cache/options.ts";
export { prepareRun } from "./cache/prepare-run.ts";
export type { OtherRun, PreparedRun } from "./cache/prepared-run.ts";
export { readPart } from "./cache/read-part.ts";
export { sealFiles } from "./cache/seal.ts";
export { readStarChange } from "./cache/star-list.ts";
export type { CorrectAnswers } from "./correct/answer.ts";
export { type Question, readQuestion } from "./correct/question.ts";
export { type FollowOptions, followRun } from "./follow/follow-run.ts";
export { sqlHelp } from "./sql/help.ts";
