import { describe, expect, it } from "vitest";
import * as derive from "./derive.ts";
import { ABS_PROB_DIFF_MEAN, FIELDS, PROB_DIFF_MEAN } from "./layout.ts";
import { emptySums, mergeSums } from "./merge.ts";
import { tokenSums } from "./scalar.ts";

function computeSums(rollout: number[], trainer: number[]): Float64Array {
  return tokenSums(Float64Array.from(rollout), Float64Array.from(trainer), undefined, 0, rollout.length);
}
const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const std = (values: number[], ddof = 0): number =>
  Math.sqrt(values.reduce((a, b) => a + (b - mean(values)) ** 2, 0) / (values.length - ddof));

const rollout = [-0.1, -0.7, -2.3, -0.01, -1.2];
const trainer = [-0.15, -0.4, -2.9, -0.02, -1.1];
const delta = trainer.map((value, i) => value - rollout[i]!);
const ratio = delta.map(Math.exp);
const diff = trainer.map((value, i) => Math.exp(value) - Math.exp(rollout[i]!));

describe("figures", () => {
  const sums = computeSums(rollout, trainer);

  it("follow their formulas", () => {
    const abs = diff.map(Math.abs);
    const figures: [number, number][] = [
      [derive.deltaMean(sums), mean(delta)],
      [derive.deltaStd(sums), std(delta)],
      [derive.deltaAbsMean(sums), mean(delta.map(Math.abs))],
      [derive.k1(sums), -mean(delta)],
      [derive.k2(sums), mean(delta.map((d) => d * d)) / 2],
      [derive.k3(sums), mean(delta.map((d) => Math.exp(d) - d - 1))],
      [derive.ratioMean(sums), mean(ratio)],
      [derive.ratioStd(sums), std(ratio)],
      [derive.chi2Token(sums), mean(ratio.map((r) => r * r)) - 1],
      [derive.chi2TokenClamped(sums), mean(ratio.map((r) => r * r)) - 1],
      [derive.effectiveSampleSize(sums), mean(ratio) ** 2 / mean(ratio.map((r) => r * r))],
      [sums[PROB_DIFF_MEAN]!, mean(diff)],
      [sums[ABS_PROB_DIFF_MEAN]!, mean(abs)],
      [derive.absProbDiffStd(sums), std(abs)],
      [derive.absProbDiffStd(sums, 0, 1), std(abs, 1)],
    ];
    for (const [i, [actual, expected]] of figures.entries())
      expect(actual, `figure ${i}`).toBeCloseTo(expected, 13);
  });

  it("keep the digits of 1 − r where r is as good as 1", () => {
    // Δ = ±h turns p into p (1 ± h), so that E = h² Σ p² and 1 − r = E / 2T with T = Σ (p − mean)², to first order.
    const h = 1e-9;
    const probs = [0.1, 0.1, 0.2, 0.2, 0.7, 0.7];
    const logprobs = probs.map(Math.log);
    const moved = logprobs.map((value, i) => value + (i % 2 === 0 ? h : -h));
    const spread = probs.reduce((sum, p) => sum + (p - mean(probs)) ** 2, 0);
    const residual = h ** 2 * probs.reduce((sum, p) => sum + p * p, 0);
    const deficit = derive.pearsonDeficit(computeSums(logprobs, moved));
    expect(deficit / (residual / (2 * spread))).toBeCloseTo(1, 5);
    expect(derive.pearson(computeSums(logprobs, moved))).toBe(1);
  });

  it("give no correlation where a policy gives every token the same probability, or there is one token", () => {
    expect(derive.pearsonDeficit(computeSums([-1, -1], [-1, -2]))).toBeNaN();
    expect(derive.pearsonDeficit(computeSums([-1, -2], [-1, -1]))).toBeNaN();
    expect(derive.pearsonDeficit(computeSums([-1], [-2]))).toBeNaN();
    expect(derive.pearson(computeSums([-1], [-2]))).toBeNaN();
    const opposite = computeSums([Math.log(0.2), Math.log(0.6)], [Math.log(0.6), Math.log(0.2)]);
    expect(derive.pearson(opposite)).toBeCloseTo(-1, 14);
    expect(derive.pearsonDeficit(opposite)).toBeCloseTo(2, 14);
  });

  it("read a table at an offset", () => {
    const table = new Float64Array(2 * FIELDS);
    table.set(sums, FIELDS);
    for (const figure of [
      derive.k1,
      derive.k2,
      derive.k3,
      derive.chi2Token,
      derive.pearson,
      derive.absProbDiffStd,
    ]) {
      expect(figure(table, FIELDS)).toBe(figure(sums));
    }
  });

  it("are NaN for no tokens", () => {
    for (const figure of Object.values(derive)) {
      expect((figure as (sums: Float64Array) => number)(emptySums()), figure.name).toBeNaN();
    }
  });
});

describe("ratios beyond the clamp", () => {
  it("count in full in chi2Token and clamped in chi2TokenClamped", () => {
    const sums = computeSums([-25, -1, -1], [-1, -1.1, -0.9]);
    const rest = Math.exp(-0.2) + Math.exp(0.2) - 3;
    expect(derive.chi2Token(sums) / ((Math.exp(48) + rest) / 3)).toBeCloseTo(1, 12);
    expect(derive.chi2TokenClamped(sums) / ((Math.exp(40) + rest) / 3)).toBeCloseTo(1, 12);
    expect(derive.ratioMean(sums) / ((Math.exp(24) + Math.exp(-0.1) + Math.exp(0.1)) / 3)).toBeCloseTo(1, 12);
    expect(derive.effectiveSampleSize(sums)).toBeCloseTo(1 / 3, 9);
  });

  it("spread as all others do, several of them beside tokens within the clamp", () => {
    const trainer = [-0.5, -0.3, -0.4, -1, -1.2];
    const rollout = [-21, -20.9, -22, -1.3, -0.9];
    const ratio = trainer.map((value, i) => Math.exp(value - rollout[i]!));
    const sums = computeSums(rollout, trainer);
    const square = mean(ratio.map((value) => value * value));
    for (const [figure, wanted] of [
      [derive.ratioMean, mean(ratio)],
      [derive.ratioStd, std(ratio)],
      [derive.chi2Token, square - 1],
      [derive.effectiveSampleSize, mean(ratio) ** 2 / square],
    ] as const)
      expect(figure(sums) / wanted, figure.name).toBeCloseTo(1, 12);
    const within = ratio.slice(3).reduce((sum, value) => sum + value * value - 1, 0);
    const clamped = (3 * Math.expm1(40) + within) / 5;
    expect(derive.chi2TokenClamped(sums) / clamped).toBeCloseTo(1, 12);
    // Of the two within, what they add shows only where the others are taken away.
    const alone = computeSums(rollout.slice(3), trainer.slice(3));
    expect(derive.chi2TokenClamped(alone)).toBeCloseTo(within / 2, 12);
  });

  it("leave the effective sample size at its limit when they overflow", () => {
    for (const rollout of [-400, -9999]) {
      const sums = computeSums([rollout, -1, -1, -1], [-0.5, -1, -1, -1]);
      expect(derive.effectiveSampleSize(sums)).toBe(0.25);
      expect(derive.chi2Token(sums)).toBe(Number.POSITIVE_INFINITY);
      expect(derive.chi2TokenClamped(sums)).toBeLessThan(1e18);
    }
  });
});

describe("pearson", () => {
  const correlation = (x: number[], y: number[]): number =>
    mean(x.map((value, i) => (value - mean(x)) * (y[i]! - mean(y)))) / std(x) / std(y);
  const probs = (values: number[]): number[] => values.map(Math.exp);

  it("is the correlation of the two probabilities", () => {
    for (const other of [trainer, rollout.map((value) => -2.31 - value), [-1, -1.5, -0.2, -3, -0.4]]) {
      const sums = computeSums(rollout, other);
      expect(derive.pearson(sums)).toBeCloseTo(correlation(probs(rollout), probs(other)), 12);
      expect(derive.pearsonDeficit(sums)).toBeCloseTo(1 - correlation(probs(rollout), probs(other)), 12);
    }
  });

  it("is 1 where p' is a multiple of p, and keeps the distance from 1 when it is tiny", () => {
    const scaled = rollout.map((value) => value - 0.105);
    expect(derive.pearson(computeSums(rollout, scaled))).toBe(1);
    const noise = [1e-6, -2e-6, 0, 3e-6, -1e-6];
    const noisy = computeSums(
      rollout,
      scaled.map((value, i) => value + noise[i]!),
    );
    // To first order 1 − r is half the relative variance that p · noise adds around its own regression on p.
    const x = probs(rollout);
    const z = x.map((p, i) => p * noise[i]!);
    const slope = (correlation(x, z) * std(z)) / std(x);
    const residual = std(z.map((value, i) => value - slope * x[i]!));
    expect(derive.pearsonDeficit(noisy) / (residual ** 2 / std(x) ** 2 / 2)).toBeCloseTo(1, 4);
  });

  it("is NaN for one token, and where a policy gives all tokens the same probability", () => {
    expect(derive.pearson(computeSums([-1], [-2]))).toBeNaN();
    expect(derive.pearson(computeSums([-1, -1, -1], [-2, -1, -3]))).toBeNaN();
    for (let seed = 1; seed < 40; seed++) {
      const different = Array.from({ length: 3 + (seed % 9) }, (_, i) => -3 * ((i * seed * 0.618) % 1));
      expect(
        derive.pearson(
          computeSums(
            different,
            different.map(() => -0.7),
          ),
        ),
      ).toBeNaN();
    }
  });

  it("survives merging without losing the distance from 1", () => {
    const n = 400;
    const base = Array.from({ length: n }, (_, i) => -2 * ((i * 0.618) % 1));
    const other = base.map((value, i) => value - 0.105 + 1e-6 * Math.sin(i));
    const parts = emptySums();
    for (let from = 0; from < n; from += 10)
      mergeSums(parts, computeSums(base.slice(from, from + 10), other.slice(from, from + 10)));
    expect(derive.pearsonDeficit(parts) / derive.pearsonDeficit(computeSums(base, other))).toBeCloseTo(1, 7);
  });
});

it("has the distance of Pearson's r from 1 where r itself rounds to 1", () => {
  const e = 1e-7;
  const p = [0.2, 0.4, 0.6, 0.8];
  // Without slope on p, so that 1/r² = 1 + Σe² / Σ(p − mean)².
  const moved = [0.2 + e, 0.4 - e, 0.6 - e, 0.8 + e];
  const sums = computeSums(p.map(Math.log), moved.map(Math.log));
  const x = (4 * e * e) / 0.2;
  expect(derive.pearsonDeficit(sums) / (x / 2)).toBeCloseTo(1, 6);
  expect(derive.pearson(sums)).toBeLessThan(1);
  const turned = computeSums(p.map(Math.log), [...p].reverse().map(Math.log));
  expect(derive.pearsonDeficit(turned)).toBeCloseTo(2, 12);
});
