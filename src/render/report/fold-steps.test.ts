import { expect, it } from "vitest";
import { sampleMetrics } from "../../../test/report/sample-report.ts";
import type { StepMetrics } from "../../results/report.ts";
import { foldSteps } from "./fold-steps.ts";

function step(number: number, tokens: number, mean: number, max: number): StepMetrics {
  return {
    step: number,
    entropy: null,
    response_tokens: null,
    reward: null,
    accuracy: null,
    ...sampleMetrics(1, tokens),
    sequences: 2,
    delta_abs_mean: mean,
    delta_abs_max: max,
    k3: mean,
    prob_diff_max: max / 100,
  };
}

it("pools means by tokens and keeps maxima and the worst step", () => {
  const steps = [
    step(1, 100, 0.1, 5),
    step(2, 300, 0.2, 1),
    step(3, 100, 0.9, 2),
    step(4, 0, Number.NaN, Number.NaN),
  ];
  const [early, late] = foldSteps(steps, 2);
  expect(early).toMatchObject({
    first: 1,
    last: 2,
    steps: 2,
    sequences: 4,
    tokens: 400,
    delta_abs_max: 5,
    prob_diff_max: 0.05,
  });
  expect(early?.delta_abs_mean).toBeCloseTo(0.175, 12);
  expect(early?.worst.step).toBe(2);
  expect(late).toMatchObject({ first: 3, last: 4, tokens: 100, delta_abs_mean: 0.9, delta_abs_max: 2 });
});

it("has one range per step where there are few, and none for none", () => {
  expect(foldSteps([step(7, 1, 0.1, 1)], 20)).toHaveLength(1);
  expect(foldSteps([], 20)).toEqual([]);
});

it("lets an overflow to infinity through: it is the worst there is", () => {
  const [range] = foldSteps([step(1, 10, 0.1, 1), step(2, 10, Number.POSITIVE_INFINITY, 800)], 1);
  expect(range).toMatchObject({ delta_abs_mean: Number.POSITIVE_INFINITY, delta_abs_max: 800 });
  expect(range?.worst.step).toBe(2);
});
