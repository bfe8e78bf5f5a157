import { expect, it } from "vitest";
import type { SweepReport, TokenBudget } from "../../results/sweep.ts";
import { budgetSentence } from "./budget.ts";

const BUDGET: TokenBudget = {
  delta_mean: 0,
  delta_variance_within: 1e-4,
  delta_variance_between: 0,
  ess_half: 6931,
  in_bounds: 4805,
  sequence_length_mean: 250,
  ess_at_mean_length: 0.975,
};

const said = (token_budget: TokenBudget | null): string | undefined =>
  budgetSentence({ corrections: [{ token_budget }], metrics: { ess_seq: 0.25 } } as unknown as SweepReport);

it("says how long sequences may be, where their ESS halves, and predicted before measured", () => {
  expect(said(BUDGET)).toMatch(
    /^Product ratios: usable up to about 4,805 tokens .*; their ESS halves at 6,931, and at the mean length of 250 that is 97\.5 % if Δ is normal; measured here 25(\.0)? %\.$/,
  );
});

it("says that any length will do where both policies agree, and nothing where nothing is known", () => {
  expect(said({ ...BUDGET, ess_half: Number.POSITIVE_INFINITY })).toMatch(/sequences may have any length\.$/);
  expect(said(null)).toBeUndefined();
});
