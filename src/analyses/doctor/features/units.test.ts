import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { measureUnits } from "./units.ts";

const measure = (rollout: readonly number[], trainer: readonly number[], more: Partial<GivenRow> = {}) =>
  measureUnits(makeView([{ rollout, trainer, ...more }]));
const NONE = { ratio: NaN, ratioSpread: NaN, tokens: 0, probabilities: null, probabilityError: NaN };

it("tells nothing of no tokens", () => {
  expect(measure([], [])).toEqual(NONE);
  expect(measure([-1], [-2], { mask: [0] })).toEqual(NONE);
  expect(measure([Number.NaN], [-2])).toEqual(NONE);
});

it("gives the median of trainer / rollout and half the distance of its quartiles", () => {
  // Ratios 2, 3, 1, 4 and 1.5.
  expect(measure([-1, -1, -1, -1, -2, 0], [-2, -3, -1, -4, -3, -1])).toEqual(
    closely({ ...NONE, ratio: 2, ratioSpread: (3 - 1.5) / 2, tokens: 5 }),
  );
});

it.each([
  [-0.02, -1, 0],
  [-1, -0.02, 0],
  [-0.021, -0.021, 1],
  [-1, 1, 0],
  [1, -1, 0],
])("counts a ratio of %f and %f, well below 0: %i", (a, c, tokens) => {
  expect(measure([a], [c]).tokens).toBe(tokens);
});

describe("probabilities", () => {
  it("are the side whose logarithms are the other's", () => {
    const [p, logs] = [
      [0.5, 0.25, 0.1, 1],
      [Math.log(0.5) + 0.1, Math.log(0.25) - 0.2, Math.log(0.1) - 0.4, 0],
    ] as const;
    expect(measure(p, logs)).toEqual(closely({ ...NONE, probabilities: "rollout", probabilityError: 0.15 }));
    expect(measure(logs, p)).toEqual(closely({ ...NONE, probabilities: "trainer", probabilityError: 0.15 }));
  });

  it("stand at more than a third of the own tokens, above 0 and not at 1", () => {
    const side = (a: readonly number[], more: Partial<GivenRow> = {}) =>
      measure(
        a,
        a.map(() => -1),
        more,
      ).probabilities;
    const other = (c: readonly number[]) =>
      measure(
        c.map(() => -1),
        c,
      ).probabilities;
    for (const of of [side, other]) {
      expect(of([0.5, -1, -1])).toBeNull();
      expect(of([0.5, 0.5, -1])).toBe(of === side ? "rollout" : "trainer");
      expect(of([1, 1, 1])).toBeNull();
      expect(of([0, 0, 0])).toBeNull();
    }
    expect(side([0.5, 0.5, -1], { mask: [0, 0, 1] })).toBeNull();
  });

  it("are compared where they can be, at own tokens", () => {
    const found = measure([0.5, 0.25, 2, -1, 0, 0.125], [-1, -1, -1, -1, -1, -9], {
      mask: [1, 1, 1, 1, 1, 0],
    });
    expect(found.probabilityError).toBeCloseTo((1 + Math.log(0.5) + Math.abs(1 + Math.log(0.25))) / 2, 9);
    expect(measure([0.5, 1, 0.5], [-1, -2, -1]).probabilityError).toBeCloseTo(1 + Math.log(0.5), 9);
    expect(measure([0.5, 1, 1], [-1, -2, -3]).probabilities).toBeNull();
    expect(measure([0.5, 0.5, 1, 1], [-1, -1, -3, -3]).probabilityError).toBeCloseTo(
      (4 + Math.log(0.5)) / 2,
      9,
    );
  });
});
