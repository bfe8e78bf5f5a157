import { describe, expect, it } from "vitest";
import {
  isLogratioError,
  LengthMismatchError,
  LimitError,
  LogratioError,
  SchemaError,
  VersionError,
} from "./errors.ts";

describe("errors", () => {
  it("carry the numbers of their messages", () => {
    expect(new LengthMismatchError("1 for 2", { found: 1, expected: 2 })).toMatchObject({
      found: 1,
      expected: 2,
    });
    expect(new LimitError("3 of 2", { limit: 2, needed: 3 })).toMatchObject({ limit: 2, needed: 3 });
    expect(new VersionError("newer", { found: 3, supported: 2 })).toMatchObject({ found: 3, supported: 2 });
  });

  it("leave undefined what they were not told", () => {
    const error = new LimitError("too deep", { at: { file: "a.json" } });
    expect([error.limit, error.needed, error.at.file]).toEqual([undefined, undefined, "a.json"]);
  });

  it("are told apart by class and by tag", () => {
    const error: unknown = new SchemaError("no column");
    expect(error).toBeInstanceOf(LogratioError);
    expect(isLogratioError(error, "SchemaError")).toBe(true);
    expect(isLogratioError(error, "LimitError")).toBe(false);
    expect(isLogratioError(new Error("no column"))).toBe(false);
  });
});
