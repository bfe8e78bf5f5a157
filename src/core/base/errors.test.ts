import { describe, expect, it } from "vitest";
import * as errors from "./errors.ts";
import {
  FormatError,
  formatPlace,
  isLogratioError,
  LogratioError,
  TextRefusedError,
  UsageError,
} from "./errors.ts";

const classes = Object.entries(errors).filter(
  ([name]) => name.endsWith("Error") && name !== "LogratioError" && name !== "isLogratioError",
) as unknown as [string, new (message: string) => LogratioError][];

describe("tagged errors", () => {
  it("carry their class's name as their tag and as their name", () => {
    expect(classes).toHaveLength(13);
    for (const [name, Class] of classes) {
      const error = new Class("why");
      expect(error).toBeInstanceOf(LogratioError);
      expect(error).toMatchObject({ _tag: name, name, message: "why" });
    }
  });

  it("keep place, advice and cause", () => {
    const detail = { at: { file: "a" }, likely: "cut off", hint: "copy it again", cause: new Error("x") };
    expect(new FormatError("why", detail)).toMatchObject(detail);
  });

  it("have no place, advice or cause where none was given", () => {
    const error = new FormatError("why");
    expect(error).toMatchObject({ at: {}, likely: undefined, hint: undefined });
    expect("cause" in error).toBe(false);
  });

  it("say why a text was refused", () => {
    expect(new TextRefusedError("why").reason).toBe("other");
    expect(new TextRefusedError("why", { reason: "too-large" }).reason).toBe("too-large");
  });

  it("are told from others, and from each other", () => {
    const error: unknown = new FormatError("why");
    expect(isLogratioError(error)).toBe(true);
    expect(isLogratioError(error, "FormatError")).toBe(true);
    expect(isLogratioError(error, "UsageError")).toBe(false);
    expect(isLogratioError(new UsageError("why"), "UsageError")).toBe(true);
    expect(isLogratioError(new Error("why"))).toBe(false);
    expect(isLogratioError({ _tag: "FormatError" }, "FormatError")).toBe(false);
    expect(isLogratioError(undefined)).toBe(false);
  });
});

describe("formatPlace", () => {
  it("names the parts that are known", () => {
    expect(formatPlace({})).toBe("");
    expect(formatPlace({ file: "a.npz" })).toBe("a.npz");
    expect(formatPlace({ entry: "mask" })).toBe("mask");
    expect(formatPlace({ file: "a.npz", entry: "mask" })).toBe("a.npz[mask]");
    expect(formatPlace({ file: "a.jsonl", row: 0, line: 1 })).toBe("a.jsonl, row 0, line 1");
    expect(formatPlace({ file: "a", entry: "b", row: 3, line: 4, offset: 512 })).toBe(
      "a[b], row 3, line 4, byte 512",
    );
    expect(formatPlace({ offset: 0 })).toBe("byte 0");
  });
});
