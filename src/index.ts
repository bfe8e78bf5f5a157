/**
 * logratio: where, why and by how much two language-model policies disagree, token by token.
 *
 * This entry runs anywhere (browsers included): kernels, mergeable summaries, trainers' own metrics, the report.
 * Reading files is in `logratio/ingest`, file formats in `logratio/readers`.
 *
 * @module
 */

export * from "./analyses/report/index.ts";
export type { FloatArray, NumericArray } from "./core/base/index.ts";
export {
  EmptyInputError,
  type ErrorTag,
  FileSystemError,
  FormatError,
  formatPlace,
  isLogratioError,
  LengthMismatchError,
  LimitError,
  LogratioError,
  MissingSideError,
  NotFoundError,
  type Place,
  type RefusalReason,
  SchemaError,
  TextRefusedError,
  UnexpectedError,
  UnsupportedError,
  UsageError,
  VersionError,
} from "./core/base/index.ts";
export * from "./core/kernels/index.ts";
export * from "./core/schema/index.ts";
export * from "./core/summaries/index.ts";
export * from "./results/index.ts";
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
