import { describe, expect, it } from "vitest";
import { MismatchSummary } from "../../core/summaries/mismatch-summary.ts";
import { packPadded } from "../shared/padded.ts";
import {
  verlDebugMetrics,
  verlOffpolicyMetrics,
  verlParity,
  verlPerRoundMetrics,
} from "./mismatch-metrics.ts";

const summary = (old: number[][], rollout: number[][], mask?: number[][]): MismatchSummary =>
  MismatchSummary.of(
    packPadded({ old_log_probs: old, rollout_log_probs: rollout, ...(mask && { response_mask: mask }) }),
  );

describe("verlOffpolicyMetrics", () => {
  it("gives the extreme-token example of the NeMo-RL docs", () => {
    const metrics = verlOffpolicyMetrics(summary([[-15, -1]], [[-5, -1]]));
    expect(metrics.kl).toBeCloseTo(5, 6);
    expect(metrics.k3_kl).toBeCloseTo((Math.exp(-10) + 10 - 1) / 2, 6);
    expect(metrics.training_ppl).toBeCloseTo(Math.exp(8), 2);
    expect(metrics.rollout_ppl).toBeCloseTo(Math.exp(3), 5);
    expect(metrics.chi2_token).toBeCloseTo((Math.exp(-20) + 1) / 2 - 1, 7);
  });

  it("clamps log ratios to 20 in chi-squared and nowhere else", () => {
    const metrics = verlOffpolicyMetrics(summary([[-1]], [[-31]]));
    expect((metrics.chi2_token as number) / (Math.exp(40) - 1)).toBeCloseTo(1, 6);
    expect((metrics.chi2_seq as number) / (Math.exp(40) - 1)).toBeCloseTo(1, 6);
    expect((metrics.k3_kl as number) / (Math.exp(30) - 31)).toBeCloseTo(1, 6);
  });

  it("counts rows without a masked token, and says so beside the right figure", () => {
    const both = summary(
      [
        [-1, -1],
        [-3, -3],
      ],
      [
        [-0.5, -0.5],
        [-3, -3],
      ],
      [
        [1, 1],
        [0, 0],
      ],
    );
    const logged = verlParity.metrics({ summary: both, packs: [] });
    expect(logged["rollout_corr/log_ppl_diff"]).toBeCloseTo(0.25, 7);
    expect(logged["rollout_corr/log_ppl_diff_min"]).toBe(0);
    const discrepancies = verlParity.discrepancies({ summary: both, packs: [] }, logged);
    expect(discrepancies.find(({ key }) => key === "rollout_corr/log_ppl_diff")).toMatchObject({
      correct: 0.5,
    });
    expect(discrepancies.find(({ key }) => key === "rollout_corr/log_ppl_diff_min")?.reason).toContain(
      "row without a masked token",
    );
    expect(discrepancies.some(({ key }) => key === "rollout_corr/kl")).toBe(false);
  });

  it("keeps small mismatches exact, where 1 must not be subtracted", () => {
    const delta = 2 ** -20;
    const metrics = verlOffpolicyMetrics(summary([[-1 + delta]], [[-1]]));
    expect((metrics.k3_kl as number) / (delta ** 2 / 2)).toBeCloseTo(1, 5);
  });

  it("poisons what PyTorch poisons", () => {
    const nan = verlOffpolicyMetrics(summary([[Number.NaN, -1]], [[-1, -1]]));
    expect(nan.kl).toBeNaN();
    expect(nan.chi2_token).toBeNaN();
    const zero = verlOffpolicyMetrics(summary([[Number.NEGATIVE_INFINITY, -1]], [[-1, -1]]));
    expect(zero.kl).toBe(Number.POSITIVE_INFINITY);
    expect(zero.training_ppl).toBe(Number.POSITIVE_INFINITY);
    expect(zero.rollout_ppl).toBeCloseTo(Math.E, 6);
  });
});

describe("verlDebugMetrics", () => {
  it("works on probabilities, with the sample standard deviation", () => {
    const [p, q] = [
      [0.5, 0.25],
      [0.4, 0.5],
    ].map((row) => row.map(Math.log)) as [number[], number[]];
    const metrics = verlDebugMetrics(summary([q], [p]));
    expect(metrics["training/rollout_probs_diff_max"]).toBeCloseTo(0.25, 7);
    expect(metrics["training/rollout_probs_diff_mean"]).toBeCloseTo(0.175, 7);
    expect(metrics["training/rollout_probs_diff_std"]).toBeCloseTo(Math.SQRT1_2 * 0.15, 7);
    expect(metrics["training/rollout_actor_probs_pearson_corr"]).toBeCloseTo(-1, 7);
  });

  it("says valid 0 and NaN when nothing is masked in, NaN deviation for one token", () => {
    expect(verlDebugMetrics(summary([[-1]], [[-1]], [[0]]))).toEqual({
      "training/rollout_probs_diff_valid": 0,
      "training/rollout_probs_diff_max": Number.NaN,
      "training/rollout_probs_diff_mean": Number.NaN,
      "training/rollout_probs_diff_std": Number.NaN,
      "training/rollout_actor_probs_pearson_corr": Number.NaN,
    });
    const one = verlDebugMetrics(summary([[-1]], [[-2]]));
    expect(one["training/rollout_probs_diff_valid"]).toBe(1);
    expect(one["training/rollout_probs_diff_std"]).toBeNaN();
  });

  it("treats log-prob -Infinity as probability 0", () => {
    const metrics = verlDebugMetrics(summary([[Number.NEGATIVE_INFINITY, -1]], [[0, -1]]));
    expect(metrics["training/rollout_probs_diff_max"]).toBe(1);
    expect(metrics["training/rollout_probs_diff_mean"]).toBeCloseTo(0.5, 7);
  });
});

describe("verlPerRoundMetrics", () => {
  it("pools the tokens of a round over the batch", () => {
    const metrics = verlPerRoundMetrics(
      summary(
        [
          [-1, -9, -2, -2],
          [-1, -1, -1, -9],
        ],
        [
          [-1.5, 0, -2.25, -2.25],
          [-1, -1, -1, 0],
        ],
        [
          [1, 0, 1, 1],
          [1, 1, 1, 0],
        ],
      ),
    );
    expect(metrics).toEqual({
      "per_round/total_rounds": 2,
      "per_round/round_0_abs_diff_mean": 0.125,
      "per_round/round_0_token_count": 4,
      "per_round/round_1_abs_diff_mean": 0.25,
      "per_round/round_1_token_count": 2,
      "per_round/max_round_diff": 1,
      "per_round/max_diff_value": 0.25,
    });
  });

  it("counts the tokens of a round with NaN, and passes it over as the worst", () => {
    const [old, rollout] = [
      [-1, Number.NaN, 0, -1, -2],
      [-1, -1, 0, -1.5, -2.5],
    ] as [number[], number[]];
    expect(verlPerRoundMetrics(summary([old], [rollout], [[1, 1, 0, 1, 1]]))).toEqual({
      "per_round/total_rounds": 2,
      "per_round/round_0_abs_diff_mean": Number.NaN,
      "per_round/round_0_token_count": 2,
      "per_round/round_1_abs_diff_mean": 0.5,
      "per_round/round_1_token_count": 2,
      "per_round/max_round_diff": 1,
      "per_round/max_diff_value": 0.5,
    });
    expect(verlPerRoundMetrics(summary([[Number.NaN]], [[-1]]))).toEqual({
      "per_round/total_rounds": 1,
      "per_round/round_0_abs_diff_mean": Number.NaN,
      "per_round/round_0_token_count": 1,
      "per_round/max_round_diff": -1,
    });
    const zero = verlPerRoundMetrics(summary([[Number.NEGATIVE_INFINITY, -1]], [[-1, -1]]));
    expect(zero["per_round/round_0_token_count"]).toBe(2);
    expect(zero["per_round/max_diff_value"]).toBe(Number.POSITIVE_INFINITY);
  });

  it("has only total_rounds when nothing is masked in", () => {
    expect(verlPerRoundMetrics(summary([[-1]], [[-1]], [[0]]))).toEqual({ "per_round/total_rounds": 0 });
  });
});

describe("packPadded", () => {
  it("takes the last columns of the attention mask where there is no response mask", () => {
    const block = packPadded({
      old_log_probs: [[-1, -2]],
      rollout_log_probs: [[-1, -2]],
      attention_mask: [[0, 1, 1, 0]],
    });
    expect([...block.mask]).toEqual([1, 0]);
  });

  it("refuses rows of unequal length", () => {
    expect(() => packPadded({ old_log_probs: [[-1, -2]], rollout_log_probs: [[-1]] })).toThrow(
      "cannot compare log-probs: old_log_probs has 2 tokens, rollout_log_probs 1",
    );
  });
});
