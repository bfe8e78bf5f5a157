import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mismatchSums } from "../../core/kernels/mismatch.ts";
import { computeMaskedMean, maskedEffectiveSize, maskedStd, prefixed, rowStd } from "./masked-figures.ts";
import { MASKED_MEAN_EPSILON, maskedMean } from "./masked-mean.ts";
import { Moments } from "./moments.ts";
import { countMasked, countNonFinite, poison } from "./non-finite.ts";
import { findDiscrepancies } from "./parity-trainer.ts";
import { SampleMeans } from "./sample-means.ts";

const of = (values: readonly number[]): Moments => {
  const moments = new Moments();
  for (const value of values) moments.add(value);
  return moments;
};
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

describe("figures of masked means, which divide by the count and 1e-8", () => {
  it("are verl's formulas, of any values", () => {
    const values = fc.array(fc.double({ min: 0.01, max: 4, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (weights) => {
        const divided = weights.length + MASKED_MEAN_EPSILON;
        const mean = total(weights) / divided;
        const moments = of(weights);
        expect(maskedMean(total(weights), weights.length)).toBe(mean);
        expect(computeMaskedMean(moments)).toBeCloseTo(mean, 12);
        const squares = total(weights.map((weight) => weight * weight)) / divided;
        const variance = weights.length > 1 ? Math.max(squares - mean * mean, 0) : 0;
        expect(maskedStd(moments) ** 2).toBeCloseTo(variance, 12);
        const scaled = weights.map((weight) => (weight / (mean + MASKED_MEAN_EPSILON)) ** 2);
        expect(maskedEffectiveSize(moments)).toBeCloseTo(divided / total(scaled), 9);
      }),
    );
  });

  it("have no effective size where every weight is 0, and no spread of one row", () => {
    expect(maskedEffectiveSize(of([0, 0]))).toBe(Number.POSITIVE_INFINITY);
    expect([rowStd(of([])), rowStd(of([3])), rowStd(of([1, 3]))]).toEqual([0, 0, Math.SQRT2]);
    expect(maskedStd(of([3]))).toBe(0);
    expect(maskedStd(of([1, 3]))).toBeCloseTo(1, 6);
  });

  it("stand under a prefix", () => {
    expect(prefixed("rollout_corr/", { kl: 1, ess: 2 })).toEqual({
      "rollout_corr/kl": 1,
      "rollout_corr/ess": 2,
    });
  });
});

describe("log-probs that are not finite, as PyTorch carries them into a mean", () => {
  const none = { undefined: false, trainerZero: false, rolloutZero: false, probabilities: false };
  const terms = { trainerZero: -Infinity, rolloutZero: Infinity };

  it.each([
    ["none", {}, terms, 5],
    ["a NaN", { undefined: true, trainerZero: true }, terms, Number.NaN],
    ["a trainer's −∞", { trainerZero: true }, terms, -Infinity],
    ["a rollout's −∞", { rolloutZero: true }, terms, Infinity],
    ["both, of unlike signs", { trainerZero: true, rolloutZero: true }, terms, Number.NaN],
    [
      "both, of one sign",
      { trainerZero: true, rolloutZero: true },
      { trainerZero: Infinity, rolloutZero: Infinity },
      Infinity,
    ],
    ["a trainer's −∞ that adds e^−∞ = 0", { trainerZero: true }, { rolloutZero: Infinity }, 5],
    ["a rollout's −∞ that adds e^−∞ = 0", { rolloutZero: true }, { trainerZero: Infinity }, 5],
    [
      "both, one of which adds 0",
      { trainerZero: true, rolloutZero: true },
      { trainerZero: Infinity },
      Infinity,
    ],
  ])("%s", (_, state, added, expected) => {
    expect(poison(5, { ...none, ...state }, added)).toBe(expected);
  });

  it("are counted by which side has them, all of them as tokens with mask 1", () => {
    const count = (rollout: number[], trainer: number[], mask?: number[]) => {
      const { rows } = mismatchSums({
        rollout: Float64Array.from(rollout),
        trainer: Float64Array.from(trainer),
        mask: Uint8Array.from(mask ?? rollout.map(() => 1)),
        offsets: Int32Array.of(0, rollout.length),
      });
      return { ...countNonFinite(rows), masked: countMasked(rows) };
    };
    const [x, zero, hole] = [-1, -Infinity, Number.NaN];
    expect(count([x, x], [x, x])).toEqual({ ...none, masked: 2 });
    expect(count([x, x], [x, zero])).toMatchObject({ trainerZero: true, rolloutZero: false, masked: 2 });
    expect(count([x, zero], [x, x])).toMatchObject({ trainerZero: false, rolloutZero: true, masked: 2 });
    expect(count([x, hole], [x, x])).toMatchObject({ undefined: true, probabilities: true, masked: 2 });
    expect(count([x, hole], [x, zero], [1, 0])).toEqual({ ...none, masked: 1 });
  });
});

describe("a figure that a trainer logs beside the right one", () => {
  const found = (logged: number | undefined, correct: number) =>
    findDiscrepancies(logged === undefined ? {} : { k3: logged }, [["k3", correct, "why"]]);

  it("is named where they differ by more than a millionth of the right one, either way", () => {
    expect(found(1.1, 1)).toEqual([{ key: "k3", logged: 1.1, correct: 1, reason: "why" }]);
    expect(found(0.9, 1)).toHaveLength(1);
    expect(found(-1.1, -1)).toHaveLength(1);
    expect(found(1 + 9e-7, 1)).toEqual([]);
    expect(found(1 + 2e-6, 1)).toHaveLength(1);
    expect(found(-1 + 9e-7, -1)).toEqual([]);
    expect([found(1e-16, 0), found(1e-14, 0).length]).toEqual([[], 1]);
  });

  it("is passed over where one of them is not there, and named where only the logged one is NaN", () => {
    expect([found(undefined, 1), found(1, Number.NaN)]).toEqual([[], []]);
    expect(found(Number.NaN, 1)).toHaveLength(1);
  });
});

describe("slime's mean of sequences' means", () => {
  it("divides by the tokens of each sequence, then by all sequences, empty ones too", () => {
    const means = new SampleMeans();
    const block = {
      rollout: new Float32Array(5),
      trainer: new Float32Array(5),
      mask: Uint8Array.of(1, 1, 0, 1, 0),
      offsets: Int32Array.of(0, 3, 4, 5),
    };
    const values = [1, 2, 50, 7, 90];
    means.addRows(3);
    means.add("x", block, (token) => values[token]!);
    means.add("kept", block, (token) => values[token]!, Uint8Array.of(1, 0, 0, 1, 0));
    means.addSum("x", 0.5);
    means.addRows(1);
    const finished = means.finish("tis/");
    expect(finished["tis/x"]).toBeCloseTo((1.5 + 7 + 0.5) / 4, 12);
    expect(finished["tis/kept"]).toBeCloseTo((0.5 + 7) / 4, 12);
    expect(Object.keys(finished)).toEqual(["tis/x", "tis/kept"]);
    const none = new SampleMeans();
    none.addSum("x", 0);
    expect(none.finish("")).toEqual({ x: 0 });
  });
});
