import { describe, expect, it } from "vitest";
import type { Correction, Level, Measure, Reject, Statistic, Step, Weight } from "./correction.ts";
import { correctionClauses, describeCorrection } from "./describe.ts";

const measure = (statistic: Statistic, level: Level, more: Partial<Measure> = {}): Measure => ({
  statistic,
  level,
  aggregation: "mean",
  ...more,
});

/** What is said of one step, without the clause about weights. */
function describeStep(step: Step, weight?: Weight): string {
  return correctionClauses({ ...(weight && { weight }), steps: [step] }).at(-1)!;
}

function describeWeight(weight: Weight, ...steps: Step[]): string {
  return describeCorrection({ weight, steps });
}

describe("a weight in words", () => {
  it("names its level and how a sequence's or turn's is made of its tokens'", () => {
    expect(describeWeight({ level: "token", aggregation: "sum" })).toBe("token importance weights");
    expect(describeWeight({ level: "turn", aggregation: "sum" })).toBe(
      "turn importance weights, the product of its ratios on every token of a turn",
    );
    expect(describeWeight({ level: "sequence", aggregation: "mean" })).toBe(
      "sequence importance weights, the geometric mean of its ratios on every token of a sequence",
    );
  });

  it("names its clamps, and that it is of what earlier steps left", () => {
    const weight = { level: "token", aggregation: "sum", deltaBound: 5, logBound: 20 } as const;
    expect(describeWeight(weight)).toBe(
      "token importance weights (each token's Δ clamped to ±5 nats, log-ratio clamped to ±20 nats)",
    );
    expect(describeWeight({ level: "turn", aggregation: "mean", over: "kept" })).toContain(
      "of a turn (over the tokens that remain)",
    );
  });

  it("reads on with what happens to it, in order", () => {
    const weight = { level: "token", aggregation: "sum" } as const;
    expect(describeWeight(weight, { action: "truncate", lower: 0.5 })).toBe(
      "token importance weights, truncated below at 0.5",
    );
    expect(describeWeight(weight, { action: "normalize", over: "token" })).toBe(
      "token importance weights, divided by their mean over tokens",
    );
    expect(describeWeight(weight, { action: "normalize", over: "every sequence" })).toBe(
      "token importance weights, divided by their mean over all sequences",
    );
    expect(describeWeight(weight, { action: "zero", measure: "weight", upper: 2, nan: "kept" })).toBe(
      "token importance weights, set to 0 when above 2 (NaN stays)",
    );
    expect(
      describeWeight(
        { level: "turn", aggregation: "sum" },
        { action: "zero", measure: "weight", lower: 0.1 },
      ),
    ).toContain(", set to 0 when below 0.1, for the whole turn");
  });

  it("ends at the first step that is about something else", () => {
    const weight = { level: "token", aggregation: "sum" } as const;
    const mask: Step = { action: "mask", measure: measure("k3", "token"), upper: 1 };
    expect(correctionClauses({ weight, steps: [mask, { action: "truncate", upper: 2 }] })).toEqual([
      "token importance weights",
      "a token is masked when its k3 (nats) is above 1",
      "weights are truncated above at 2",
    ]);
    expect(correctionClauses({ weight, steps: [mask, { action: "normalize", over: "sequence" }] })[2]).toBe(
      "weights are divided by their mean over sequences",
    );
  });

  it("is not a reading on where only tokens of one advantage sign lose it", () => {
    const weight = { level: "turn", aggregation: "sum" } as const;
    const step: Step = { action: "zero", measure: "weight", upper: 2, when: "positive" };
    expect(correctionClauses({ weight, steps: [step] })).toEqual([
      "turn importance weights, the product of its ratios on every token of a turn",
      "a turn with a positive advantage on average keeps its mask and loses its weight when its weight is above 2",
    ]);
  });

  it("is 1 where there is none, and that is said unless a step takes it away", () => {
    const rule = { measure: measure("k3", "token"), upper: 1 };
    expect(correctionClauses({ steps: [{ action: "mask", ...rule }] })[0]).toBe(
      "no importance weights: every weight is 1",
    );
    expect(correctionClauses({ steps: [{ action: "zero", ...rule }] })).toEqual([
      "a token keeps its mask and loses its weight when its k3 (nats) is above 1",
    ]);
  });
});

describe("a rule in words", () => {
  const reject = (of: Reject["measure"], more: Partial<Reject> = {}): Step => ({
    action: "mask",
    measure: of,
    upper: 2,
    ...more,
  });

  it("has a name for every figure of a token", () => {
    const names: Record<Exclude<Statistic, "k1">, string> = {
      ratio: "ratio p_trainer / p_rollout",
      error_ratio: "exp |Δ|",
      ratio_distance: "|ratio − 1|",
      k2: "k2 = Δ²/2 (nats)",
      k3: "k3 (nats)",
      k3_reverse: "k3 with the policies swapped (nats)",
      prob_diff: "p_trainer − p_rollout",
      abs_prob_diff: "|p_trainer − p_rollout|",
      binary_kl: "binary KL(rollout ‖ trainer) (nats)",
      binary_kl_reverse: "binary KL(trainer ‖ rollout) (nats)",
    };
    for (const [statistic, name] of Object.entries(names)) {
      expect(describeStep(reject(measure(statistic as Statistic, "token")))).toBe(
        `a token is masked when its ${name} is above 2`,
      );
    }
  });

  it("says how a turn's or sequence's figure is made of its tokens'", () => {
    const describeMeasure = (statistic: Statistic, aggregation: Measure["aggregation"]): string =>
      describeStep(reject(measure(statistic, "sequence", { aggregation })));
    const wanted: readonly [Statistic, Measure["aggregation"], string][] = [
      ["ratio", "sum", "the product of its ratios"],
      ["ratio", "mean", "the geometric mean of its ratios"],
      ["ratio", "max", "the largest of its tokens' ratio p_trainer / p_rollout"],
      ["k3", "sum", "the sum of its tokens' k3 (nats)"],
      ["k3", "mean", "the mean of its tokens' k3 (nats)"],
      ["k3", "max", "the largest of its tokens' k3 (nats)"],
    ];
    for (const [statistic, aggregation, words] of wanted) {
      expect(describeMeasure(statistic, aggregation)).toBe(`a sequence is masked when ${words} is above 2`);
    }
  });

  it("names the clamp on Δ and what the figure is over", () => {
    expect(describeStep(reject(measure("k2", "token", { deltaBound: 20 })))).toContain(
      "its k2 = Δ²/2 (nats) (Δ clamped to ±20 nats) is above 2",
    );
    const more = { deltaBound: 20, over: "kept" } as const;
    const left = "over the tokens that remain (Δ clamped to ±20 nats) is above 2";
    expect(describeStep(reject(measure("k3", "turn", more)))).toContain(
      `the mean of its tokens' k3 (nats) ${left}`,
    );
    expect(describeStep(reject(measure("ratio", "turn", more)))).toContain(
      `the geometric mean of its ratios ${left}`,
    );
    expect(describeStep(reject(measure("ratio", "turn", { ...more, aggregation: "sum" })))).toContain(
      `the product of its ratios ${left}`,
    );
  });

  it("says which side of which bound", () => {
    const bounded = (bounds: object): string =>
      describeCorrection({
        steps: [{ action: "mask", measure: measure("k3", "token"), ...bounds }],
      } as Correction);
    expect(bounded({ lower: -0.25 })).toContain("is below −0.25");
    expect(bounded({ upper: 0.1234567 })).toContain("is above 0.123457");
    expect(bounded({ lower: 1, upper: 2 })).toContain("is outside 1 to 2");
  });

  it("says whose advantage it is about, at a token and on average", () => {
    const words = (level: Level, when: Reject["when"]): string =>
      describeStep(reject(measure("k3", level), { ...(when && { when }) }));
    expect(words("token", "positive")).toContain("a token with a positive advantage is masked");
    expect(words("token", "not positive")).toContain("a token with an advantage of 0 or below is masked");
    expect(words("sequence", "negative")).toContain(
      "a sequence with a negative advantage on average is masked",
    );
  });

  it("says when only some tokens lose it, and that NaN stays", () => {
    expect(describeStep(reject(measure("k3", "sequence"), { only: "diverging tokens", nan: "kept" }))).toBe(
      "a sequence is masked when the mean of its tokens' k3 (nats) is above 2, only its tokens whose update takes the two policies further apart (advantage and Δ of one sign) (NaN stays)",
    );
  });

  it("is of the weight at the weight's own level", () => {
    expect(describeStep(reject("weight"), { level: "turn", aggregation: "sum" })).toBe(
      "a turn is masked when its weight is above 2",
    );
  });

  it("turns bounds on k1 into bounds on the ratio, side for side", () => {
    const k1 = (bounds: object, more: Partial<Measure> = {}): string =>
      describeStep({ action: "mask", measure: measure("k1", "sequence", more), ...bounds } as Step);
    expect(k1({ upper: Math.LN2 })).toContain("the geometric mean of its ratios is below 0.5");
    expect(k1({ lower: -Math.LN2 })).toContain("the geometric mean of its ratios is above 2");
    expect(k1({ lower: -Math.LN2, upper: Math.LN2 }, { aggregation: "sum" })).toContain(
      "the product of its ratios is outside 0.5 to 2",
    );
  });

  it("vetoes a sequence for one token", () => {
    const of = { ...measure("ratio", "token"), level: "token" } as const;
    expect(describeStep({ action: "veto", measure: of, upper: 4 })).toBe(
      "a whole sequence is masked when any token's ratio p_trainer / p_rollout is above 4",
    );
  });
});
