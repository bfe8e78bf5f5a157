/**
 * logratio: where, why and by how much two language-model policies disagree, token by token.
 *
 * This entry runs anywhere, browsers included: the record, mergeable summaries, the report, trainers' own metrics,
 * errors, told apart by `isLogratioError`. Other entries: `logratio/node` (files, whole runs), `logratio/kernels`, `logratio/corrections`,
 * `logratio/divergence`, `logratio/digits`, `logratio/kl`, `logratio/render`. What is under `logratio/internal` may
 * change in any release.
 *
 * @module
 */
export {
  buildReport,
  type ClusterKeys,
  pooledMetrics,
  type ReportInput,
  RunSummary,
  type RunSummaryJson,
  type RunSummaryOptions,
} from "./analyses/report/index.ts";
export {
  type EmptyInputError,
  type ErrorDetail,
  type ErrorsByTag,
  type ErrorTag,
  type FileSystemError,
  type FloatArray,
  type FormatError,
  type Fraction,
  formatPlace,
  isLogratioError,
  type LengthMismatchError,
  type LimitError,
  type LogratioError,
  type MissingSideError,
  type Nats,
  type NotFoundError,
  type NumericArray,
  type Place,
  type Ratio,
  type SchemaError,
  type SequenceIndex,
  type TokenIndex,
  type UnsupportedError,
  type UsageError,
  type VersionError,
} from "./core/base/index.ts";
export type { MaskedTokens, TokenBlock } from "./core/kernels/index.ts";
export {
  type BuilderOptions,
  createRecordBuilder,
  type Finding,
  type FindingCode,
  type Handle,
  type PromptLogprobs,
  type Provenance,
  type RecordBatch,
  type RecordBuilder,
  type Sampling,
  SCHEMA_VERSION,
  type SequenceDraft,
  type Severity,
  type TopK,
} from "./core/schema/index.ts";
export {
  MismatchSummary,
  type MismatchSummaryJson,
  type SummaryOptions,
  type TurnSums,
} from "./core/summaries/index.ts";
export type {
  Distribution,
  Fact,
  MismatchMetrics,
  MismatchReport,
  SourceSummary,
  StepMetrics,
  TurnMetrics,
  Verdict,
} from "./results/report.ts";
export type { WorstSequence, WorstToken } from "./results/worst.ts";
export {
  type Discrepancy,
  type Metrics,
  PARITY_TRAINERS,
  type PaddedBatch,
  type ParityBatch,
  type ParityTrainer,
  packPadded,
  verlDebugMetrics,
  verlOffpolicyMetrics,
  verlPerRoundMetrics,
  xtunerMismatchMetrics,
} from "./trainers/index.ts";
