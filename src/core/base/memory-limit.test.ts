import { afterEach, describe, expect, it } from "vitest";
import { LimitError } from "./errors.ts";
import {
  checkMemory,
  DEFAULT_MEMORY_LIMIT,
  memoryExceeded,
  memoryLimit,
  setMemoryLimit,
} from "./memory-limit.ts";

const MIB = 2 ** 20;
const at = { file: "a.npz" };

function refusal(bytes: number): unknown {
  try {
    checkMemory(bytes, "array a", at);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("the memory limit", () => {
  afterEach(() => setMemoryLimit(DEFAULT_MEMORY_LIMIT));

  it("is 1 GiB until it is set", () => {
    expect(memoryLimit()).toBe(2 ** 30);
    setMemoryLimit(MIB);
    expect(memoryLimit()).toBe(MIB);
    setMemoryLimit(Number.POSITIVE_INFINITY);
    expect(memoryLimit()).toBe(Number.POSITIVE_INFINITY);
  });

  it("refuses to be nothing, and stays what it was", () => {
    for (const bytes of [0, -1, Number.NaN]) expect(() => setMemoryLimit(bytes)).toThrow(RangeError);
    expect(memoryLimit()).toBe(DEFAULT_MEMORY_LIMIT);
  });

  it("lets through what reaches it and refuses what passes it, with both sizes and a limit that would do", () => {
    setMemoryLimit(8 * MIB);
    expect(refusal(8 * MIB)).toBeUndefined();
    const error = refusal(4096 * MIB + 1) as LimitError;
    expect(error).toBeInstanceOf(LimitError);
    expect(error.at).toEqual(at);
    expect(error.message).toContain("array a would take 4,097 MiB decoded; the limit is 8 MiB");
    expect(error.likely).toContain("decodes to far more than its size");
    // A quarter more than is needed now.
    expect(error.hint).toContain("--memory 5121 ");
  });

  it("says what was reached while decoding, and four times as much to try", () => {
    setMemoryLimit(8 * MIB);
    const error = memoryExceeded("the document", at);
    expect(error).toBeInstanceOf(LimitError);
    expect(error.at).toEqual(at);
    expect(error.message).toContain("the document takes more than the limit of 8 MiB decoded");
    expect(error.likely).toContain("decodes to far more than its size");
    expect(error.hint).toContain("--memory 32 ");
  });
});
