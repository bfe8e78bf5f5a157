import { describe, expect, it } from "vitest";
import type { Comparison, Scenario, ScenarioStatus } from "../../results/analyze.ts";
import { testHypothesis } from "./hypothesis.ts";
import type { ScenarioSource } from "./scenarios.ts";

interface Given {
  readonly share?: number | null;
  readonly ratio?: number | null;
  /** Of the test by response; undefined: there is none. */
  readonly p?: number | null;
  readonly correct?: ScenarioStatus;
  readonly digits?: ScenarioStatus;
}

function test({ share = 0.8, ratio = 2, p, correct = "yes", digits = "no" }: Given) {
  const clustered = p === undefined ? null : { p_value: p };
  const comparisons = [
    { id: "correctness_sequences", clustered: { p_value: 0.5 } },
    { id: "digits_sequences", clustered },
  ] as unknown as readonly Comparison[];
  const source = { digits: { ratio }, shares: { correct: { share } }, comparisons } as ScenarioSource;
  const scenarios = [
    { id: "mostly_correct", status: correct },
    { id: "digits_correct", status: digits },
    { id: "equal", status: "yes" },
  ] as unknown as readonly Scenario[];
  return testHypothesis(source, scenarios);
}

describe("the guide's Hypothesis 1", () => {
  it("has the guide's limits: a share above 70 %, a ratio above 1.5, p below 0.05", () => {
    expect(test({})).toMatchObject({ share_limit: 0.7, ratio_limit: 1.5 });
    expect([0.69, 0.7, 0.71, null].map((share) => test({ share }).share_above_limit)).toEqual([
      false,
      false,
      true,
      null,
    ]);
    expect([1.4, 1.5, 1.6, null].map((ratio) => test({ ratio }).ratio_above_limit)).toEqual([
      false,
      false,
      true,
      null,
    ]);
    expect([0.04, 0.05, 0.06, null].map((p) => test({ p }).digits_significant)).toEqual([
      true,
      false,
      false,
      null,
    ]);
    expect(test({ p: 0.04 }).digits_p_value).toBe(0.04);
    expect(test({})).toMatchObject({ digits_p_value: null, digits_significant: null });
  });

  it("says of each share whether chance would give the same, or that it is open", () => {
    const against = (correct: ScenarioStatus, digits: ScenarioStatus) => {
      const found = test({ correct, digits });
      return [found.share_above_chance, found.digits_share_above_chance];
    };
    expect(against("yes", "no")).toEqual([true, false]);
    expect(against("no", "yes")).toEqual([false, true]);
    expect(against("not enough data", "not enough data")).toEqual([null, null]);
  });
});
