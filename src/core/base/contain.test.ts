import { afterEach, describe, expect, it } from "vitest";
import { containError } from "./contain.ts";
import { FormatError, LimitError, UnexpectedError, UnsupportedError } from "./errors.ts";

const at = { file: "run.npz", row: 3 };

/** An error whose stack is given, as an engine would have written it. */
function errorWithStack(stack: string | undefined): Error {
  const error = new TypeError("x is undefined");
  if (stack === undefined) delete error.stack;
  else error.stack = stack;
  return error;
}

describe("containError", () => {
  const { LOGRATIO_DEBUG: before } = process.env;
  afterEach(() => {
    if (before === undefined) delete process.env.LOGRATIO_DEBUG;
    else process.env.LOGRATIO_DEBUG = before;
  });

  it("returns an error that has a tag as it is", () => {
    const error = new FormatError("cut off");
    expect(containError(error, at)).toBe(error);
  });

  it("says that DuckDB is missing where its loader does not find it", () => {
    for (const message of [
      "Cannot find module '@duckdb/node-bindings-linux-x64/duckdb.node'\nRequire stack:\n- a.js",
      "Error loading duckdb native binding: unsupported arch 'ppc64' for platform 'linux'",
    ]) {
      const error = containError(new Error(message), at);
      expect(error).toBeInstanceOf(UnsupportedError);
      expect(error.message).toMatch(/^Parquet and SQL need DuckDB's native library/);
      expect(error.hint).toContain("pip install --only-binary");
      expect(error.at).toEqual(at);
    }
    expect(containError(new Error("Cannot find module '@duckdb/other'"), at)).toBeInstanceOf(UnexpectedError);
  });

  it("says that memory ran out where an engine says so", () => {
    for (const message of [
      "Invalid array length",
      "Invalid array buffer length",
      "Invalid typed array length: 4294967296",
      "Invalid typed array length: ",
      "Array buffer allocation failed",
      "Invalid string length",
      "Cannot create a string longer than 0x1fffffe8 characters",
      "Map maximum size exceeded",
      "Set maximum size exceeded",
      "could not allocate memory",
      "WebAssembly.Memory(): could not allocate memory",
    ]) {
      const cause = new RangeError(message);
      const error = containError(cause, at, "page");
      expect(error).toBeInstanceOf(LimitError);
      expect(error).toMatchObject({ at, cause });
      expect(error.message).toContain(message);
      expect(error.message).toContain("page");
      expect(error.likely).toContain("page");
    }
  });

  it("takes no other words for it, whether they stand before, after or alone", () => {
    for (const thrown of [
      new Error("at 3: Invalid array length"),
      new Error("Invalid array length at 3"),
      new Error("Array buffer allocation failed, said the page"),
      "Invalid array length",
    ]) {
      expect(containError(thrown, at)).toBeInstanceOf(UnexpectedError);
    }
  });

  it("calls everything else a mistake in logratio, with the error's name and words", () => {
    const cause = new TypeError("x is undefined");
    const error = containError(cause, at);
    expect(error).toBeInstanceOf(UnexpectedError);
    expect(error).toMatchObject({ at, cause });
    expect(error.message).toContain("this file: TypeError: x is undefined;");
    expect(error.hint).toContain("LOGRATIO_DEBUG=1");
    expect(containError("a word", at, "page").message).toContain("this page: a word;");
    expect(containError(null, at).message).toContain(": null;");
  });

  it("names the function, file and line that failed, without the folders", () => {
    delete process.env.LOGRATIO_DEBUG;
    for (const [frame, place] of [
      ["    at readRows (/home/a/rows.ts:12:345)", "it failed in readRows (rows.ts:12:345)"],
      ["    at async Reader.next (file:///a/b/reader.js:1:20)", "it failed in Reader.next (reader.js:1:20)"],
      ["    at C:\\a\\reader.js:31:2", "it failed in (reader.js:31:2)"],
      ["    at rows.ts:12:34", "it failed in (rows.ts:12:34)"],
      ["  at readRows (rows.ts:1:2)", "it failed in readRows (rows.ts:1:2)"],
    ] as const) {
      const stack = `TypeError: x is undefined\n${frame}\n    at later (/home/b/later.ts:99:99)`;
      expect(containError(errorWithStack(stack), at).likely).toBe(place);
    }
  });

  it("takes no line of the message for a frame", () => {
    delete process.env.LOGRATIO_DEBUG;
    for (const line of [
      "met at rows.ts:1:2",
      "    at rows.ts:1:2 or so",
      "at rows.ts:1:2",
      "    at rows.ts:a:2",
    ]) {
      const stack = `TypeError: x\n${line}\n    at readRows (/home/a/rows.ts:12:34)`;
      expect(containError(errorWithStack(stack), at).likely).toBe("it failed in readRows (rows.ts:12:34)");
    }
  });

  it("says that it knows no place where there is none", () => {
    delete process.env.LOGRATIO_DEBUG;
    for (const thrown of [errorWithStack("TypeError: x"), errorWithStack(undefined), "a word", null]) {
      expect(containError(thrown, at).likely).toBe("its location is unknown");
    }
  });

  it("gives the whole stack to whoever asks for it", () => {
    process.env.LOGRATIO_DEBUG = "1";
    const error = errorWithStack("TypeError: x\n    at readRows (/home/a/rows.ts:12:34)");
    expect(containError(error, at).likely).toBe(error.stack);
    expect(containError(errorWithStack(undefined), at).likely).toBe("there is no stack");
    expect(containError("a word", at).likely).toBe("there is no stack");
  });
});
