/**
 * Turns unforeseen errors of reading an input into errors with a tag, so that they end the reading of that input only.
 *
 * @module
 */
import { LimitError, LogratioError, type Place, UnexpectedError, UnsupportedError } from "./errors.ts";
import { foreseenError } from "./file-system-errors.ts";

/** Messages of V8 and Node when an array, a text or a map cannot be made large enough. */
const TOO_LARGE =
  /^(?:Invalid (?:typed )?array (?:buffer )?length|Invalid typed array length: .*|Array buffer allocation failed|Invalid string length|Cannot create a string longer than .*|(?:Map|Set) maximum size exceeded|could not allocate memory|WebAssembly\.Memory.*)$/;

/** Messages of Node and DuckDB's loader when the installation has no native library for the machine. */
const NO_DUCKDB =
  /Cannot find (?:module|package) '@duckdb\/node-bindings|Error loading duckdb native binding/;

/** The error for a missing native library of DuckDB; undefined for any other. */
export function recognizeMissingLibrary(error: unknown, at: Place = {}): UnsupportedError | undefined {
  if (!(error instanceof Error) || !NO_DUCKDB.test(error.message)) return undefined;
  return new UnsupportedError(
    "Parquet and SQL need DuckDB's native library, which is not part of this installation",
    {
      at,
      likely: "logratio was installed from its source distribution, or without optional dependencies",
      hint: "install a wheel for this platform (pip install --only-binary logratio logratio), or from npm with --include=optional",
      cause: error,
    },
  );
}

/**
 * Any error as one with a tag. Errors with a tag are returned unchanged; exhausted memory becomes a {@link
 * LimitError}; anything else is a bug in logratio and is reported as such, with what to send.
 *
 * @param what the name of the input in the message
 */
export function containError(error: unknown, at: Place, what = "file"): LogratioError {
  if (error instanceof LogratioError) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof Error && TOO_LARGE.test(error.message)) {
    return new LimitError(`this ${what} asks for more memory at once than is available: ${error.message}`, {
      at,
      likely: `the ${what} is damaged, or crafted to fill the memory`,
      cause: error,
    });
  }
  const known = recognizeMissingLibrary(error, at) ?? foreseenError(error);
  if (known !== undefined) return known;
  return new UnexpectedError(
    `logratio failed on this ${what}: ${text}; this is a bug in logratio, not a fault in your ${what}`,
    {
      at,
      likely: isDebugging() ? readStack(error).split("\n") : firstFrame(error),
      hint: `report it with this message, the output of logratio --version and, if you may share it, the ${what}; LOGRATIO_DEBUG=1 adds the stack`,
      cause: error,
    },
  );
}

/** This file also runs in browsers, which have no `process`. */
function isDebugging(): boolean {
  const { process } = globalThis as { process?: { readonly env?: Readonly<Record<string, string>> } };
  return Boolean(process?.env?.LOGRATIO_DEBUG);
}

function readStack(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : "there is no stack";
}

/** Where it happened, for readers of the source: function, file and line. */
function firstFrame(error: unknown): string {
  const frame = /^\s+at (?:async )?(.*?)\(?(?:[^()\s]*[/\\])?([^/\\()\s]+:\d+:\d+)\)?$/m.exec(
    readStack(error),
  );
  return frame === null ? "its location is unknown" : `it failed in ${frame[1]}(${frame[2]})`;
}
