import { expect, it } from "vitest";
import { buildSeriesReport } from "./build-series-report.ts";
import { labelRuns } from "./label-runs.ts";

const MEAN = "training/rollout_probs_diff_mean";
const file = (name: string, run = "", metric = MEAN, value = 0.001) => ({
  file: name,
  form: "CSV",
  series: [{ run, metric, steps: [1], values: [value] }],
});
const runs = (...files: ReturnType<typeof file>[]): string[] =>
  labelRuns(files).flatMap(({ series }) => series.map(({ run }) => run));

it("names unnamed runs of one metric by their folders, or by their files", () => {
  expect(runs(file("logs/grpo/metrics.csv"), file("logs/dapo/metrics.csv"))).toEqual(["grpo", "dapo"]);
  expect(runs(file("logs/a.csv"), file("logs/b.csv"))).toEqual(["a.csv", "b.csv"]);
  expect(runs(file("a.csv"), file("old/a.csv"), file("old/b.csv"))).toEqual([
    "a.csv",
    "old/a.csv",
    "old/b.csv",
  ]);
});

it("tells runs of one name apart, and leaves what needs no label", () => {
  expect(runs(file("x/m.csv", "grpo"), file("y/m.csv", "grpo"))).toEqual(["grpo, x", "grpo, y"]);
  expect(runs(file("a.csv"), file("b.csv", "", "rollout_corr/kl"))).toEqual(["", ""]);
  expect(runs(file("a.csv", "one"), file("b.csv", "two"))).toEqual(["one", "two"]);
});

it("the headline says whose metric is the worst", () => {
  const { headline } = buildSeriesReport([file("a.csv"), file("b.csv", "", MEAN, 0.02)], []);
  expect(headline).toMatch(/^training\/rollout_probs_diff_mean \(b\.csv\) reaches 0\.0200 at step 1/);
});
