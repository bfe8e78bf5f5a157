/**
 * Errors that a caller can tell apart: every failure that logratio foresees is a {@link LogratioError} with a
 * `_tag`, the place where it happened, the likely cause and the next thing to try.
 *
 * @module
 */

import { joinLines, type Lines } from "./lines.ts";

/** Where something was found: only the parts that are known. */
export interface Place {
  /** The path, as it was given or found. */
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

/** Details of an error besides its message. */
export interface ErrorDetail {
  /** File, entry, row, line or byte at which it went wrong. */
  readonly at?: Place;
  /** Why this most likely happened: a line, in which line breaks are written out, or a list of lines. */
  readonly likely?: Lines;
  /** What to try next: a line, or a list of lines. */
  readonly hint?: Lines;
  /** The error behind this one. */
  readonly cause?: unknown;
}

/** The `_tag` of each error that logratio throws on purpose: the name of its class. */
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

/**
 * The base of every error that logratio throws on purpose. Any other error is a bug.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError, packPadded } from "logratio";
 *
 * const batch = { rollout_log_probs: [[-1, -2]], old_log_probs: [[-1]] };
 * assert.throws(
 *   () => packPadded(batch),
 *   (error) => isLogratioError(error) && error._tag === "LengthMismatchError" && error.at.row === 0,
 * );
 * ```
 */
export abstract class LogratioError extends Error {
  /** Identifies errors, even if two copies of this package make `instanceof` fail. */
  abstract readonly _tag: ErrorTag;
  /** Where it happened; empty when nothing is known. */
  readonly at: Place;
  /** Why this most likely happened. */
  readonly likely: string | undefined;
  /** What to try next. */
  readonly hint: string | undefined;

  /** @param message a line, in which line breaks are written out, or a list of lines */
  constructor(message: Lines, detail: ErrorDetail = {}) {
    super(joinLines(message), detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = new.target.name;
    this.at = detail.at ?? {};
    this.likely = detail.likely === undefined ? undefined : joinLines(detail.likely);
    this.hint = detail.hint === undefined ? undefined : joinLines(detail.hint);
  }
}

/**
 * The bytes are not what the format says they must be: truncated, corrupt, not that format.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { memorySource, openDocument } from "logratio/node";
 *
 * const bytes = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118); // ends within an npy header
 * await assert.rejects(
 *   openDocument(memorySource("cut-off.npy", bytes)),
 *   (error) => isLogratioError(error, "FormatError"),
 * );
 * ```
 */
export class FormatError extends LogratioError {
  readonly _tag = "FormatError";
}

/**
 * The file is readable, but a column is missing, has another type, or holds invalid values.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { applyCorrection } from "logratio/corrections";
 *
 * const block = {
 *   rollout: Float32Array.of(-1),
 *   trainer: Float32Array.of(-2),
 *   mask: Uint8Array.of(1),
 *   offsets: Int32Array.of(0, 1),
 * };
 * const measure = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
 * const byAdvantage = { steps: [{ action: "mask", measure, upper: 2, when: "negative" }] } as const;
 * assert.throws(
 *   () => applyCorrection(block, byAdvantage), // the block has no advantages
 *   (error) => isLogratioError(error, "SchemaError"),
 * );
 * ```
 */
export class SchemaError extends LogratioError {
  readonly _tag = "SchemaError";
}

/**
 * Two columns that must align token by token have different lengths or shapes.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError, packPadded } from "logratio";
 *
 * try {
 *   packPadded({ rollout_log_probs: [[-1, -2]], old_log_probs: [[-1]] });
 *   assert.fail("the rows differ in length");
 * } catch (error) {
 *   assert(isLogratioError(error, "LengthMismatchError"));
 *   assert.deepEqual([error.found, error.expected], [1, 2]);
 * }
 * ```
 */
export class LengthMismatchError extends LogratioError {
  readonly _tag = "LengthMismatchError";
  /** The column's elements, rows or columns, as the message says; undefined when no single number applies. */
  readonly found: number | undefined;
  /** The expected number, in the same unit. */
  readonly expected: number | undefined;

  constructor(
    message: Lines,
    detail: ErrorDetail & { readonly found?: number; readonly expected?: number } = {},
  ) {
    super(message, detail);
    this.found = detail.found;
    this.expected = detail.expected;
  }
}

/**
 * A format, dtype or feature that logratio recognizes but does not support.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { memorySource, openDocument } from "logratio/node";
 *
 * const header = "{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}\n"; // complex numbers
 * const npy = `\x93NUMPY\x01\x00${String.fromCharCode(header.length)}\x00${header}`;
 * const bytes = Uint8Array.from(npy, (character) => character.charCodeAt(0));
 * await assert.rejects(
 *   openDocument(memorySource("complex.npy", bytes)),
 *   (error) => isLogratioError(error, "UnsupportedError"),
 * );
 * ```
 */
export class UnsupportedError extends LogratioError {
  readonly _tag = "UnsupportedError";
}

/**
 * A logratio record or summary of a version that this logratio does not read.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError, MismatchSummary } from "logratio";
 *
 * const json = new MismatchSummary().toJSON();
 * const newer = { ...json, version: json.version + 1 } as typeof json;
 * try {
 *   MismatchSummary.fromJSON(newer);
 *   assert.fail("a newer logratio wrote it");
 * } catch (error) {
 *   assert(isLogratioError(error, "VersionError"));
 *   assert.deepEqual([error.found, error.supported], [json.version + 1, json.version]);
 * }
 * ```
 */
export class VersionError extends LogratioError {
  readonly _tag = "VersionError";
  /** The version that the data declare. */
  readonly found: number | undefined;
  /** The newest version that this logratio reads. */
  readonly supported: number | undefined;

  constructor(
    message: Lines,
    detail: ErrorDetail & { readonly found?: number; readonly supported?: number } = {},
  ) {
    super(message, detail);
    this.found = detail.found;
    this.supported = detail.supported;
  }
}

/**
 * A declared size exceeds a safety limit, or the size of the data.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { memorySource, openDocument } from "logratio/node";
 *
 * // Declares a header of 2,000,000 bytes.
 * const bytes = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 2, 0, 0x80, 0x84, 0x1e, 0);
 * await assert.rejects(
 *   openDocument(memorySource("huge.npy", bytes)),
 *   (error) => isLogratioError(error, "LimitError") && error.needed === 2_000_000 && error.limit === 65_536,
 * );
 * ```
 */
export class LimitError extends LogratioError {
  readonly _tag = "LimitError";
  /** The limit in bytes, values or levels, as the message says; undefined when no single number applies. */
  readonly limit: number | undefined;
  /** The requested amount, in the same unit; undefined when reading stopped at the limit. */
  readonly needed: number | undefined;

  constructor(
    message: Lines,
    detail: ErrorDetail & { readonly limit?: number; readonly needed?: number } = {},
  ) {
    super(message, detail);
    this.limit = detail.limit;
    this.needed = detail.needed;
  }
}

/**
 * Only one policy's log-probs are present.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createRecordBuilder, isLogratioError, RunSummary } from "logratio";
 *
 * const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
 * const builder = createRecordBuilder({ provenance });
 * builder.push({ length: 1, responseMask: Uint8Array.of(1), rolloutLogprobs: Float32Array.of(-0.5) });
 * assert.throws(
 *   () => new RunSummary().add(builder.flush()),
 *   (error) => isLogratioError(error, "MissingSideError"),
 * );
 * ```
 */
export class MissingSideError extends LogratioError {
  readonly _tag = "MissingSideError";
}

/**
 * Nothing to read: an empty file, a directory without data, a mask without a single 1.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { reportRun } from "logratio/node";
 *
 * await assert.rejects(
 *   reportRun(["examples/demo/stale"], { filter: "step:999" }),
 *   (error) => isLogratioError(error, "EmptyInputError"),
 * );
 * ```
 */
export class EmptyInputError extends LogratioError {
  readonly _tag = "EmptyInputError";
}

/**
 * A path that does not exist or cannot be opened.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { openRun } from "logratio/node";
 *
 * await assert.rejects(openRun(["no/such/directory"]), (error) => isLogratioError(error, "NotFoundError"));
 * ```
 */
export class NotFoundError extends LogratioError {
  readonly _tag = "NotFoundError";
}

/**
 * The system refused to read or write: no permission, a full or read-only disk, too many open files, a failing device.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { openFile } from "logratio/node";
 *
 * const tooLong = "x".repeat(5000); // longer than any name that the system accepts
 * await assert.rejects(openFile(tooLong), (error) => isLogratioError(error, "FileSystemError"));
 * ```
 */
export class FileSystemError extends LogratioError {
  readonly _tag = "FileSystemError";
}

/** A bug in logratio that an input triggered; made by `containError`, so that other inputs are still read. */
export class UnexpectedError extends LogratioError {
  readonly _tag = "UnexpectedError";
}

/**
 * An argument, a flag or an option is invalid or contradicts another; thrown before any data is read.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { presetNamed } from "logratio/corrections";
 *
 * assert.throws(() => presetNamed("no-such-trainer"), (error) => isLogratioError(error, "UsageError"));
 * ```
 */
export class UsageError extends LogratioError {
  readonly _tag = "UsageError";
}

/** Why a policy did not score a text; refusals are counted by it. */
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

/** A policy cannot score this text, but can score others. */
export class TextRefusedError extends LogratioError {
  readonly _tag = "TextRefusedError";
  readonly reason: RefusalReason;

  constructor(message: Lines, detail: ErrorDetail & { readonly reason?: RefusalReason } = {}) {
    super(message, detail);
    this.reason = detail.reason ?? "other";
  }
}

/** The class behind each tag. */
export interface ErrorsByTag {
  /** Bytes that violate their format. */
  FormatError: FormatError;
  /** A readable file with missing or wrong columns. */
  SchemaError: SchemaError;
  /** Columns that should have equal lengths but do not. */
  LengthMismatchError: LengthMismatchError;
  /** An unsupported format or feature of a format. */
  UnsupportedError: UnsupportedError;
  /** A file that a newer version of logratio wrote. */
  VersionError: VersionError;
  /** More than a limit allows, such as memory. */
  LimitError: LimitError;
  /** Only one policy's log-probs. */
  MissingSideError: MissingSideError;
  /** Nothing to read: no file, no row, no token. */
  EmptyInputError: EmptyInputError;
  /** A path or an address that does not exist. */
  NotFoundError: NotFoundError;
  /** A refusal of the operating system. */
  FileSystemError: FileSystemError;
  /** A bug in logratio that an input triggered. */
  UnexpectedError: UnexpectedError;
  /** Invalid flags or options. */
  UsageError: UsageError;
  /** A text that a policy cannot score. */
  TextRefusedError: TextRefusedError;
}

/**
 * Narrows an unknown error to one of logratio's, optionally to one tag.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isLogratioError } from "logratio";
 * import { reportRun } from "logratio/node";
 *
 * const error: unknown = await reportRun("no/such/directory").catch((reason: unknown) => reason);
 * assert(isLogratioError(error, "NotFoundError"));
 * assert.equal(error.at.file, "no/such/directory");
 * ```
 *
 * @param tag the name of its class
 * @returns whether it is one; then its fields are typed
 */
export function isLogratioError(error: unknown): error is LogratioError;
export function isLogratioError<T extends ErrorTag>(error: unknown, tag: T): error is ErrorsByTag[T];
export function isLogratioError(error: unknown, tag?: ErrorTag): boolean {
  return error instanceof LogratioError && (tag === undefined || error._tag === tag);
}

/**
 * Formats a place for people: `file[entry], row 3, line 4, byte 512`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { formatPlace } from "logratio";
 *
 * assert.equal(formatPlace({ file: "a.npz", entry: "rewards", row: 3 }), "a.npz[rewards], row 3");
 * ```
 *
 * @returns the parts that are known; the empty string when none is
 */
export function formatPlace(at: Place): string {
  const parts: string[] = [];
  if (at.file !== undefined) parts.push(at.entry === undefined ? at.file : `${at.file}[${at.entry}]`);
  else if (at.entry !== undefined) parts.push(at.entry);
  if (at.row !== undefined) parts.push(`row ${at.row}`);
  if (at.line !== undefined) parts.push(`line ${at.line}`);
  if (at.offset !== undefined) parts.push(`byte ${at.offset}`);
  return parts.join(", ");
}
