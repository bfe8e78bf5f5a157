import { describe, expect, it } from "vitest";
import type { LoggedMetric } from "../../../../src/results/view.ts";
import { chartMetric, chooseMetrics, MOST_CHARTS } from "./logged.ts";

function made(metric: string, more: Partial<LoggedMetric> = {}): LoggedMetric {
  const bare = { run: "", file: "metrics.jsonl", meaning: null, unit: null };
  return { ...bare, metric, steps: [1, 2, 3], values: [0.1, null, 0.3], ...more };
}

const names = (metrics: readonly LoggedMetric[], words = ""): string[] =>
  chooseMetrics(metrics, words).shown.map(({ metric }) => metric);

describe("the metrics that are shown", () => {
  const all = [
    made("rollout_corr/abs", { meaning: "mean |Δ|", unit: "nats" }),
    made("critic/rewards/mean"),
    made("perf/throughput"),
    made("timing/step", { run: "seed-2" }),
  ];

  it("are those of the mismatch and those that people look at first, unless words are given", () => {
    expect(names(all)).toEqual(["rollout_corr/abs", "critic/rewards/mean"]);
    expect(names(all, "PERF  seed-2")).toEqual(["perf/throughput", "timing/step"]);
    expect(names(all, "nothing")).toEqual([]);
    expect(names(all.slice(2))).toEqual(["perf/throughput", "timing/step"]);
  });

  it("are limited in number, and the others are counted", () => {
    const many = Array.from({ length: MOST_CHARTS + 3 }, (_, at) => made(`loss/${at}`));
    expect(chooseMetrics(many, "")).toMatchObject({ more: 3 });
    expect(names(many)).toHaveLength(MOST_CHARTS);
  });
});

describe("a chart", () => {
  it("has the chosen steps, or all", () => {
    expect(chartMetric(made("loss"), null)).toMatchObject({ xs: [1, 2, 3], title: "loss" });
    expect(chartMetric(made("loss", { run: "b" }), [2, 3])).toMatchObject({
      xs: [2, 3],
      title: "loss (b)",
      lines: [{ values: [null, 0.3] }],
      kind: "number",
    });
    expect(chartMetric(made("loss"), [2, 2])).toBeUndefined();
  });

  it("is signed if a value is below 0", () => {
    expect(chartMetric(made("loss", { values: [-1, 0, 1] }), null)).toMatchObject({ kind: "signed" });
  });
});
