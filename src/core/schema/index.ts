/**
 * The record: its columns, how drafts become batches, how batches are stored on disk.
 *
 * @module
 */
export type { Fraction, Nats, Ratio, SequenceIndex, TokenIndex } from "../base/units.ts";
export {
  type BuilderOptions,
  createRecordBuilder,
  DEFAULT_BATCH_TOKENS,
  MOST_TEXT,
  type RecordBuilder,
} from "./builder.ts";
export { COLUMN_FLAGS } from "./column-flags.ts";
export {
  type Finding,
  type FindingCode,
  type FindingData,
  FindingLog,
  type Omission,
  type OmissionReason,
  type Severity,
  type StatedSides,
  unreadableRows,
} from "./findings.ts";
export { areSurelyIds } from "./packed-column.ts";
export {
  type LayoutColumn,
  LIST_COLUMNS,
  layoutColumns,
  ORIGIN_COLUMNS,
  POLICY_PREFIXES,
  SAMPLING_COLUMNS,
  SCALAR_COLUMNS,
  SIDE_FACTS,
  SIDE_NAMES,
} from "./parquet-layout.ts";
export {
  type ArrayPlaces,
  DIGITS,
  formatHandle,
  HANDLE_PATTERN,
  type Handle,
  type Provenance,
  READ_AS_MISSING,
  type RecordBatch,
  readHandle,
  type Sampling,
  type SideFacts,
  type Sides,
  type SourceDetails,
  type TopK,
} from "./record.ts";
export { releaseBatch } from "./release-batch.ts";
export { type RowFacts, rowFacts } from "./row-facts.ts";
export {
  findMisfit,
  type Misfit,
  type Origin,
  type PromptLogprobs,
  type SequenceDraft,
  type TopKDraft,
} from "./sequence-draft.ts";
export {
  nameInVersion,
  readVersion,
  SCHEMA_VERSION,
  UPGRADES,
  type Upgrade,
  VERSION_KEY,
  WRITER_KEY,
} from "./version.ts";
export { relateWeights, type WeightRelation, weightKeys } from "./weight-digest.ts";
