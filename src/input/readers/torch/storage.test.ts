import { describe, expect, it } from "vitest";
import { LimitError } from "../../../core/base/errors.ts";
import { memoryLimit } from "../../../core/base/memory-limit.ts";
import { memorySource } from "../../io/file-source.ts";
import { countNamed, createBudget } from "./storage.ts";

const at = { file: "a.pt" };
const limit = memoryLimit();

/** A storage of this many bytes, none of which is read. */
const storage = (byteLength: number) => ({
  at,
  byteLength,
  named: 0,
  open: () => memorySource("a.pt", new Uint8Array(0)),
});

describe("what tensors repeat of a storage", () => {
  it.each([
    ["bool", 1],
    ["float16", 2],
    ["float32", 4],
    ["float64", 8],
  ])("is nothing where each element of a large storage is there once (%s)", (_, itemBytes) => {
    const budget = createBudget();
    const bytes = storage(3 * limit);
    const elements = bytes.byteLength / itemBytes / 2;
    for (const half of [0, 1]) countNamed(bytes, elements, itemBytes, budget, [half, elements], at);
    expect(budget.repeated).toBe(0);
  });

  it("counts as it would be decoded, and is refused beyond the limit", () => {
    const budget = createBudget();
    const bytes = storage(limit / 4);
    const name = () => countNamed(bytes, limit / 8, 2, budget, [limit / 8], at);
    name();
    name();
    expect(budget.repeated).toBe(limit / 2);
    name();
    expect(budget.repeated).toBe(limit);
    expect(name).toThrow(LimitError);
  });
});
