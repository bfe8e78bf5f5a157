import { expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { scoreRows } from "./row-scores.ts";

const FLOOR = 0.001;

it("gives the shares of a row's tokens that are claimed, missing, or 0 on one side alone", () => {
  const view = makeView([
    { rollout: [-1, -1, -1, -1, Number.NaN], trainer: [-1, -1, -1, -1, -1], mask: [1, 1, 1, 0, 1] },
    { rollout: [0, 0, -1, -1, -2e-5], trainer: [-1, -2e-5, 0, -1, 0] },
    { rollout: [-1, 0], trainer: [0, -1], mask: [0, 0] },
    { rollout: [0, -1], trainer: [0, 0] },
    { rollout: [] },
  ]);
  for (const i of [0, 3]) view.claim(i);
  expect(scoreRows(view)).toEqual(
    closely([
      {
        what: "share of tokens with a placeholder or a wrong mask",
        scores: [FLOOR + 1 / 4, FLOOR, Number.NaN, FLOOR, Number.NaN],
      },
      { what: "share of missing log-probs", scores: [FLOOR + 1 / 4, FLOOR, Number.NaN, FLOOR, Number.NaN] },
      {
        what: "share of rollout log-probs that are 0 where the trainer's are not",
        scores: [FLOOR, FLOOR + 1 / 2, Number.NaN, Number.NaN, Number.NaN],
      },
      {
        what: "share of trainer log-probs that are 0 where the rollout's are not",
        scores: [FLOOR, FLOOR + 1 / 2, Number.NaN, FLOOR + 1, Number.NaN],
      },
    ]),
  );
});
