/**
 * Summaries of shards as files, made anywhere and merged: `.lrs` parts, how they are written, merged, and made a report.
 * For Node. Sums themselves belong in `core/summaries` and `analyses/report`.
 *
 * @module
 */
export { answerRequests } from "./answer-requests.ts";
export { logPart } from "./divergence-part.ts";
export { diagnosePart } from "./doctor-part.ts";
export {
  decidesSums,
  type KindOptions,
  KlSums,
  parsePartKind,
  type ReportSums,
  type SumsByKind,
} from "./kinds/index.ts";
export { mergeParts, mergePaths, PartMerger } from "./merge-parts.ts";
export type { Part, PartCall, PartKind, PartShard } from "./part.ts";
export { areParts, findParts, writePart } from "./part-files.ts";
export { collectFindings, partFindings } from "./part-findings.ts";
export { reportPart } from "./report-part.ts";
export { isPartName, summarizeInto } from "./summarize-into.ts";
export {
  makeEmptyPart,
  nameCall,
  openShardReader,
  refuseForeign,
  type ShardReader,
  type ShardToRead,
  type SummarizeOptions,
} from "./summarize-shards.ts";
export { sweepPart } from "./sweep-part.ts";
