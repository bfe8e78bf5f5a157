/**
 * logratio: where, why and by how much two language-model policies disagree, token by token.
 *
 * This entry runs anywhere (browsers included): kernels, mergeable summaries, trainers' own metrics, the report.
 * Reading files is in `logratio/ingest`, file formats in `logratio/readers`.
 *
 * @module
 */

export * from "./analysis/index.ts";
export type { FloatArray, NumericArray } from "./base/arrays.ts";
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
} from "./base/errors.ts";
export * from "./kernels/index.ts";
export * from "./parity/index.ts";
export * from "./protocol/index.ts";
export * from "./schema/index.ts";
export * from "./summaries/index.ts";
