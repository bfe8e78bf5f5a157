/**
 * The guide's Hypothesis 1 as the guide tests it ("above 70 %: strong evidence", "above 1.5x", p < 0.05), and for each
 * rule whether chance alone would give the same. `scenarios.ts` explains why the limits alone say nothing.
 *
 * @module
 */
import type { Comparison, HypothesisFigures, Scenario } from "../../results/analyze.ts";
import type { ScenarioSource } from "./scenarios.ts";

const SHARE_LIMIT = 0.7;
const RATIO_LIMIT = 1.5;
const LEVEL = 0.05;

/** Hypothesis 1: the trainer learns correct answers first, and the rollout policy lags behind. */
export function testHypothesis(
  { digits, shares, comparisons }: ScenarioSource,
  scenarios: readonly Scenario[],
): HypothesisFigures {
  const { share } = shares.correct;
  const { ratio } = digits;
  const responses = comparisons.find(({ id }) => id === "digits_sequences")?.clustered ?? null;
  return {
    correct_share: share,
    share_limit: SHARE_LIMIT,
    share_above_limit: share === null ? null : share > SHARE_LIMIT,
    share_above_chance: readStatus(scenarios, "mostly_correct"),
    digits_share_above_chance: readStatus(scenarios, "digits_correct"),
    digit_ratio: ratio,
    ratio_limit: RATIO_LIMIT,
    ratio_above_limit: ratio === null ? null : ratio > RATIO_LIMIT,
    digits_p_value: responses?.p_value ?? null,
    digits_significant: isSignificant(responses),
  };
}

function readStatus(scenarios: readonly Scenario[], id: Scenario["id"]): boolean | null {
  const status = scenarios.find((scenario) => scenario.id === id)?.status;
  return status === "yes" ? true : status === "no" ? false : null;
}

function isSignificant(test: Comparison["clustered"]): boolean | null {
  const p = test?.p_value ?? null;
  return p === null ? null : p < LEVEL;
}
