import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { PairSums, spearman } from "./stats.ts";
import { measureTraining } from "./training.ts";

const measure = (...rows: readonly GivenRow[]) => measureTraining(makeView(rows));

it("tells nothing of no rows", () => {
  expect(measure()).toEqual({ advantage: { r: 0, z: 0, rows: 0 }, reference: null });
});

describe("along advantages", () => {
  const advantages = [1, -1, 2, 0.5, -0.5, 3, -2, 1.5];
  const row = (advantage: number, delta: number): GivenRow => ({
    ...{ rollout: [-4, -4, -4], trainer: [-4 + delta, -4, -9], mask: [1, 1, 0], advantage },
  });
  const along = (...rows: readonly GivenRow[]) => measure(...rows).advantage;

  it("is Spearman's correlation of a row's Σ Δ with its advantage", () => {
    const deltas = [0.1, -0.3, 0.4, 0.05, 0.2, 0.8, -0.6, 0];
    const rows = advantages.map((advantage, k) => row(advantage, deltas[k]!));
    expect(along(...rows)).toEqual(closely({ ...spearman(deltas, advantages), rows: 8 }));
    expect(along(...rows).r).toBeGreaterThan(0.7);
    // Rows of no advantage, or of one that is not known, say nothing.
    const more = [row(0, -9), row(Number.NaN, -9), row(Number.POSITIVE_INFINITY, -9)];
    expect(along(...rows, ...more)).toEqual(along(...rows));
  });

  it("needs eight rows", () => {
    const rows = advantages.slice(1).map((advantage) => row(advantage, advantage / 9));
    expect(along(...rows)).toEqual({ r: 0, z: 0, rows: 7 });
    expect(along(...rows, row(9, 0.9)).r).toBeCloseTo(1, 9);
  });

  it("holds the Δ of a token to 1 either way", () => {
    // Two tokens of 0.6 are more than one of 3, and less low than one of −3.
    const rows = advantages.map((advantage, k) => ({
      ...{ rollout: [-5, -5], advantage: k + 1 },
      trainer:
        k === 6
          ? [-2, -5]
          : k === 7
            ? [-4.4, -4.4]
            : k === 0
              ? [-5.6, -5.6]
              : k === 1
                ? [-8, -5]
                : [-5 + k / 20, -5],
      step: advantage,
    }));
    const sums = [-1.2, -1, 0.1, 0.15, 0.2, 0.25, 1, 1.2];
    expect(along(...rows).r).toBeCloseTo(spearman(sums, [1, 2, 3, 4, 5, 6, 7, 8]).r, 9);
    expect(along(...rows).r).toBeCloseTo(1, 9);
  });
});

describe("the reference", () => {
  const given = {
    rollout: [-1, -2, -0.5, -0.01, -3, -1],
    trainer: [-1.2, -2, -0.25, -0.5, -5, -1],
    mask: [1, 1, 1, 1, 1, 0],
    reference: Float64Array.of(-1, -2, -0.75, -0.02, -3.25, -9),
  };
  const hold = (value: number): number => Math.max(-1, Math.min(1, value));
  const correlate = (side: "rollout" | "trainer", tokens: readonly number[]): number => {
    const sums = new PairSums();
    for (const t of tokens)
      sums.add(hold(given[side][t]! - given.reference[t]!), hold(given.trainer[t]! - given.rollout[t]!));
    return sums.correlation;
  };

  it("is compared with both sides at own tokens", () => {
    const expected = {
      ...{ tokens: 5, trainerEqual: 1 / 5, rolloutEqual: 2 / 5 },
      trainerDistance: (0.2 + 0 + 0.5 + 0.48 + 1.75) / 5,
      rolloutDistance: (0 + 0 + 0.25 + 0.01 + 0.25) / 5,
      alongTrainer: correlate("trainer", [0, 1, 2, 3, 4]),
      alongRollout: correlate("rollout", [0, 1, 2, 3, 4]),
    };
    expect(measure(given).reference).toEqual(closely(expected));
    // Tokens without one are left out, as are rows.
    const more = { ...given, reference: new Float64Array(6).fill(Number.NaN) };
    expect(measure(given, more, { rollout: [-1] }).reference).toEqual(closely(expected));
    expect(measure(more, { rollout: [-1] }).reference).toBeNull();
  });

  it("correlates at tokens that are not sure", () => {
    const sure = { ...given, rollout: given.rollout.map((a, t) => (t === 3 ? -0.009 : a)) };
    const found = measure(sure).reference!;
    expect(found.tokens).toBe(5);
    expect(found.alongTrainer).toBeCloseTo(correlate("trainer", [0, 1, 2, 4]), 9);
    expect(found.alongRollout).toBeCloseTo(correlate("rollout", [0, 1, 2, 4]), 9);
  });

  it("has its differences held to 1 either way", () => {
    const up = {
      ...{ rollout: [-5, -4, -3, -2], trainer: [-2, -4.2, -2.7, -2.5] },
      reference: Float64Array.of(-5, -4, -3, -2),
    };
    const sums = new PairSums();
    for (const delta of [1, -0.2, 0.3, -0.5]) sums.add(delta, delta);
    expect(measure(up).reference?.alongTrainer).toBeCloseTo(sums.correlation, 9);
    const far = { ...up, reference: Float64Array.of(-9, -3, -2.5, -4) };
    const other = new PairSums();
    for (const [x, y] of [
      [1, 1],
      [-1, -0.2],
      [-0.2, 0.3],
      [1, -0.5],
    ] as const)
      other.add(x, y);
    expect(measure(far).reference?.alongTrainer).toBeCloseTo(other.correlation, 9);
  });
});
