import { describe, expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { measureLattice } from "./lattice.ts";

const list = (count: number, value: (k: number) => number): number[] =>
  Array.from({ length: count }, (_, k) => value(k));
/** Bits that bfloat16 and float16 do not have. */
const full = (k: number): number => Math.fround(-0.3 - k / 7);
const lattice = (rollout: readonly number[], trainer: readonly number[] = rollout, mask?: number[]) =>
  measureLattice(makeView([{ rollout, trainer, ...(mask && { mask }) }]));
const format = (values: readonly number[]) => lattice(values).rollout;

describe("the format of a column", () => {
  it.each([
    ["eight bits", (k: number) => -(1 + k / 128), "bf16"],
    ["nine bits", (k: number) => -(1 + (2 * k + 1) / 256), "fp16"],
    ["eleven bits", (k: number) => -(1 + (2 * k + 1) / 1024), "fp16"],
    ["twelve bits", (k: number) => -(1 + (2 * k + 1) / 2048), "full"],
    ["float32", full, "full"],
    // What a float32 softmax leaves of sure tokens: the last steps of its logits, which any format holds.
    ["the last steps of logits", (k: number) => -(2 ** -18) * (k + 1), "full"],
    ["the smallest that may have more digits", (k: number) => -(2 ** -10) * (1 + k / 128), "bf16"],
    ["beyond float16", (k: number) => -(65536 + 512 * (2 * k + 1)), "bf16"],
    // Whole numbers, which text with one decimal holds as well.
    ["float16's bits beyond its range", (k: number) => -(65536 + 64 * (2 * k + 1)), "1 decimal"],
    ["one decimal", (k: number) => -(3 * k + 1) / 10, "1 decimal"],
    ["two decimals", (k: number) => Math.fround(-(7 * k + 1) / 100), "2 decimals"],
    ["three decimals", (k: number) => Math.fround(-(137 * k + 1) / 1000), "3 decimals"],
    ["four decimals", (k: number) => Math.fround(-(1373 * k + 1) / 10_000), "full"],
    ["the largest of float16", (k: number) => -(65504 - 64 * k), "fp16"],
    // Rounding to float32 first: a float64 stands on the grid where its nearest float32 does.
    ["float64 beside the grid", (k: number) => -(1 + k / 128) - 1e-12, "bf16"],
  ] as const)("of %s", (_, value, expected) => {
    expect(format(list(20, value))).toBe(expected);
  });

  it("is asked of 20 values or more that could have more digits", () => {
    const grid = (k: number): number => -(1 + k / 128);
    expect(format(list(19, grid))).toBe("full");
    expect(format([...list(19, grid), 0, -(2 ** -11)])).toBe("full");
    // Sure tokens have no digits to lose, so those that look like a narrow format, or unlike it, do not count.
    expect(lattice([...list(20, grid), 0, -(2 ** -11), -9.7e-4])).toMatchObject({
      rollout: "bf16",
      values: 20,
    });
  });

  it("is that of 995 values in a thousand", () => {
    const grid = (k: number): number => -(1 + (k % 128) / 128);
    const fine = (k: number): number => -(1 + (2 * (k % 128) + 1) / 256);
    expect(format([...list(199, grid), full(0)])).toBe("bf16");
    expect(format([...list(198, grid), full(0), full(1)])).toBe("full");
    expect(format([...list(198, grid), fine(0), fine(1)])).toBe("fp16");
    expect(format([...list(199, fine), full(0)])).toBe("fp16");
    expect(format([...list(198, fine), full(0), full(1)])).toBe("full");
  });

  it("is told by the policy's own tokens, of each side by itself", () => {
    const grid = list(20, (k) => -(1 + k / 128));
    const mask = [...list(20, () => 1), ...list(20, () => 0)];
    expect(lattice([...grid, ...list(20, full)], [...grid, ...grid], mask).rollout).toBe("bf16");
    const found = lattice(list(20, full), [...grid.slice(0, 19), 0]);
    expect([found.rollout, found.trainer, found.values]).toEqual(["full", "full", 19]);
    expect(lattice(grid, list(20, full))).toMatchObject({ rollout: "bf16", trainer: "full", values: 20 });
    expect(lattice(list(20, full), grid)).toMatchObject({ rollout: "full", trainer: "bf16", values: 20 });
  });
});

describe("|Δ| that rounding alone makes", () => {
  const bf16 = list(20, (k) => -(2 + (2 * k) / 128));
  const fp16 = list(20, (k) => -(4 + (4 * (2 * k + 1)) / 1024));

  it("is a quarter of the spacing of each side", () => {
    // Of [2, 4) in bfloat16 2^(1 − 7), of [4, 8) in float16 2^(2 − 10).
    const [coarse, fine] = [2 ** -6 / 4, 2 ** -8 / 4];
    expect(lattice(bf16, list(20, full)).expectedAbs).toBeCloseTo(coarse, 12);
    expect(lattice(bf16, fp16).expectedAbs).toBeCloseTo(Math.hypot(coarse, fine), 12);
    expect(lattice(fp16, bf16).expectedAbs).toBeCloseTo(Math.hypot(coarse, fine), 12);
    expect(lattice(fp16, fp16).expectedAbs).toBeCloseTo(Math.hypot(fine, fine), 12);
    expect(lattice(list(20, full)).expectedAbs).toBe(0);
  });

  it("is the mean over own tokens, and none of a 0", () => {
    const zeros = list(20, () => 0);
    const mask = [...list(40, () => 1), ...list(20, () => 0)];
    const found = lattice([...bf16, ...zeros, ...bf16], [...bf16, ...zeros, ...bf16], mask);
    expect(found.expectedAbs).toBeCloseTo(Math.hypot(2 ** -8, 2 ** -8) / 2, 12);
    expect(lattice([])).toEqual({ rollout: "full", trainer: "full", values: 0, expectedAbs: 0 });
  });

  it("is none of a 0 in float16 either", () => {
    const [values, zeros] = [[...fp16, ...fp16], list(20, () => 0)];
    const found = lattice([...values, ...zeros], [...values, ...zeros]);
    expect(found.expectedAbs).toBeCloseTo((Math.SQRT2 * 2 ** -10 * 40) / 60, 12);
  });

  it("is a quarter of a decimal, whatever the value", () => {
    const decimals = list(20, (k) => -(7 * k + 1) / 100);
    expect(lattice(decimals, list(20, full)).expectedAbs).toBeCloseTo(0.01 / 4, 12);
    expect(lattice(decimals, decimals).expectedAbs).toBeCloseTo((Math.SQRT2 * 0.01) / 4, 12);
  });

  it("has the step of float16's smallest numbers below 2^−14", () => {
    const small = [...fp16, ...list(20, (k) => -(2 ** -24) * (513 + 2 * k))];
    const expected = (2 ** -8 / 4 + 2 ** -24 / 4) / 2;
    expect(lattice(small, list(40, full)).expectedAbs).toBeCloseTo(expected, 14);
  });
});
