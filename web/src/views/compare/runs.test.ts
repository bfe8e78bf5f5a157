import { describe, expect, it } from "vitest";
import type { ComparedRun, RunDifference, StepSeries } from "../../../../src/results/view.ts";
import { chartRuns, describeDifference, formatInterval, formatOver, isShown } from "./runs.ts";

const NONE: RunDifference = { difference: null, low: null, high: null, clusters: 0 };

function differ(figure: Partial<RunDifference>, more: Partial<ComparedRun["differences"]> = {}) {
  const delta_abs_mean = { ...NONE, ...figure };
  return {
    over: "tokens",
    tokens: { first: 1200, this: 1200 },
    unit: "prompt",
    figures: { delta_abs_mean, delta_mean: NONE, k3: NONE },
    ...more,
  } satisfies ComparedRun["differences"];
}

describe("the sentence on a difference", () => {
  const sure = { difference: 0.012, low: 0.01, high: 0.014, clusters: 96 };

  it("gives direction, basis and certainty", () => {
    expect(describeDifference(differ(sure))).toBe(
      "Over the 1,200 tokens that both runs scored after the same text, mean |Δ| of B is 0.0120 nats higher than that of A: 95 % +0.0100 to +0.0140, over 96 prompts.",
    );
    const lower = { difference: -0.012, low: -0.014, high: -0.01, clusters: 96 };
    expect(describeDifference(differ(lower))).toContain(
      "0.0120 nats lower than that of A: 95 % −0.0140 to −0.0100",
    );
  });

  it("says if the texts differ", () => {
    const found = describeDifference(differ(sure, { over: "texts", unit: "sequence" }));
    expect(found).toMatch(/^Over all tokens of both runs, which sampled texts of their own, mean/);
    expect(found).toMatch(/over 96 sequences\.$/);
  });

  it("calls it chance if, and only if, the interval contains 0", () => {
    expect(describeDifference(differ({ ...sure, low: -0.001 }))).toMatch(
      /but which run has more is open: the interval is −[\d.e−]+ to \+[\d.e−]+ nats \(95 %\), over 96 prompts\.$/,
    );
    expect(describeDifference(differ(sure))).not.toContain("chance");
    const same = { difference: 0, low: 0, high: 0, clusters: 96 };
    expect(describeDifference(differ(same))).toMatch(
      /mean \|Δ\| of B equals that of A: 95 % 0 to 0, over 96/,
    );
    expect(describeDifference(differ(same))).not.toContain("chance");
  });

  it("says why there is no interval, and no difference", () => {
    expect(describeDifference(differ({ difference: 0.012, clusters: 7 }))).toMatch(
      /0\.0120 nats higher than that of A; an interval needs ten prompts in each run\.$/,
    );
    expect(describeDifference(differ({}))).toBe("The runs have no figures to compare.");
  });
});

it("shows a difference only if the interval excludes 0", () => {
  const shown = ([low, high]: readonly [number | null, number | null]) => isShown({ ...NONE, low, high });
  expect([[0.1, 0.2] as const, [-0.2, -0.1] as const].map(shown)).toEqual([true, true]);
  expect([[-0.1, 0.1] as const, [0, 0] as const, [null, null] as const].map(shown)).toEqual([
    false,
    false,
    false,
  ]);
  expect(formatInterval({ ...NONE, low: -0.1, high: 0.25 })).toBe("−0.100 to +0.250");
  expect(formatInterval(NONE)).toBeUndefined();
  expect([formatOver(differ({})), formatOver(differ({}, { over: "texts" }))]).toEqual([
    "1,200 tokens of the same texts",
    "texts of their own",
  ]);
});

describe("the chart of all runs", () => {
  const series = (steps: readonly (number | null)[], values: readonly number[]): StepSeries =>
    ({ steps, series: { delta_abs_mean: values } }) as unknown as StepSeries;

  it("aligns runs over the steps of all of them", () => {
    const spec = chartRuns([
      { name: "bf16", steps: series([1, 2], [0.1, 0.2]) },
      { name: "fp8", steps: series([2, 3], [0.3, 0.4]) },
    ]);
    expect(spec).toMatchObject({
      xs: [1, 2, 3],
      lines: [
        { label: "bf16", values: [0.1, 0.2, null] },
        { label: "fp8", values: [null, 0.3, 0.4] },
      ],
    });
    expect(new Set(spec!.lines.map(({ color }) => color)).size).toBe(2);
  });

  it("is absent for a single step", () => {
    expect(chartRuns([{ name: "bf16", steps: series([1], [0.1]) }])).toBeUndefined();
    expect(chartRuns([{ name: "bf16", steps: series([null], [0.1]) }])).toBeUndefined();
  });
});
