/**
 * Errors sent between threads: a structured clone loses their class and every field but the message.
 *
 * @module
 */
import {
  EmptyInputError,
  type ErrorDetail,
  type ErrorTag,
  FileSystemError,
  FormatError,
  isLogratioError,
  isSystemError,
  LengthMismatchError,
  LimitError,
  type LogratioError,
  MissingSideError,
  NotFoundError,
  type Place,
  SchemaError,
  TextRefusedError,
  UnexpectedError,
  UnsupportedError,
  UsageError,
  VersionError,
} from "../../core/base/index.ts";

const CLASSES: Readonly<Record<ErrorTag, new (message: string, detail: ErrorDetail) => LogratioError>> = {
  FormatError,
  SchemaError,
  LengthMismatchError,
  UnsupportedError,
  VersionError,
  LimitError,
  MissingSideError,
  EmptyInputError,
  FileSystemError,
  NotFoundError,
  UnexpectedError,
  UsageError,
  TextRefusedError,
};

/** An error as plain data; has a `tag` only if it is a logratio error. */
export interface ErrorData {
  readonly message: string;
  readonly name: string;
  readonly stack: string | undefined;
  readonly tag?: ErrorTag;
  readonly at?: Place;
  readonly likely?: string | undefined;
  readonly hint?: string | undefined;
  /** Known fields of its class: what was found, expected, supported, the limit. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** Fields of a system error: its code, the call, the path. */
  readonly system?: Readonly<Record<string, string | number>> | undefined;
}

export function packError(error: unknown): ErrorData {
  if (!(error instanceof Error)) return { message: String(error), name: "Error", stack: undefined };
  const { message, name, stack } = error;
  if (!isLogratioError(error)) return { message, name, stack, system: pickSystem(error) };
  const { _tag: tag, at, likely, hint } = error;
  const known = Object.entries(error).filter(
    (entry): entry is [string, number] => NUMBERS.includes(entry[0]) && typeof entry[1] === "number",
  );
  return { message, name, stack, tag, at, likely, hint, numbers: Object.fromEntries(known) };
}

const NUMBERS = ["found", "expected", "supported", "limit", "needed"];

const SYSTEM = ["code", "errno", "syscall", "path", "dest"] as const;

function pickSystem(error: Error): Record<string, string | number> | undefined {
  if (!isSystemError(error)) return undefined;
  const own: Partial<Record<(typeof SYSTEM)[number], unknown>> = error;
  return Object.fromEntries(
    SYSTEM.flatMap((name) => {
      const value = own[name];
      return typeof value === "string" || typeof value === "number" ? [[name, value] as const] : [];
    }),
  );
}

/** Restores an error: a logratio error regains its class, place, cause and hint. */
export function unpackError(data: ErrorData): Error {
  const { message, name, stack, tag, at, likely, hint, numbers, system } = data;
  const error =
    tag === undefined
      ? new Error(message)
      : new CLASSES[tag](message, {
          ...(at !== undefined && { at }),
          ...(likely !== undefined && { likely }),
          ...(hint !== undefined && { hint }),
          ...numbers,
        });
  if (system !== undefined) Object.assign(error, system);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
