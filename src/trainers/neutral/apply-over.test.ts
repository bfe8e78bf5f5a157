import { expect, test } from "vitest";
import { applyCorrection } from "./apply.ts";
import type { Correction } from "./correction.ts";

/** Two sequences of three and two tokens with Δ = ln 2, ln 8, ln 2 and ln 3, NaN, then one without a token of its own. */
const block = {
  rollout: Float64Array.from([-3, -3, -3, -3, -3, -3]),
  trainer: Float64Array.from([2, 8, 2, 3, Number.NaN, 1].map((ratio) => Math.log(ratio) - 3)),
  mask: Uint8Array.from([1, 1, 1, 1, 1, 0]),
  offsets: Int32Array.from([0, 3, 5, 6]),
};
const token = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
const product = { statistic: "ratio", level: "sequence", aggregation: "sum" } as const;

test("over kept measures what earlier steps left, for rejection and for the weight", () => {
  const steps = (over: object): Correction => ({
    weight: { level: "sequence", aggregation: "sum", ...over },
    steps: [
      { action: "mask", measure: token, upper: 4 },
      { action: "mask", measure: { ...product, ...over }, upper: 5 },
    ],
  });
  const whole = applyCorrection(block, steps({}));
  expect([...whole.mask]).toEqual([0, 0, 0, 0, 0, 0]);
  expect(whole.weights![0]).toBeCloseTo(32, 12);
  const kept = applyCorrection(block, steps({ over: "kept" }));
  expect([...kept.mask]).toEqual([1, 0, 1, 1, 0, 0]);
  expect(kept.weights![0]).toBeCloseTo(4, 12);
  expect(kept.weights![1]).toBeCloseTo(4, 12);
  expect(kept.weights![3]).toBeCloseTo(3, 12);
});

test("nan kept leaves NaN where it is", () => {
  const rule = { action: "mask", measure: token, upper: 4 } as const;
  expect([...applyCorrection(block, { steps: [rule] }).mask]).toEqual([1, 0, 1, 1, 0, 0]);
  expect([...applyCorrection(block, { steps: [{ ...rule, nan: "kept" }] }).mask]).toEqual([1, 0, 1, 1, 1, 0]);
});

test("normalizing over every sequence counts those without tokens as 0", () => {
  const correction = (over: "sequence" | "every sequence"): Correction => ({
    weight: { level: "sequence", aggregation: "mean" },
    steps: [{ action: "normalize", over }],
  });
  const finite = { ...block, trainer: block.trainer.map((value) => (Number.isNaN(value) ? -3 : value)) };
  const few = applyCorrection(finite, correction("sequence")).steps[0]!.factor!;
  const all = applyCorrection(finite, correction("every sequence")).steps[0]!.factor!;
  expect(few).toBeCloseTo((32 ** (1 / 3) + 3 ** 0.5) / 2, 12);
  expect(all).toBeCloseTo((few * 2) / 3, 12);
});
