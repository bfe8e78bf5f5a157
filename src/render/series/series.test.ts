import { describe, expect, it } from "vitest";
import { makeAssessment } from "../../../test/support/assessment.ts";
import type { SeriesFigures, SeriesReport } from "../../results/series.ts";
import { toChart } from "./chart.ts";
import { renderSeriesHtml, renderSeriesMarkdown, renderSeriesTerminal } from "./document.ts";

const PADDING = "step 20: logged 0.310, the dump gives 0.920; padding was counted";

const SERIES: SeriesFigures = {
  metric: "training/rollout_probs_diff_mean",
  run: "grpo <7B>",
  file: "run.jsonl",
  trainer: "verl",
  figure: "prob_diff_mean",
  meaning: "mean |Δp|",
  unit: "",
  worse: "larger",
  quirk: "rows without a masked token also count",
  steps: [10, 20, 30, 40],
  values: [0.002, 0.02, null, 0.004],
  non_finite: 1,
  first: { step: 10, value: 0.002 },
  last: { step: 40, value: 0.004 },
  worst: { step: 20, value: 0.02 },
  level: "high",
  band: "below 0.005; 0.01 is a precision bug",
  source: "verl docs/faq",
  thresholds: { elevated: 5e-3, high: 1e-2, broken: 5e-2 },
  steps_at_worst: 1,
  last_at_worst: 20,
  comparison: null,
};

function report(series: readonly SeriesFigures[] = [SERIES]): SeriesReport {
  return {
    schemaVersion: 2,
    kind: "series",
    assessment: makeAssessment({ level: "high", sentence: "it reaches 0.0200 at step 20" }),
    files: [{ file: "run.jsonl", form: "verl's file logger", metrics: 3 }],
    series,
    others: ["critic/score/mean", "actor/lr"],
    unknown: ["actor/lr"],
    finite: { found: [], sentence: null, read_as_missing: 0 },
    beside: [],
    level: "high",
    headline: "it reaches 0.0200 at step 20",
    findings: [],
  };
}

const terminal = (of: SeriesReport, unicode = true, width = 100): string =>
  renderSeriesTerminal(of, { width, color: false, unicode });

describe("logged metrics on a terminal", () => {
  it("judge, tell first, last and worst with its step, and draw the course with its gap", () => {
    const text = terminal(report());
    expect(text).toContain("run.jsonl · verl's file logger · 1 mismatch metric · 2 other metrics · 4 steps");
    expect(text).toContain("HIGH  It reaches 0.0200 at step 20.");
    expect(text).toContain("NaN or infinite: 1 of training/rollout_probs_diff_mean (grpo <7B>)");
    expect(terminal(report(), true, 160)).toMatch(
      /\(grpo <7B>\) +verl +0\.00200 +0\.00400 +0\.0200 +20 +high/,
    );
    // On a narrow terminal the name stays whole, and the first value goes.
    expect(text).toMatch(
      /\n {2}training\/rollout_probs_diff_mean \(grpo <7B>\) +0\.00400 +0\.0200 +20 +high/,
    );
    expect(text).toMatch(/▁█ ▂\n/);
    expect(text).toContain("mean |Δp| (verl): rows without a masked token also count");
  });

  it("draw a course over decades logarithmically and say so, under a name of any length", () => {
    const metric = "actor/sampling/importance_sampling_ratio/of/all/tokens/min";
    const text = terminal(report([{ ...SERIES, metric, run: "", values: [1e-9, 1e-6, 1e-3, 1] }]));
    expect(text).toMatch(
      /\nactor\/sampling\/importance_sampling_ratio\/\nof\/all\/tokens\/min +▁▃▆█ {2}log\n/,
    );
    expect(terminal(report())).not.toContain("log\n");
  });

  it("set it beside the dumps where there are any", () => {
    expect(terminal(report())).not.toContain("Beside the dumps");
    const comparison = {
      steps: 2,
      is_bent: false,
      agreeing: 1,
      text: PADDING,
      reason: "padding was counted",
      per_step: [],
    };
    const text = terminal(report([{ ...SERIES, comparison }]));
    expect(text).toContain("Beside the dumps");
    expect(text.replace(/\s+/g, " ")).toContain(PADDING);
  });

  it("of no mismatch metric say only that", () => {
    const text = terminal({ ...report([]), level: null, headline: "none of the 2 logged metrics" });
    expect(text).toContain("NOT JUDGED  None of the 2 logged metrics.");
    expect(text).not.toContain("Over the steps");
    expect(text).toMatch(/Unknown metrics\nactor\/lr/);
    expect(terminal(report())).not.toContain("Unknown metrics");
  });

  it("without Unicode are ASCII", () => {
    expect(terminal(report(), false)).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe("logged metrics elsewhere", () => {
  it("Markdown has the table and the command", () => {
    const text = renderSeriesMarkdown(report(), { command: "logratio report run.jsonl" });
    expect(text).toContain("### Logged mismatch metrics of `run.jsonl`: HIGH");
    expect(text).toContain("| 0.0200 | 20 | high |");
    expect(text).toContain("logratio report run.jsonl");
  });

  it("the page draws each metric under its baselines, with names escaped", () => {
    const page = renderSeriesHtml(report());
    expect(page).toContain("<svg");
    expect(page).toContain("elevated: ");
    expect(page).toContain("grpo &lt;7B&gt;");
    expect(page).not.toContain("<7B>");
  });
});

describe("the chart of a metric", () => {
  const labels = (series: SeriesFigures): string[] =>
    toChart(series, "id", "title").lines.map(({ label }) => label);

  it("has the baselines that are passed, and the next one", () => {
    expect(labels(SERIES)).toEqual(["logged", "elevated", "high", "broken"]);
    expect(labels({ ...SERIES, values: [0.001, 0.002, null, 0.003] })).toEqual(["logged", "elevated"]);
    expect(labels({ ...SERIES, thresholds: null })).toEqual(["logged"]);
    expect(labels({ ...SERIES, thresholds: { elevated: null, high: 1, broken: null } })).toEqual([
      "logged",
      "high",
    ]);
  });

  it("of correlations counts downwards", () => {
    const thresholds = { elevated: 0.99, high: 0.95, broken: 0.5 };
    const pearson: SeriesFigures = { ...SERIES, figure: "pearson", worse: "smaller", thresholds };
    expect(labels({ ...pearson, values: [0.999, 0.98, null, 0.999] })).toEqual([
      "logged",
      "elevated",
      "high",
    ]);
    const chart = toChart({ ...pearson, values: [0.999, 0.98, null, 0.999] }, "id", "title");
    expect([chart.fromZero, chart.extreme, chart.kind]).toEqual([false, "least", "near-one"]);
  });

  it("is logarithmic where values are decades apart and above 0", () => {
    expect(toChart({ ...SERIES, values: [25324, 15, null, 1] }, "id", "title").scale).toBe("log");
    expect(toChart({ ...SERIES, values: [25324, 0, null, 1] }, "id", "title").scale).toBe("linear");
    expect(toChart(SERIES, "id", "title").scale).toBe("linear");
  });
});
