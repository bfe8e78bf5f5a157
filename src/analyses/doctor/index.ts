/**
 * The doctor: which cause explains the mismatch of a run, with what probability and evidence, and what to do. Features
 * are measured in one pass and can be merged; causes turn features into evidence. Sentences for terminals and pages
 * belong in `src/render/doctor`.
 *
 * @module
 */
export { Doctor } from "./doctor.ts";
export { fillPaths } from "./fill-paths.ts";
export type { SampledRow } from "./sample/row.ts";
export { judgeServed, type NamedCheckpoint, type RescoredRow } from "./served/judge-served.ts";
