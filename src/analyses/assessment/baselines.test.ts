import { describe, expect, it } from "vitest";
import { sampleMetrics } from "../../../test/report/sample-report.ts";
import type { ReadingLevel } from "../../results/report.ts";
import { findWorstLevel, LEVELS, readBaselines, type VerdictMetrics } from "./baselines.ts";
import { judgeRun } from "./verdict.ts";
import { StepLevels } from "./when.ts";

/** Figures of which each is far from every limit. */
const SOUND: VerdictMetrics = {
  ...sampleMetrics(1, 5000),
  tokens: 5000,
  sequences: 50,
  delta_abs_mean: 0.001,
  delta_abs_max: 0.05,
  delta_abs_p50: 1e-4,
  k3: 1e-6,
  prob_diff_mean: 1e-4,
  pearson: 0.9999,
  ess: 0.9999,
  prob_diff_above_half: 0,
};

type Row = [
  metric: keyof VerdictMetrics,
  elevated: number,
  high: number,
  broken: number | undefined,
  worse: "larger" | "smaller",
];

/** As docs/metrics.md publishes them: at a limit the milder word still holds. */
const TABLE: readonly Row[] = [
  ["k3", 0.001, 0.02, 0.1, "larger"],
  ["delta_abs_mean", 0.02, 0.1, 0.3, "larger"],
  ["prob_diff_mean", 0.005, 0.01, 0.05, "larger"],
  ["pearson", 0.99, 0.95, 0.5, "smaller"],
  ["ess", 0.9, 0.3, 0.05, "smaller"],
  ["prob_diff_above_half", 1e-5, 1e-3, undefined, "larger"],
];

function findReading(metric: keyof VerdictMetrics, value: number) {
  return readBaselines({ ...SOUND, [metric]: value }).find((reading) => reading.metric === metric)!;
}

function verdictAt(metric: keyof VerdictMetrics, value: number) {
  return judgeRun({
    metrics: { ...SOUND, [metric]: value },
    ranges: {},
    segmentation: new StepLevels().find(),
    leftOut: [],
    files: 1,
  });
}

describe("the published baselines", () => {
  it.each(TABLE)("%s: each limit, from just below to just above", (metric, ...limits) => {
    const [elevated, high, broken, worse] = limits;
    const steps: [limit: number | undefined, milder: ReadingLevel, worse: ReadingLevel][] = [
      [elevated, "normal", "elevated"],
      [high, "elevated", "high"],
      [broken, "high", "broken"],
    ];
    for (const [limit, milder, severer] of steps) {
      if (limit === undefined) continue;
      const sign = worse === "larger" ? 1 : -1;
      const [before, beyond] = [limit * (1 - sign * 1e-9), limit * (1 + sign * 1e-9)];
      expect([before, limit, beyond].map((value) => findReading(metric, value).level)).toEqual([
        milder,
        milder,
        severer,
      ]);
      expect(verdictAt(metric, limit).level).toBe(milder);
      expect(verdictAt(metric, beyond).level).toBe(severer);
      expect(findReading(metric, beyond)).toMatchObject({ value: beyond, level_range: [severer, severer] });
    }
  });

  it("holds no run broken for single tokens whose |Δp| is above one half, however many", () => {
    expect(findReading("prob_diff_above_half", 1).level).toBe("high");
  });

  it("has a reading of each known figure, with its band and where that is from", () => {
    const readings = readBaselines(SOUND);
    expect(readings.map(({ metric }) => metric)).toEqual(TABLE.map(([metric]) => metric));
    expect(
      readings.every(({ level, band, source }) => level === "normal" && band !== "" && source !== ""),
    ).toBe(true);
    const { prob_diff_above_half, ...without } = SOUND;
    expect(readBaselines({ ...without, pearson: Number.NaN }).map(({ metric }) => metric)).toEqual([
      "k3",
      "delta_abs_mean",
      "prob_diff_mean",
      "ess",
    ]);
  });

  it("reads both ends of what a figure may be, and the lower one of a rare rate", () => {
    const metrics = { ...SOUND, ess: 0.5, prob_diff_above_half: 0.5 };
    const readings = readBaselines(metrics, {
      ess: { low: 0.01, high: 0.95 },
      prob_diff_above_half: { low: 2e-5, high: 0.9 },
    });
    expect(readings.find(({ metric }) => metric === "ess")).toMatchObject({
      value: 0.5,
      level: "elevated",
      level_range: ["normal", "broken"],
    });
    expect(readings.find(({ metric }) => metric === "prob_diff_above_half")).toMatchObject({
      value: 0.5,
      level: "elevated",
      level_range: ["elevated", "elevated"],
    });
  });
});

describe("levels", () => {
  it("rise from none to broken; the worst of none of them is normal", () => {
    expect(LEVELS).toEqual(["none", "normal", "elevated", "high", "broken"]);
    for (const [place, level] of LEVELS.entries()) {
      expect(findWorstLevel([level, "none"])).toBe(place === 0 ? "normal" : level);
      for (const milder of LEVELS.slice(0, place))
        expect(findWorstLevel([milder, level])).toBe(findWorstLevel([level, milder]));
    }
    expect(findWorstLevel([])).toBe("normal");
    expect(findWorstLevel(readBaselines({ ...SOUND, ess: 0.2, k3: 0.01 }).map(({ level }) => level))).toBe(
      "high",
    );
  });
});
