import { describe, expect, it } from "vitest";
import * as errors from "../../core/base/errors.ts";
import { isLogratioError, LengthMismatchError, LimitError, VersionError } from "../../core/base/errors.ts";
import { isSystemError } from "../../core/base/file-system-errors.ts";
import { packError, unpackError } from "./error-transport.ts";

const sent = (error: unknown): Error => unpackError(structuredClone(packError(error)));

describe("an error on its way to another thread", () => {
  it("keeps class, place, cause and hint", () => {
    const detail = { at: { file: "a.npz", entry: "x", row: 3 }, likely: "a bomb", hint: "raise the limit" };
    const error = sent(new LimitError("2 GB declared, 1 GB allowed", detail));
    expect(isLogratioError(error, "LimitError")).toBe(true);
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ message: "2 GB declared, 1 GB allowed", ...detail });
    expect(sent(new VersionError("newer"))).toMatchObject({ at: {}, likely: undefined, hint: undefined });
  });

  it("keeps what was found and what was expected", () => {
    expect(sent(new LengthMismatchError("1 for 2", { found: 1, expected: 2 }))).toMatchObject({
      found: 1,
      expected: 2,
    });
    expect(sent(new LimitError("3 of 2", { needed: 3, limit: 2 }))).toMatchObject({ needed: 3, limit: 2 });
    expect(sent(new VersionError("newer", { found: 3 }))).toMatchObject({ found: 3, supported: undefined });
  });

  it.each(Object.entries(errors).filter(([name]) => /^(?!Logratio)[A-Z]\w+Error$/.test(name)))(
    "keeps the class %s",
    (_, Class) => {
      const error = new (Class as new (message: string, detail: object) => Error)("why", { at: { row: 3 } });
      const received = sent(error);
      expect(received).toBeInstanceOf(Class);
      expect(received).toMatchObject({ message: "why", name: error.name, at: { row: 3 } });
      expect(received.stack).toBe(error.stack);
    },
  );

  it("keeps no number that is not one of its class's", () => {
    const odd = Object.assign(new LimitError("3 of 2", { needed: 3, limit: 2 }), { found: "text", rows: 5 });
    expect(packError(odd).numbers).toEqual({ needed: 3, limit: 2 });
    expect(packError(new RangeError("x"))).toEqual({
      message: "x",
      name: "RangeError",
      stack: expect.any(String),
    });
    expect(packError("a string")).toEqual({ message: "a string", name: "Error", stack: undefined });
  });

  it("keeps what the system says of its own errors", () => {
    const refused = { code: "ENOSPC", errno: -28, syscall: "write", path: "/cache/sequences.bin" };
    const error = sent(Object.assign(new Error("ENOSPC: no space left"), refused, { fd: {} }));
    expect(error).toMatchObject({ message: "ENOSPC: no space left", ...refused });
    expect(isSystemError(error)).toBe(true);
    expect(error).not.toHaveProperty("fd");
    expect(packError(Object.assign(new Error("x"), { code: "ERR_X" }))).not.toHaveProperty("system.code");
  });

  it("keeps the name and the stack of any other", () => {
    const original = new RangeError("out of range");
    const error = sent(original);
    expect(isLogratioError(error)).toBe(false);
    expect(error).toMatchObject({ name: "RangeError", message: "out of range", stack: original.stack });
    expect(sent("a string").message).toBe("a string");
  });
});
