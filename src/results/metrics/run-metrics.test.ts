import { describe, expect, it } from "vitest";
import {
  isTokenMean,
  metricsAt,
  RUN_METRICS,
  runMetric,
  STEP_METRICS,
  STEP_ONLY_METRICS,
} from "./run-metrics.ts";

describe("run metrics", () => {
  it("have a label of their own each", () => {
    const labels = [...Object.values(RUN_METRICS), ...Object.values(STEP_ONLY_METRICS)].map(
      ({ label }) => label,
    );
    expect(new Set(labels).size).toBe(labels.length);
  });

  it("tell the unit in what they mean", () => {
    for (const { unit, meaning } of Object.values(RUN_METRICS))
      if (unit === "nats") expect(meaning).toMatch(/, nats$/);
  });

  it("say which direction is worse, which tables mark", () => {
    const keysOf = (wanted: string | undefined) =>
      Object.keys(RUN_METRICS).filter((key) => !runMetric(key).isAmount && runMetric(key).worse === wanted);
    expect(keysOf("less")).toEqual(["delta_min", "pearson", "ess"]);
    expect(keysOf(undefined)).toEqual(["delta_mean", "k1", "ratio_mean", "rollout_ppl", "trainer_ppl"]);
  });

  it("know the means over tokens, which padding makes smaller", () => {
    expect(Object.keys(RUN_METRICS).filter(isTokenMean)).toEqual([
      ...["delta_abs_mean", "delta_mean", "k1", "k2", "k3", "prob_diff_mean"],
    ]);
  });

  it("have a chart where the viewer has them over steps", () => {
    expect(STEP_METRICS[0]).toBe("delta_abs_mean");
    expect(STEP_METRICS).toContain("accuracy");
    expect(STEP_METRICS).not.toContain("k2");
  });

  it("say where they are shown, in the order of each place", () => {
    expect(metricsAt("gate")).toEqual([
      ...["delta_abs_mean", "delta_mean", "delta_abs_p99", "k3", "prob_diff_mean", "ess", "pearson"],
    ]);
    expect(metricsAt("unpaired")).toEqual([
      ...["delta_abs_mean", "delta_mean", "k3", "prob_diff_mean"],
      ...["delta_abs_p50", "delta_abs_p99", "delta_abs_p999", "delta_abs_max"],
    ]);
    expect(metricsAt("pooled").slice(-3)).toEqual(["prob_diff_max", "ess", "pearson"]);
    expect(metricsAt("first").slice(-2)).toEqual(["pearson", "ess"]);
    expect(metricsAt("charts").every((key) => runMetric(key).chart?.id !== undefined)).toBe(true);
  });

  it("are plain for a figure that a newer report added", () => {
    expect(runMetric("delta_skew")).toEqual({
      label: "delta_skew",
      unit: "",
      kind: "number",
      meaning: "delta_skew",
      scale: "linear",
    });
    expect(runMetric("toString").label).toBe("toString");
  });
});
