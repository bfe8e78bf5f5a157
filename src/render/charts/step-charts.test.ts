import { expect, it } from "vitest";
import { STEP_METRICS } from "../../results/metrics/run-metrics.ts";
import type { StepSeries } from "../../results/view.ts";
import { sliceChoices, stepCharts } from "./step-charts.ts";

function series(values: Partial<Record<(typeof STEP_METRICS)[number], readonly (number | null)[]>>) {
  return Object.fromEntries(
    STEP_METRICS.map((name) => [name, values[name] ?? [null, null]]),
  ) as StepSeries["series"];
}

const data: StepSeries = {
  steps: [10, 20],
  sequences: [1, 1],
  tokens: [5, 5],
  series: series({ delta_abs_mean: [0.1, null], ess: [0.99, 0.9], k3: [0.01, 0], k1: [-0.1, 0.1] }),
  slices: [
    { by: "correct", value: "incorrect", series: { delta_abs_mean: [0.3, 0.2] } },
    { by: "correct", value: "correct", series: { delta_abs_mean: [0.1, null] } },
    { by: "rank", value: "0", series: { delta_abs_mean: [0.1, 0.1] } },
  ],
};

it("keeps gaps and says what is absent", () => {
  const { charts, absent } = stepCharts(data, null, "auto");
  expect(charts.map(({ id }) => id)).toEqual(["mean-abs-delta", "abs-delta", "kl", "ess"]);
  expect(charts[0]?.lines[0]?.values).toEqual([0.1, null]);
  expect(absent).toContain("Entropy");
  expect(absent).toContain("Reward");
});

it("offers slices of two groups or more, right before wrong, and one figure each", () => {
  expect(sliceChoices(data)).toEqual(["correct"]);
  const { charts } = stepCharts(data, "correct", "linear");
  expect(charts.map(({ id }) => id)).toEqual(["mean-abs-delta-by-correct"]);
  expect(charts[0]?.lines.map(({ label }) => label)).toEqual(["right", "wrong"]);
});

it("shows what is lost of the effective sample size on a logarithmic axis", () => {
  const { charts } = stepCharts(data, null, "log");
  const ess = charts.find(({ id }) => id === "ess");
  expect(ess?.title).toBe("1 − ESS");
  expect(ess?.lines[0]?.values[1]).toBeCloseTo(0.1, 12);
  expect(ess?.scale).toBe("log");
});

it("takes a run without steps for one without charts", () => {
  const flat = { ...data, steps: [null], series: series({ k3: [1] }) };
  expect(stepCharts(flat, null, "auto").charts).toEqual([]);
});

it("gives colors to the groups that are furthest off and says how many are faint", () => {
  const ranks = Array.from({ length: 10 }, (_, rank) => ({
    by: "rank" as const,
    value: String(rank),
    series: { delta_abs_mean: [rank, rank] },
  }));
  const { charts, faint } = stepCharts({ ...data, slices: ranks }, "rank", "auto");
  expect(faint).toBe(3);
  expect(charts[0]?.lines.find(({ color }) => color === "blue")?.label).toBe("rank 9");
  expect(charts[0]?.lines.filter(({ color }) => color === "faint").map(({ label }) => label)).toEqual([
    "rank 2",
    "rank 1",
    "rank 0",
  ]);
  expect(charts[0]?.lines.at(-1)?.color).not.toBe("faint");
});
