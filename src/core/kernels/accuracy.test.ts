import { describe, expect, it } from "vitest";
import * as derive from "./derive.ts";
import {
  ABS_PROB_DIFF_MAX,
  ABS_PROB_DIFF_MEAN,
  DELTA_MAX,
  DELTA_MIN,
  NEGATIVE_SUM,
  POSITIVE_SUM,
  ROLLOUT_SUM,
  TRAINER_SUM,
} from "./layout.ts";
import { mismatchSums } from "./mismatch.ts";

let state = 7;
function uniform(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state + 0.5) / 2 ** 32;
}
function normal(): number {
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
/** Log-probs as sampled tokens have them: many almost certain, a few unlikely. */
function ordinary(): number {
  const kind = uniform();
  return Math.fround(kind < 0.4 ? -1e-7 - 1e-3 * uniform() : kind < 0.8 ? -0.2 * uniform() : -4 * uniform());
}
type Token = [rollout: number, trainer: number];

function noise(scale: number): () => Token {
  return () => {
    const rollout = ordinary();
    return [rollout, rollout + scale * normal()];
  };
}
function shifted(from: number, by: number, scale: number): () => Token {
  return () => {
    const rollout = Math.fround(ordinary() + from);
    return [rollout, rollout + by + scale * normal()];
  };
}
function withOne(token: Token): (i: number) => Token {
  return (i) => (i === 3 ? token : noise(0.01)());
}

const CASES: Record<string, (i: number) => Token> = {
  ...Object.fromEntries(
    [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1, 3, 10].map((s) => [`noise ${s}`, noise(s)]),
  ),
  "Δ = −0.105 ± 1e-6": shifted(-1, -0.105, 1e-6),
  "Δ = −0.105 ± 1e-6, likely tokens": shifted(-0.01, -0.105, 1e-6),
  "Δ = −5 ± 0.5": shifted(-1, -5, 0.5),
  "Δ = 2 ± 0.1": shifted(-3, 2, 0.1),
  "Δ = 0.3 ± 0.05": shifted(-1, 0.3, 0.05),
  "Δ proportional to log p": () => {
    const rollout = ordinary();
    return [rollout, 1.1 * rollout];
  },
  "one −5 against −15": withOne([-5, -15]),
  "one −0.1 against −90": withOne([-0.1, -90]),
  "one −30.5 against −0.5": withOne([-30.5, -0.5]),
  "very confident": () => [-1e-7 * uniform(), -1e-7 * uniform()],
  "very confident, one value": (i) => [-1e-7, i % 9 === 0 ? -2e-7 : -1e-7],
  "log p about −80": () => {
    const rollout = Math.fround(-80 + 3 * normal());
    return [rollout, rollout + 0.1 * normal()];
  },
  "log p about −12": () => {
    const rollout = Math.fround(-12 + 3 * normal());
    return [rollout, rollout + 0.1 * normal()];
  },
  subnormal: () => [-1e-40 * uniform(), -1e-40 * uniform()],
  "zeros among others": (i) => (i % 3 === 0 ? [0, 0] : noise(1e-4)()),
  "probabilities above 1": () => [uniform(), uniform()],
};

const FIGURES: Record<string, (sums: Float64Array) => number> = {
  k1: derive.k1,
  k2: derive.k2,
  k3: derive.k3,
  ess: derive.effectiveSampleSize,
  "1 − ess": (sums) => {
    const variance = derive.ratioStd(sums) ** 2;
    return variance / (derive.ratioMean(sums) ** 2 + variance);
  },
  "std Δ": derive.deltaStd,
  "mean ρ": derive.ratioMean,
  "std ρ": derive.ratioStd,
  "mean |Δp|": (sums) => sums[ABS_PROB_DIFF_MEAN]!,
  "std |Δp|": derive.absProbDiffStd,
  "max |Δp|": (sums) => sums[ABS_PROB_DIFF_MAX]!,
  "1 − r": derive.pearsonDeficit,
  "mean |Δ|": derive.deltaAbsMean,
  min: (sums) => sums[DELTA_MIN]!,
  max: (sums) => sums[DELTA_MAX]!,
  "Σ Δ > 0": (sums) => sums[POSITIVE_SUM]!,
  "Σ Δ < 0": (sums) => sums[NEGATIVE_SUM]!,
  "Σ rollout": (sums) => sums[ROLLOUT_SUM]!,
  "Σ trainer": (sums) => sums[TRAINER_SUM]!,
};

describe("single precision per token is accurate at every scale", () => {
  for (const [name, token] of Object.entries(CASES)) {
    it(name, () => {
      for (const [n, tolerance] of [
        [5, 1e-5],
        [20, 1e-5],
        [50, 1e-5],
        [3000, 2e-6],
        [30_000, 1e-6],
      ] as const) {
        const tokens = Array.from({ length: n }, (_, i) => token(i));
        const block = {
          rollout: Float32Array.from(tokens, ([rollout]) => rollout),
          trainer: Float32Array.from(tokens, ([, trainer]) => trainer),
          mask: new Uint8Array(n).fill(1),
          offsets: Int32Array.of(0, n),
        };
        const actual = mismatchSums(block).rows;
        const expected = mismatchSums(block, { engine: "scalar" }).rows;
        for (const [figure, of] of Object.entries(FIGURES)) {
          const [a, e] = [of(actual), of(expected)];
          if (Object.is(a, e) || a === e) continue;
          expect(
            Math.abs(a - e) / Math.abs(e),
            `${figure} of ${n} tokens: ${a} instead of ${e}`,
          ).toBeLessThan(tolerance);
        }
        // Signed, so measured against its own parts: ρ² − 1 = 2(ρ − 1) + (ρ − 1)².
        const parts = derive.ratioStd(expected) ** 2 + 2 * Math.abs(derive.ratioMean(expected) - 1);
        const chi2 = derive.chi2Token(expected);
        expect(Math.abs(derive.chi2Token(actual) - chi2)).toBeLessThanOrEqual(
          1e-6 * Math.max(parts, Math.abs(chi2)),
        );
      }
    });
  }
});
