import { describe, expect, it } from "vitest";
import type { Correction, Measure, Reject, Statistic, Weight } from "./correction.ts";
import { correctionClauses, describeCorrection } from "./describe.ts";

const clause = (step: Correction["steps"][number], weight?: Weight): string =>
  correctionClauses({ ...(weight && { weight }), steps: [step] }).at(-1)!;
const TOKEN: Weight = { level: "token", aggregation: "sum" };
const SEQUENCE: Weight = { level: "sequence", aggregation: "sum" };
const measure = (statistic: Statistic, more: Partial<Measure> = {}): Measure => ({
  statistic,
  level: "token",
  aggregation: "mean",
  ...more,
});
const mask = (more: Partial<Reject>): Reject => ({
  action: "mask",
  measure: measure("ratio"),
  ...more,
});

describe("bounds", () => {
  it("say on which side they are", () => {
    expect(clause(mask({ upper: 2 }))).toMatch(/^a token is masked when its ratio .* is above 2$/);
    expect(clause(mask({ lower: 0.5 }))).toMatch(/ is below 0\.5$/);
    expect(clause(mask({ lower: 0.5, upper: 2 }))).toMatch(/ is outside 0\.5 to 2$/);
  });

  it("of truncated weights say below and above", () => {
    const truncated = (bounds: { lower?: number; upper?: number }): string =>
      describeCorrection({ weight: TOKEN, steps: [{ action: "truncate", ...bounds }] });
    expect(truncated({ upper: 2 })).toBe("token importance weights, truncated above at 2");
    expect(truncated({ lower: 0.5 })).toBe("token importance weights, truncated below at 0.5");
    expect(truncated({ lower: 0.5, upper: 2 })).toBe(
      "token importance weights, truncated below at 0.5 and above at 2",
    );
  });

  it("on k1 are turned round: a large k1 is a small ratio", () => {
    const of = (bounds: { lower?: number; upper?: number }): string =>
      clause(mask({ measure: measure("k1"), ...bounds }));
    expect(of({ upper: Math.log(2) })).toMatch(/ratio p_trainer \/ p_rollout is below 0\.5$/);
    expect(of({ lower: -Math.log(5) })).toMatch(/ratio p_trainer \/ p_rollout is above 5$/);
  });

  it("keep their sign, and no digit of rounding", () => {
    expect(clause(mask({ measure: measure("prob_diff"), lower: -0.2 }))).toMatch(/is below −0\.2$/);
    expect(clause(mask({ upper: 0.1 + 0.2 }))).toMatch(/above 0\.3$/);
  });
});

describe("what happens", () => {
  it("is masked, loses its weight, or is masked whole by one token", () => {
    const zero = clause({ action: "zero", measure: measure("k3"), upper: 0.1 }, TOKEN);
    expect(zero).toMatch(/^a token keeps its mask and loses its weight when its k3 \(nats\) is above 0\.1$/);
    const veto = clause({
      action: "veto",
      measure: { statistic: "k2", level: "token", aggregation: "mean" },
      upper: 1,
    });
    expect(veto).toMatch(/^a whole sequence is masked when any token's k2 = Δ²\/2 \(nats\) is above 1$/);
  });

  it("to a weight is for its level", () => {
    const outside = (weight: Weight): string =>
      describeCorrection({ weight, steps: [{ action: "zero", measure: "weight", lower: 0.5, upper: 2 }] });
    expect(outside(TOKEN)).toBe("token importance weights, set to 0 when outside 0.5 to 2");
    expect(outside(SEQUENCE)).toMatch(/, set to 0 when outside 0\.5 to 2, for the whole sequence$/);
    expect(clause({ action: "mask", measure: "weight", upper: 2 }, SEQUENCE)).toBe(
      "a sequence is masked when its weight is above 2",
    );
    const positive = { action: "zero", measure: "weight", upper: 2, when: "positive" } as const;
    expect(clause(positive, SEQUENCE)).toBe(
      "a sequence with a positive advantage on average keeps its mask and loses its weight when its weight is above 2",
    );
  });

  it("to what is divided by a mean says over what", () => {
    const over = (of: "token" | "sequence" | "every sequence"): string =>
      describeCorrection({ weight: TOKEN, steps: [{ action: "normalize", over: of }] });
    expect(over("token")).toMatch(/, divided by their mean over tokens$/);
    expect(over("sequence")).toMatch(/, divided by their mean over sequences$/);
    expect(over("every sequence")).toMatch(/, divided by their mean over all sequences$/);
  });

  it("depends on the advantage's sign where it says so", () => {
    const when = (sign: Reject["when"], level: Measure["level"] = "token"): string =>
      clause(mask({ upper: 2, measure: measure("k3", { level }), ...(sign && { when: sign }) }));
    expect(when("positive")).toMatch(/^a token with a positive advantage is masked/);
    expect(when("negative")).toMatch(/^a token with a negative advantage is masked/);
    expect(when("not positive")).toMatch(/^a token with an advantage of 0 or below is masked/);
    expect(when("negative", "sequence")).toMatch(
      /^a sequence with a negative advantage on average is masked/,
    );
    expect(when(undefined)).toMatch(/^a token is masked/);
  });

  it("spares NaN and what does not diverge where it says so", () => {
    expect(clause(mask({ upper: 2, nan: "kept" }))).toMatch(/above 2 \(NaN stays\)$/);
    expect(clause(mask({ upper: 2, only: "diverging tokens" }))).toMatch(
      /above 2, only its tokens whose update takes the two policies further apart/,
    );
  });
});

describe("what is measured", () => {
  it("has a name for each statistic", () => {
    const names: [Statistic, string][] = [
      ["ratio", "its ratio p_trainer / p_rollout"],
      ["error_ratio", "its exp |Δ|"],
      ["ratio_distance", "its |ratio − 1|"],
      ["k2", "its k2 = Δ²/2 (nats)"],
      ["k3", "its k3 (nats)"],
      ["k3_reverse", "its k3 with the policies swapped (nats)"],
      ["prob_diff", "its p_trainer − p_rollout"],
      ["abs_prob_diff", "its |p_trainer − p_rollout|"],
      ["binary_kl", "its binary KL(rollout ‖ trainer) (nats)"],
      ["binary_kl_reverse", "its binary KL(trainer ‖ rollout) (nats)"],
    ];
    for (const [statistic, name] of names)
      expect(clause(mask({ measure: measure(statistic), upper: 2 }))).toBe(
        `a token is masked when ${name} is above 2`,
      );
  });

  it("is a product, a mean, a sum or the largest over a sequence", () => {
    const over = (statistic: Statistic, aggregation: Measure["aggregation"], more: Partial<Measure> = {}) =>
      clause(mask({ measure: measure(statistic, { level: "sequence", aggregation, ...more }), upper: 2 }));
    expect(over("ratio", "sum")).toContain("when the product of its ratios is above 2");
    expect(over("ratio", "mean")).toContain("when the geometric mean of its ratios is above 2");
    expect(over("k3", "sum")).toContain("when the sum of its tokens' k3 (nats) is");
    expect(over("k3", "mean")).toContain("when the mean of its tokens' k3 (nats) is");
    expect(over("k3", "max")).toContain("when the largest of its tokens' k3 (nats) is");
    expect(over("ratio", "mean", { deltaBound: 20, over: "kept" })).toContain(
      "its ratios over the tokens that remain (Δ clamped to ±20 nats) is",
    );
  });

  it("of a weight is a token's own, a product or a geometric mean, with its clamps", () => {
    expect(describeCorrection({ weight: { ...SEQUENCE, aggregation: "mean" }, steps: [] })).toBe(
      "sequence importance weights, the geometric mean of its ratios on every token of a sequence",
    );
    expect(describeCorrection({ weight: { ...TOKEN, deltaBound: 5, logBound: 20 }, steps: [] })).toBe(
      "token importance weights (each token's Δ clamped to ±5 nats, log-ratio clamped to ±20 nats)",
    );
    expect(describeCorrection({ weight: { ...SEQUENCE, over: "kept" }, steps: [] })).toMatch(
      /\(over the tokens that remain\)$/,
    );
  });

  it("is not said to lack weights where a step takes them away", () => {
    expect(correctionClauses({ steps: [{ action: "zero", measure: measure("k3"), upper: 1 }] })).toHaveLength(
      1,
    );
    expect(correctionClauses({ steps: [mask({ upper: 1 })] })[0]).toBe(
      "no importance weights: every weight is 1",
    );
  });
});
