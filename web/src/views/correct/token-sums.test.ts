import { describe, expect, it } from "vitest";
import type { CorrectBins } from "../../../../src/results/view.ts";
import { tokenSums } from "./token-sums.ts";

/** Bins below −1, −1 to 0, 0 to 1, and above 1; the open ones have average ratios of e^−3 and e^4. */
const SUMS: CorrectBins = {
  edges: [null, -1, 0, 1, null],
  groups: [
    {
      name: "right",
      tokens: [10, 20, 40, 30],
      rho: [10 * Math.exp(-3), 14, 60, 30 * Math.exp(4)],
      rho_squares: [1, 2, 3, 4],
      abs_advantage: [1, 2, 3, 4],
    },
  ],
  by_length: [{ from: 1, to: 9, tokens: [10, 20, 40, 30] }],
  by_reward: [],
};

describe("sums below a Δ", () => {
  const { below, sides, quantile, byLength } = tokenSums(SUMS);
  const tokens = (delta: number): number => below("right", "tokens", delta);

  it("count all of an open bin above its mean, and nothing of it below", () => {
    expect([-3.01, -2.99].map(tokens)).toEqual([0, 10]);
    expect([3.99, 4.01].map(tokens)).toEqual([70, 100]);
  });

  it("are linear within a bin that has two ends", () => {
    expect([-1, -0.75, -0.5, 0, 0.5, 1].map(tokens)).toEqual([10, 15, 20, 30, 50, 70]);
    expect(below("right", "rho", 0.5)).toBeCloseTo(10 * Math.exp(-3) + 14 + 30, 12);
  });

  it("are nothing and everything at the ends, and 0 for an absent side", () => {
    expect([-Infinity, Infinity].map(tokens)).toEqual([0, 100]);
    expect(sides).toEqual(["right"]);
    expect(below("wrong", "tokens", 1)).toBe(0);
  });

  it("of groups exclude the low open bin and include the high one", () => {
    const [group] = byLength;
    expect([-9, -0.5, 0.5, 1, 9, Infinity].map((delta) => group!.below(delta))).toEqual([
      0, 20, 50, 100, 100, 100,
    ]);
  });

  it("give the Δ below which a share lies", () => {
    expect([0.05, 0.2, 0.4, 0.6, 0.99].map((share) => quantile(share))).toEqual([-1, -1, 0, 1, 1]);
  });
});
