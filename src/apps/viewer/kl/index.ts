/**
 * A study of checkpoints made ready for the viewer.
 *
 * @module
 */
export { isStudy, type PrepareStudyOptions, prepareStudy } from "./prepare-study.ts";
export type { PreparedStudy, StudyAnswerName } from "./prepared-study.ts";
