export { compactFloats, type FloatArray, isNumericArray, type NumericArray } from "./arrays.ts";
export { decodeBase64, encodeBase64 } from "./base64.ts";
export { ByteReader } from "./byte-reader.ts";
export { ByteWriter, type WrittenBytes } from "./byte-writer.ts";
export {
  ASCENDING,
  type Codec,
  FLAG,
  FLOAT,
  FLOATS,
  fieldsOf,
  listOf,
  mapOf,
  NAME,
  NUMBER,
  nullable,
  oneOf,
  optional,
  recordOf,
  SIGNED,
  TEXT,
  WHOLE,
  writtenAs,
} from "./codec.ts";
export { containError, recognizeMissingLibrary } from "./contain.ts";
export { crc32c, unmaskChecksum } from "./crc32c.ts";
export { dictionary } from "./dictionary.ts";
export {
  EmptyInputError,
  type ErrorDetail,
  type ErrorsByTag,
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
} from "./errors.ts";
export { fileSystemError, foreseenError, isSystemError } from "./file-system-errors.ts";
export { IdSpeller } from "./id-speller.ts";
export { isObject } from "./is-object.ts";
export { orNull, resultJson } from "./json.ts";
export { type Lines, putBefore, splitLines } from "./lines.ts";
export {
  checkMemory,
  DEFAULT_MEMORY_LIMIT,
  memoryExceeded,
  memoryLimit,
  setMemoryLimit,
} from "./memory-limit.ts";
export { positiveInteger } from "./positive-integer.ts";
export { joinBytes, lengthDelimited, varintBytes, varintField } from "./protobuf.ts";
export { sharedPath } from "./shared-path.ts";
export { quoteForShell, shellCommand } from "./shell-command.ts";
export { SpelledRoom, type SpelledTokens } from "./spelled-room.ts";
export { TOKEN_CLASSES, TOKEN_FLAGS, type TokenClass, tokenClass } from "./token-class.ts";
export { LARGEST_TOKEN_ID } from "./token-ids.ts";
export { Unavailable } from "./unavailable.ts";
export type { Fraction, Nats, Ratio, SequenceIndex, TokenIndex } from "./units.ts";
