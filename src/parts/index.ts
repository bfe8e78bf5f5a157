/**
 * Summaries of shards as files, which can be made anywhere and merged: how `.lrs` parts are written, merged and turned
 * into a report. For Node. Sums themselves belong in `core/summaries` and `analyses/report`.
 *
 * @module
 */
export { answerRequests } from "./answer-requests.ts";
export { logPart } from "./divergence-part.ts";
export { diagnosePart } from "./doctor-part.ts";
export { decidesSums, parsePartKind, type ReportSums, type SumsByKind } from "./kinds/index.ts";
export { reportStudies } from "./kl-part.ts";
export { type KlRunOptions, klRun } from "./kl-run.ts";
export { mergeParts, mergePaths } from "./merge-parts.ts";
export type { Part, PartKind } from "./part.ts";
export { areParts, findParts, writePart } from "./part-files.ts";
export { partFindings } from "./part-findings.ts";
export { reportPart } from "./report-part.ts";
export { openAnyShards } from "./study-shards.ts";
export { isPartName, summarizeInto } from "./summarize-into.ts";
export type { ShardReader, SummarizeOptions } from "./summarize-shards.ts";
export { sweepPart } from "./sweep-part.ts";
