/**
 * Errors that cross from one thread to another: structured clones lose their class and all fields but the message.
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

/** An error as plain data; `tag` only where it is one of logratio's. */
export interface ErrorData {
  readonly message: string;
  readonly name: string;
  readonly stack: string | undefined;
  readonly tag?: ErrorTag;
  readonly at?: Place;
  readonly likely?: string | undefined;
  readonly hint?: string | undefined;
}

export function packError(error: unknown): ErrorData {
  if (!(error instanceof Error)) return { message: String(error), name: "Error", stack: undefined };
  const { message, name, stack } = error;
  if (!isLogratioError(error)) return { message, name, stack };
  return { message, name, stack, tag: error._tag, at: error.at, likely: error.likely, hint: error.hint };
}

/** The error again: of its class, with its place, cause and hint, where it is one of logratio's. */
export function unpackError({ message, name, stack, tag, at, likely, hint }: ErrorData): Error {
  const error =
    tag === undefined
      ? new Error(message)
      : new CLASSES[tag](message, {
          ...(at !== undefined && { at }),
          ...(likely !== undefined && { likely }),
          ...(hint !== undefined && { hint }),
        });
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
