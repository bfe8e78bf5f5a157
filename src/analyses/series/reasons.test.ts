import { describe, expect, it } from "vitest";
import type { RecognisedMetric } from "../../trainers/logged/recognise.ts";
import { agrees, type ComparedStep, findReason } from "./reasons.ts";

const metric = (known: Partial<RecognisedMetric>): RecognisedMetric => ({
  key: "a/key",
  trainer: "verl",
  meaning: "",
  unit: "",
  worse: "larger",
  ...known,
});

const step = (logged: number | null, right: number | null, tokens = 1000, formula: number | null = null) =>
  ({ step: 1, logged, right, formula, metrics: { tokens, sequences: 10 } }) as unknown as ComparedStep;

describe("whether two values are one up to rounding", () => {
  it.each<[figure: RecognisedMetric["figure"], a: number | null, b: number | null, agree: boolean]>([
    ["k3", 100, 100.1, true],
    ["k3", 100, 100.11, false],
    ["k3", 100.11, 100, false],
    ["k3", 0, 1e-6, true],
    ["k3", 0, 1.1e-6, false],
    ["k3", -1, 1, false],
    // Of what is missing to 1, which is 0.001 here: a thousandth of it is all that rounding may change.
    ["pearson", 0.999, 0.9990015, true],
    ["pearson", 0.999, 0.99901, false],
    ["ess", 0.999, 0.99901, false],
    ["ratio_mean", 0.999, 0.99901, false],
    ["k3", 0.999, 0.99901, true],
    // Far from 1, the larger distance counts.
    ["ess", 0, 0.0009, true],
    ["k3", null, null, true],
    ["k3", null, 1, false],
    ["k3", 0, null, false],
  ])("%s: %s and %s", (figure, a, b, agree) => {
    expect(agrees(a, b, metric({ ...(figure !== undefined && { figure }) }))).toBe(agree);
  });
});

describe("the reason why values differ", () => {
  const k1 = metric({ figure: "k1", worse: "away", neutral: 0 });

  it("is a reversed sign where it fits every step that has both values", () => {
    const reversed = /^the sign is reversed: the log has trainer − rollout/;
    expect(findReason([step(-0.1, 0.1), step(0.2, -0.2)], k1)).toMatch(reversed);
    expect(findReason([step(-0.1, 0.1), step(null, 0.2), step(0.3, null)], k1)).toMatch(reversed);
    expect(findReason([step(-0.1, 0.1), step(0.2, 0.2)], k1)).toBeNull();
    // By the trainer's own formula first.
    expect(findReason([step(-0.1, 9, 1000, 0.1)], k1)).toMatch(reversed);
  });

  it("is counted padding for every mean over tokens, with the width", () => {
    const padded = [step(0.1, 0.2, 1000), step(0.1, 0.4, 500)];
    for (const figure of ["delta_abs_mean", "delta_mean", "k1", "k2", "k3", "prob_diff_mean"] as const)
      expect(findReason(padded, metric({ figure }))).toBe(
        "padding was counted: the mean is over 10 × 200 positions, of which 1,000 tokens are in the mask",
      );
    expect(findReason(padded, metric({ figure: "chi2_token" }))).toBeNull();
    expect(findReason(padded, metric({}))).toBeNull();
    expect(findReason(padded.slice(1), metric({ figure: "k3" }))).toBeNull();
  });

  it("writes one token in the singular", () => {
    expect(findReason([step(0.01, 0.2, 1), step(0.01, 0.2, 1)], metric({ figure: "k3" }))).toBe(
      "padding was counted: the mean is over 10 × 2 positions, of which 1 token is in the mask",
    );
  });

  it("is not padding where widths differ by more than rounding, or a step fills the width", () => {
    const k3 = metric({ figure: "k3", quirk: "it is rounded" });
    // Widths of 500 and 501 are one up to 0.2 %, 500 and 502 are not.
    expect(findReason([step(0.2, 1, 1000), step(0.2, 1.002, 1000)], k3)).toMatch(/10 × 500 positions/);
    expect(findReason([step(0.2, 1, 1000), step(0.2, 1.004, 1000)], k3)).toBe("it is rounded");
    // 10 sequences of 100 tokens leave no room for padding in the second step.
    expect(findReason([step(0.1, 0.2, 500), step(0.2, 0.2, 1000)], k3)).toBe("it is rounded");
  });

  it("is the trainer's quirk where the numbers show nothing, and none where no step has both values", () => {
    const quirk = metric({ figure: "k3", quirk: "it is cut at 20" });
    expect(findReason([step(1, 5)], quirk)).toBe("it is cut at 20");
    expect(findReason([step(null, 5), step(1, null)], quirk)).toBeNull();
    expect(findReason([step(1, 5)], metric({ figure: "k3" }))).toBeNull();
  });
});
