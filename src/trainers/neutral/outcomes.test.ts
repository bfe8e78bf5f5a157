import { expect, test } from "vitest";
import { applyCorrection } from "./apply.ts";
import type { Correction } from "./correction.ts";

/** Two tokens with Δ = 0 and 0.5, then a sequence without tokens. */
const block = {
  rollout: Float64Array.of(-2, -2),
  trainer: Float64Array.of(-2, -1.5),
  mask: Uint8Array.of(1, 1),
  offsets: Int32Array.of(0, 2, 2),
};
const k1 = { statistic: "k1", level: "token", aggregation: "sum" } as const;
const sum = { ...k1, level: "sequence" } as const;

test("each step is said again with what it did", () => {
  const correction: Correction = {
    weight: { level: "token", aggregation: "sum" },
    steps: [
      { action: "truncate", upper: 2 },
      { action: "normalize", over: "token" },
      { action: "veto", measure: k1, lower: -1 },
      { action: "mask", measure: sum, upper: 1 },
    ],
  };
  const { steps } = applyCorrection(block, correction);
  expect(steps.map(({ step }) => step)).toEqual(correction.steps);
  expect(steps.map(({ measured }) => measured && [...measured.values])).toEqual([
    undefined,
    undefined,
    [0, -0.5],
    [-0.5, 0],
  ]);
  expect(steps[2]!.measured!.segments.level).toBe("token");
  expect(steps[3]!.measured!.segments).toMatchObject({ starts: Int32Array.of(0, 2) });
});

test("a veto does not reject at its bounds, on either side", () => {
  const kept = (bounds: object): number[] => [
    ...applyCorrection(block, { steps: [{ action: "veto", measure: k1, ...bounds }] }).mask,
  ];
  expect(kept({ lower: -0.5, upper: 0 })).toEqual([1, 1]);
  expect(kept({ lower: -0.4 })).toEqual([0, 0]);
  expect(kept({ upper: -0.1 })).toEqual([0, 0]);
});

test("a sequence without tokens is not rejected, whatever the bounds", () => {
  const { steps, mask } = applyCorrection(block, { steps: [{ action: "mask", measure: sum, lower: 1 }] });
  expect([...steps[0]!.measured!.rejected]).toEqual([1, 0]);
  expect([...mask]).toEqual([0, 0]);
});
