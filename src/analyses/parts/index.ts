/**
 * Summaries of shards as files, made anywhere and merged: `.lrs` parts, how they are written, merged, and made a report.
 * For Node. Sums themselves belong in `core/summaries` and `analyses/report`.
 *
 * @module
 */
export { answerRequests } from "./answer-requests.ts";
export { type DivergencePart, logPart } from "./divergence-part.ts";
export { diagnosePart } from "./doctor-part.ts";
export {
  type DivergenceSums,
  decidesSums,
  type KindOptions,
  KlSums,
  parsePartKind,
  type ReportSums,
  type SumsByKind,
  type SweepSums,
} from "./kinds/index.ts";
export { mergeParts, mergePaths, PartMerger } from "./merge-parts.ts";
export type {
  FilterTally,
  Part,
  PartCall,
  PartInfo,
  PartKind,
  PartShard,
  RunPartKind,
  ShardSums,
} from "./part.ts";
export { decodePart, encodePart } from "./part-bytes.ts";
export { areParts, findParts, PART_SUFFIX, readPart, writePart } from "./part-files.ts";
export { collectFindings, partFindings } from "./part-findings.ts";
export { reportPart } from "./report-part.ts";
export { isPartName, type Summarized, type SummarizeProgress, summarizeInto } from "./summarize-into.ts";
export {
  makeEmptyPart,
  nameCall,
  openShardReader,
  refuseForeign,
  type ShardReader,
  type ShardToRead,
  type SummarizeOptions,
} from "./summarize-shards.ts";
export { type SweepPartOptions, sweepPart } from "./sweep-part.ts";
