/**
 * logratio: where, why and by how much two language-model policies disagree, token by token.
 *
 * This entry runs anywhere, browsers included: the record, mergeable summaries, the report, trainers' own metrics,
 * filters, errors. Other entries: `logratio/node` (files, whole runs), `logratio/kernels`, `logratio/corrections`,
 * `logratio/divergence`, `logratio/digits`, `logratio/kl`, `logratio/render`. What is under `logratio/internal` may
 * change in any release.
 *
 * @module
 */
export {
  type BatchFilter,
  batchFilter,
  type Filter,
  type Problem,
  parseFilter,
  type Term,
  type TokenTextColumn,
} from "./analyses/filter/index.ts";
export {
  buildReport,
  type ClusterKeys,
  pooledMetrics,
  type ReportInput,
  RunSummary,
  type RunSummaryJson,
} from "./analyses/report/index.ts";
export {
  EmptyInputError,
  type ErrorDetail,
  type ErrorsByTag,
  type ErrorTag,
  FileSystemError,
  type FloatArray,
  FormatError,
  type Fraction,
  formatPlace,
  isLogratioError,
  LengthMismatchError,
  LimitError,
  LogratioError,
  MissingSideError,
  type Nats,
  NotFoundError,
  type NumericArray,
  type Place,
  type Ratio,
  SchemaError,
  type SequenceIndex,
  type TokenIndex,
  UnsupportedError,
  UsageError,
  VersionError,
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
export {
  type Distribution,
  type Fact,
  type MismatchMetrics,
  type MismatchReport,
  REPORT_SCHEMA_VERSION,
  type SourceSummary,
  type StepMetrics,
  type TurnMetrics,
  type Verdict,
  type WorstSequence,
  type WorstToken,
} from "./results/index.ts";
export {
  type Discrepancy,
  type Metrics,
  mergeXtunerMetrics,
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
