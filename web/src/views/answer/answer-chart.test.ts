import { expect, it } from "vitest";
import { STEP_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { StepSeries } from "../../../../src/results/view.ts";
import { answerChart } from "./answer-chart.ts";

function seriesOf(means: readonly (number | null)[]): StepSeries {
  const none = means.map(() => null);
  const series = Object.fromEntries(STEP_METRICS.map((name) => [name, none]));
  return {
    steps: means.map((_, at) => 10 * at),
    series: { ...series, delta_abs_mean: means } as StepSeries["series"],
    sequences: none.map(() => 1),
    tokens: none.map(() => 1),
    slices: [],
  };
}

const PAGE = {
  zones: [
    { level: "normal", from: 0 },
    { level: "elevated", from: 0.02 },
  ],
  points: [{ x: 10, label: "step 10: k3 0.5" }],
} as const;

it("draws mean |Δ| over the steps on the bands of levels", () => {
  const spec = answerChart(seriesOf([0.001, 0.3, 0.002]), PAGE, []);
  expect(spec).toMatchObject({ scale: "log", xs: [0, 10, 20], ...PAGE });
  expect(spec?.lines).toHaveLength(1);
  expect(spec?.lines[0]?.values).toEqual([0.001, 0.3, 0.002]);
});

it("draws equal columns on a linear axis, and nothing for fewer than two steps", () => {
  expect(answerChart(seriesOf([0, 0]), PAGE, [])?.scale).toBe("linear");
  expect(answerChart(seriesOf([0.1]), PAGE, [])).toBeUndefined();
  expect(answerChart(seriesOf([0.1, null]), PAGE, [])).toBeUndefined();
});
