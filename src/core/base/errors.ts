/**
 * Errors that a caller can tell apart: every failure that logratio foresees is a {@link LogratioError} with a
 * `_tag`, the place where it happened, the likely cause and the next thing to try.
 *
 * @module
 */

/** Where something was found: only the parts that are known. */
export interface Place {
  readonly file?: string;
  /** A member of an archive, a tensor's name, a column. */
  readonly entry?: string;
  /** Zero-based row (sequence) within the file. */
  readonly row?: number;
  /** One-based line within a text file. */
  readonly line?: number;
  /** Byte offset from the start of the (decompressed) file. */
  readonly offset?: number;
}

export interface ErrorDetail {
  readonly at?: Place;
  /** Why this most likely happened. */
  readonly likely?: string;
  /** What to try next. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export type ErrorTag =
  | "FormatError"
  | "SchemaError"
  | "LengthMismatchError"
  | "UnsupportedError"
  | "VersionError"
  | "LimitError"
  | "MissingSideError"
  | "EmptyInputError"
  | "NotFoundError"
  | "FileSystemError"
  | "TextRefusedError"
  | "UnexpectedError"
  | "UsageError";

/** The base of every error that logratio raises on purpose. */
export abstract class LogratioError extends Error {
  abstract readonly _tag: ErrorTag;
  readonly at: Place;
  readonly likely: string | undefined;
  readonly hint: string | undefined;

  constructor(message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = new.target.name;
    this.at = detail.at ?? {};
    this.likely = detail.likely;
    this.hint = detail.hint;
  }
}

/** The bytes are not what the format says they must be: truncated, corrupt, not that format. */
export class FormatError extends LogratioError {
  readonly _tag = "FormatError";
}

/** The file reads, but a column is missing, has another type, or holds values it must not hold. */
export class SchemaError extends LogratioError {
  readonly _tag = "SchemaError";
}

/** Two columns that must align token by token have different lengths or shapes. */
export class LengthMismatchError extends LogratioError {
  readonly _tag = "LengthMismatchError";
}

/** A format, dtype or feature that logratio knows of and does not read. */
export class UnsupportedError extends LogratioError {
  readonly _tag = "UnsupportedError";
}

/** A logratio record or summary written by a newer version. */
export class VersionError extends LogratioError {
  readonly _tag = "VersionError";
}

/** A declared size passes a safety limit, or the bytes that are there. */
export class LimitError extends LogratioError {
  readonly _tag = "LimitError";
}

/** Only one policy's log-probs are there. */
export class MissingSideError extends LogratioError {
  readonly _tag = "MissingSideError";
}

/** Nothing to read: an empty file, a directory without data, a mask without a single 1. */
export class EmptyInputError extends LogratioError {
  readonly _tag = "EmptyInputError";
}

/** A path that does not exist or cannot be opened. */
export class NotFoundError extends LogratioError {
  readonly _tag = "NotFoundError";
}

/** The system refused to read or write: no permission, a full or read-only disk, too many open files, a failing device. */
export class FileSystemError extends LogratioError {
  readonly _tag = "FileSystemError";
}

/** A mistake in logratio that one input met; made by `containError`, so that the others are read all the same. */
export class UnexpectedError extends LogratioError {
  readonly _tag = "UnexpectedError";
}

/** The command line or an option contradicts itself; raised before any data is read. */
export class UsageError extends LogratioError {
  readonly _tag = "UsageError";
}

/** Why one text was not scored by a policy: what refusals are counted by. */
export type RefusalReason =
  | "empty-response"
  | "context-length"
  | "unknown-token"
  | "fewer-tokens"
  | "other-tokens"
  | "no-logprobs"
  | "server-refused"
  | "server-failed"
  | "no-logits"
  | "too-large"
  | "non-finite"
  | "other";

/** One text cannot be scored by one policy; others can be. */
export class TextRefusedError extends LogratioError {
  readonly _tag = "TextRefusedError";
  readonly reason: RefusalReason;

  constructor(message: string, detail: ErrorDetail & { readonly reason?: RefusalReason } = {}) {
    super(message, detail);
    this.reason = detail.reason ?? "other";
  }
}

interface ByTag {
  FormatError: FormatError;
  SchemaError: SchemaError;
  LengthMismatchError: LengthMismatchError;
  UnsupportedError: UnsupportedError;
  VersionError: VersionError;
  LimitError: LimitError;
  MissingSideError: MissingSideError;
  EmptyInputError: EmptyInputError;
  NotFoundError: NotFoundError;
  FileSystemError: FileSystemError;
  UnexpectedError: UnexpectedError;
  UsageError: UsageError;
  TextRefusedError: TextRefusedError;
}

/**
 * Narrows an unknown error to one of logratio's, optionally to one tag.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { FormatError, isLogratioError } from "logratio";
 *
 * const error: unknown = new FormatError("npy header is cut off", { at: { file: "a.npy", offset: 10 } });
 * assert(isLogratioError(error, "FormatError"));
 * assert.equal(error.at.offset, 10);
 * ```
 */
export function isLogratioError(error: unknown): error is LogratioError;
export function isLogratioError<T extends ErrorTag>(error: unknown, tag: T): error is ByTag[T];
export function isLogratioError(error: unknown, tag?: ErrorTag): boolean {
  return error instanceof LogratioError && (tag === undefined || error._tag === tag);
}

/** `file[entry], row 3, line 4, byte 512`; the empty string when nothing is known. */
export function formatPlace(at: Place): string {
  const parts: string[] = [];
  if (at.file !== undefined) parts.push(at.entry === undefined ? at.file : `${at.file}[${at.entry}]`);
  else if (at.entry !== undefined) parts.push(at.entry);
  if (at.row !== undefined) parts.push(`row ${at.row}`);
  if (at.line !== undefined) parts.push(`line ${at.line}`);
  if (at.offset !== undefined) parts.push(`byte ${at.offset}`);
  return parts.join(", ");
}
