import { describe, expect, it } from "vitest";
import * as layout from "./layout.ts";
import { computeK3, computeProbDiff, tokenSums } from "./scalar.ts";

describe("k3Of", () => {
  // exp Δ − Δ − 1 by its series, in exact integer arithmetic with 60 decimals.
  const exact = (delta: number): number => {
    const scale = 10n ** 60n;
    const x = (BigInt(Math.round(delta * 2 ** 80)) * (scale / 2n ** 40n)) / 2n ** 40n;
    let term = (x * x) / scale / 2n;
    let sum = 0n;
    for (let n = 3n; term !== 0n; n++) {
      sum += term;
      term = (term * x) / scale / n;
    }
    return Number(sum) / 1e60;
  };

  it("has fourteen digits at any Δ", () => {
    for (const delta of [
      1e-8, -1e-8, 1e-4, -0.01, 0.06, -0.06, 0.0625, 0.0626, -0.0626, 0.5, -0.7, 3, -20, 30,
    ]) {
      // The products with 2^80 are exact: these Δ have 53 bits at most.
      expect(computeK3(delta) / exact(delta)).toBeCloseTo(1, 12);
    }
  });

  it("is 0 at 0 and positive elsewhere", () => {
    expect(computeK3(0)).toBe(0);
    for (const delta of [1e-150, -1e-150, 1e-20, -1e-20, -1000]) expect(computeK3(delta)).toBeGreaterThan(0);
    expect(computeK3(1000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("probDiffOf", () => {
  it("keeps tiny differences and takes probability 0", () => {
    expect(computeProbDiff(-1, -1 + 2 ** -40) / (Math.exp(-1) * 2 ** -40)).toBeCloseTo(1, 11);
    expect(computeProbDiff(Number.NEGATIVE_INFINITY, -1)).toBe(Math.exp(-1));
    expect(computeProbDiff(-1, Number.NEGATIVE_INFINITY)).toBe(-Math.exp(-1));
    expect(computeProbDiff(Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY)).toBe(0);
    expect(computeProbDiff(-9999, -0.5)).toBe(Math.exp(-0.5));
  });
});

describe("tokenSums", () => {
  it("is what layout.ts says, by hand", () => {
    const [ln2, inf] = [Math.LN2, Number.NEGATIVE_INFINITY];
    // p: 1/2, 1/4, 1/8, 0 (only the trainer gives it a chance), and three tokens that do not count.
    const rollout = Float64Array.of(-ln2, -2 * ln2, -3 * ln2, inf, Number.NaN, -1, inf);
    const trainer = Float64Array.of(-2 * ln2, -2 * ln2, -ln2, -ln2, -1, -1, inf);
    const sums = tokenSums(rollout, trainer, Uint8Array.of(1, 1, 1, 1, 1, 0, 1), 0, 7);
    const expected: Record<number, number> = {
      [layout.COUNT]: 3,
      [layout.DELTA_MEAN]: ln2 / 3,
      [layout.DELTA_M2]: ln2 ** 2 * (16 / 9 + 1 / 9 + 25 / 9),
      [layout.DELTA_MIN]: -ln2,
      [layout.DELTA_MAX]: 2 * ln2,
      [layout.ABS_DELTA_SUM]: 3 * ln2,
      [layout.POSITIVE_COUNT]: 1,
      [layout.POSITIVE_SUM]: 2 * ln2,
      [layout.NEGATIVE_COUNT]: 1,
      [layout.NEGATIVE_SUM]: -ln2,
      [layout.K3_SUM]: 0.5 - 1 + ln2 + (4 - 1 - 2 * ln2),
      [layout.EXCESS_MEAN]: 2.5 / 3,
      [layout.EXCESS_M2]: (0.5 - 5.5 / 3) ** 2 + (1 - 5.5 / 3) ** 2 + (4 - 5.5 / 3) ** 2,
      [layout.RATIO_MEAN]: 5.5 / 3,
      [layout.OVER_COUNT]: 0,
      [layout.PROB_COUNT]: 5,
      // Δp: −1/4, 0, 3/8, 1/2, 0.
      [layout.PROB_DIFF_MEAN]: 0.125,
      [layout.PROB_DIFF_M2]: 0.375 ** 2 + 2 * 0.125 ** 2 + 0.25 ** 2 + 0.375 ** 2,
      [layout.ABS_PROB_DIFF_MEAN]: 0.225,
      [layout.ABS_PROB_DIFF_M2]: 0.025 ** 2 + 2 * 0.225 ** 2 + 0.15 ** 2 + 0.275 ** 2,
      [layout.ABS_PROB_DIFF_MAX]: 0.5,
      [layout.PROB_MEAN]: 0.175,
      [layout.TAIL_MASS_MEAN]: 0.825,
      [layout.TAIL_MASS_M2]: 0.325 ** 2 + 0.075 ** 2 + 0.05 ** 2 + 2 * 0.175 ** 2,
      [layout.ROLLOUT_SUM]: -6 * ln2,
      [layout.TRAINER_SUM]: -5 * ln2,
      [layout.NEGATIVE_INFINITE_COUNT]: 0,
      [layout.POSITIVE_INFINITE_COUNT]: 1,
      [layout.UNDEFINED_COUNT]: 2,
    };
    for (const [field, value] of Object.entries(expected))
      expect(sums[Number(field)], `field ${field}`).toBeCloseTo(value, 12);
    const comoment = 0.325 * -0.375 + 0.075 * -0.125 + -0.05 * 0.25 + -0.175 * 0.375 + -0.175 * -0.125;
    expect(sums[layout.PROB_DIFF_SLOPE]! * sums[layout.TAIL_MASS_M2]!).toBeCloseTo(comoment, 12);
    expect(sums[layout.PROB_DIFF_RESIDUAL]).toBeCloseTo(
      sums[layout.PROB_DIFF_M2]! - comoment ** 2 / sums[layout.TAIL_MASS_M2]!,
      12,
    );
  });

  it("counts the two one-sided infinities apart", () => {
    const sums = tokenSums(
      Float32Array.of(-1, Number.NEGATIVE_INFINITY),
      Float32Array.of(Number.NEGATIVE_INFINITY, -1),
      undefined,
      0,
      2,
    );
    expect(sums[layout.NEGATIVE_INFINITE_COUNT]).toBe(1);
    expect(sums[layout.POSITIVE_INFINITE_COUNT]).toBe(1);
    expect(sums[layout.COUNT]).toBe(0);
    expect(sums[layout.PROB_COUNT]).toBe(2);
    expect(sums[layout.DELTA_MIN]).toBe(Number.POSITIVE_INFINITY);
  });

  it("keeps ratios beyond the clamp apart", () => {
    const sums = tokenSums(Float64Array.of(-21, -1, -25), Float64Array.of(-1, -1, 0), undefined, 0, 3);
    expect(sums[layout.OVER_COUNT]).toBe(1);
    expect(sums[layout.OVER_EXCESS_SUM]).toBe(Math.expm1(25));
    expect(sums[layout.EXCESS_MEAN]).toBeCloseTo(Math.expm1(20) / 2, 4);
  });

  it("gives equal tokens no variance", () => {
    const rollout = new Float32Array(9001).fill(-0.1);
    const sums = tokenSums(
      rollout,
      rollout.map(() => -0.3),
      undefined,
      0,
      9001,
    );
    for (const field of [
      layout.DELTA_M2,
      layout.EXCESS_M2,
      layout.PROB_DIFF_M2,
      layout.ABS_PROB_DIFF_M2,
      layout.TAIL_MASS_M2,
    ]) {
      expect(sums[field]).toBe(0);
    }
  });
});
