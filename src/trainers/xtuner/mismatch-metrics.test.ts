import { describe, expect, it } from "vitest";
import { MismatchSummary } from "../../core/summaries/mismatch-summary.ts";
import { packPadded } from "../shared/padded.ts";
import { mergeXtunerMetrics, xtunerMismatchMetrics, xtunerParity } from "./mismatch-metrics.ts";

const sums = (old: number[], rollout: number[], mask?: number[]): Float64Array =>
  MismatchSummary.of(
    packPadded({
      old_log_probs: [old],
      rollout_log_probs: [rollout],
      ...(mask && { response_mask: [mask] }),
    }),
  ).sums;

describe("xtunerMismatchMetrics", () => {
  it("takes the pack for one sequence", () => {
    const metrics = xtunerMismatchMetrics(sums([-1, -3], [-0.5, -2]));
    expect(metrics["mismatch/mismatch_kl"]).toBeCloseTo(0.75, 7);
    expect(metrics["mismatch/mismatch_log_ppl_diff_max"]).toBe(metrics["mismatch/mismatch_log_ppl_diff_min"]);
    expect(metrics["mismatch/mismatch_training_ppl"]).toBeCloseTo(Math.exp(2), 5);
    expect(metrics["mismatch/mismatch_logprob_abs_diff"]).toBeCloseTo(0.75, 7);
  });
});

describe("mergeXtunerMetrics", () => {
  const long = xtunerMismatchMetrics(sums([-1, -1, -1], [-1, -1, -1]));
  const short = xtunerMismatchMetrics(sums([-1], [-0.5]));
  const empty = xtunerMismatchMetrics(sums([-1], [-9], [0]));

  it("refuses packs of different settings, which would merge to NaN", () => {
    expect(() => mergeXtunerMetrics([long, { "mismatch/valid": 1 }])).toThrow(
      "pack 1 has no mismatch/mismatch_training_ppl",
    );
  });

  it("weights packs alike whatever their length, takes maxima and minima, drops invalid packs", () => {
    const merged = mergeXtunerMetrics([long, short, empty]);
    expect(merged["mismatch/mismatch_kl"]).toBeCloseTo(0.25, 7);
    expect(merged["mismatch/mismatch_log_ppl_diff_max"]).toBeCloseTo(0.5, 7);
    expect(merged["mismatch/mismatch_log_ppl_diff_min"]).toBeCloseTo(0, 7);
    expect(merged).not.toHaveProperty("mismatch/valid");
  });

  it("says 0 when no pack is valid, as xtuner does", () => {
    expect(mergeXtunerMetrics([empty])["mismatch/mismatch_kl"]).toBe(0);
  });
});

describe("xtuner discrepancies", () => {
  it("sets the token mean beside the mean of pack means, with the reason", () => {
    const summary = MismatchSummary.of(
      packPadded({ old_log_probs: [[-1, -1, -1], [-1]], rollout_log_probs: [[-1, -1, -1], [-0.5]] }),
    );
    const batch = { summary, packs: [sums([-1, -1, -1], [-1, -1, -1]), sums([-1], [-0.5])] };
    const discrepancy = xtunerParity
      .discrepancies(batch, xtunerParity.metrics(batch))
      .find(({ key }) => key === "mismatch/mismatch_kl");
    expect(discrepancy?.logged).toBeCloseTo(0.25, 7);
    expect(discrepancy?.correct).toBeCloseTo(0.125, 7);
    expect(discrepancy?.reason).toContain("mean of pack means");
  });
});
