import { describe, expect, it } from "vitest";
import { MismatchSummary } from "../../core/summaries/mismatch-summary.ts";
import { packPadded } from "../shared/padded.ts";
import { verlOffpolicyMetrics, verlParity } from "./mismatch-metrics.ts";

const summarize = (old: number[][], rollout: number[][], mask?: number[][]): MismatchSummary =>
  MismatchSummary.of(
    packPadded({ old_log_probs: old, rollout_log_probs: rollout, ...(mask && { response_mask: mask }) }),
  );
const { POSITIVE_INFINITY: inf, NEGATIVE_INFINITY: minusInf } = Number;

describe("verl's figures beside the right ones", () => {
  // Rows of mean log-probs −1 and −2 for the trainer, −0.5 and −2.5 for the rollout, and one without a token.
  const summary = summarize([[-1], [-2], [-3]], [[-0.5], [-2.5], [-3]], [[1], [1], [0]]);
  const logged = verlParity.metrics({ summary, packs: [] });
  const found = verlParity.discrepancies({ summary, packs: [] }, logged);

  it.each<[key: string, logged: number, correct: number]>([
    ["training_ppl", (Math.E + Math.E ** 2 + 1) / 3, (Math.E + Math.E ** 2) / 2],
    ["training_log_ppl", 1, 1.5],
    ["rollout_ppl", (Math.exp(0.5) + Math.exp(2.5) + 1) / 3, (Math.exp(0.5) + Math.exp(2.5)) / 2],
    ["rollout_log_ppl", 1, 1.5],
    ["log_ppl_abs_diff", 1 / 3, 0.5],
    // exp(log ppl of the trainer − that of the rollout) = e^0.5 and e^−0.5
    ["ppl_ratio", (Math.exp(0.5) + Math.exp(-0.5) + 1) / 3, (Math.exp(0.5) + Math.exp(-0.5)) / 2],
    ["chi2_seq", (Math.exp(-1) + Math.E - 2) / 3, (Math.exp(-1) + Math.E - 2) / 2],
  ])("%s counts the row without a masked token", (name, wrong, right) => {
    const key = `rollout_corr/${name}`;
    expect(logged[key]).toBeCloseTo(wrong, 5);
    const discrepancy = found.find((each) => each.key === key);
    expect(discrepancy?.correct).toBeCloseTo(right, 5);
    expect(discrepancy?.reason).toMatch(/a row without a masked token adds /);
  });

  it("say of χ² that verl clamps, and nothing where nothing is clamped and every row has tokens", () => {
    const far = summarize([[-1]], [[-31]]);
    const said = verlParity.discrepancies(
      { summary: far, packs: [] },
      verlParity.metrics({ summary: far, packs: [] }),
    );
    expect(said.map(({ key, reason }) => [key, reason])).toContainEqual([
      "rollout_corr/chi2_token",
      "verl clamps log ratios to ±20 before squaring",
    ]);
    const sound = summarize([[-1], [-2]], [[-1.1], [-2.1]]);
    expect(
      verlParity.discrepancies(
        { summary: sound, packs: [] },
        verlParity.metrics({ summary: sound, packs: [] }),
      ),
    ).toEqual([]);
  });

  it("are within a hair of the right mean: verl adds 1e-8 to the number of tokens", () => {
    // Δ = 0: mean ρ² − 1 is −1e-8 / (1 + 1e-8), not 0.
    expect(verlOffpolicyMetrics(summarize([[-1]], [[-1]])).chi2_token).toBeCloseTo(-1e-8, 12);
    expect(verlOffpolicyMetrics(summarize([[-1]], [[-1.5]])).chi2_token).toBeCloseTo(Math.E - 1, 6);
  });
});

describe("a probability of 0", () => {
  const trainer = verlOffpolicyMetrics(summarize([[minusInf, -1]], [[-1, -1]]));
  const rollout = verlOffpolicyMetrics(summarize([[-1, -1]], [[minusInf, -1]]));

  it.each<[key: string, trainerZero: number | undefined, rolloutZero: number | undefined]>([
    ["training_ppl", inf, undefined],
    ["training_log_ppl", inf, undefined],
    ["rollout_ppl", undefined, inf],
    ["rollout_log_ppl", undefined, inf],
    ["kl", inf, minusInf],
    ["k3_kl", inf, inf],
    ["log_ppl_diff", inf, minusInf],
    ["log_ppl_abs_diff", inf, inf],
    ["log_ppl_diff_max", inf, undefined],
    ["log_ppl_diff_min", undefined, minusInf],
    ["ppl_ratio", inf, undefined],
  ])("reaches %s as in PyTorch: %s of the trainer, %s of the rollout", (key, trainerZero, rolloutZero) => {
    if (trainerZero !== undefined) expect(trainer[key]).toBe(trainerZero);
    else expect(Number.isFinite(trainer[key])).toBe(true);
    if (rolloutZero !== undefined) expect(rollout[key]).toBe(rolloutZero);
    else expect(Number.isFinite(rollout[key])).toBe(true);
  });
});
