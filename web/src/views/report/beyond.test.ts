import { expect, test } from "vitest";
import { parseFilter } from "../../../../src/analyses/filter/filter.ts";
import { madeTable } from "../../../../src/analyses/filter/made-table.test-data.ts";
import { matchingRows } from "../../../../src/analyses/filter/match-rows.ts";
import { STEP_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { StepSeries } from "../../../../src/results/view.ts";
import { findBeyond, stepTerm } from "./beyond.ts";

function seriesOf(values: Partial<Record<(typeof STEP_METRICS)[number], readonly (number | null)[]>>) {
  return Object.fromEntries(
    STEP_METRICS.map((name) => [name, values[name] ?? [null, null, null, null]]),
  ) as StepSeries["series"];
}

const NONE = { sequences: [], tokens: [], slices: [] } satisfies Partial<StepSeries>;

test("ticks steps whose figure is high by its baseline, on the bad side", () => {
  const series = seriesOf({
    ess: [0.29, 0.31, null, 0.01],
    delta_abs_mean: [0.02, 0.11, 0.1, null],
    k3: [0.001, 0.002, 0.003, 0.004],
  });
  const beyond = findBeyond({ ...NONE, steps: [10, 20, 30, null], series });
  expect([...beyond.keys()]).toEqual(["mean-abs-delta", "ess"]);
  expect(beyond.get("ess")!.ticks).toEqual([{ x: 10, value: 0.29, label: "step 10: 0.290, below 0.300" }]);
  expect(beyond.get("ess")).toMatchObject({ band: "unhealthy below 0.3", steps: [10, 20, 30] });
  expect(beyond.get("mean-abs-delta")!.ticks.map(({ x }) => x)).toEqual([20]);
  expect(beyond.get("mean-abs-delta")!.limit).toBe("above 0.100");
});

test("with groups, ticks a step by its worst group and names the group", () => {
  const rank = (value: string, of: Parameters<typeof seriesOf>[0]) =>
    ({ by: "rank", value, series: seriesOf(of) }) as const;
  const data = {
    ...NONE,
    steps: [10, 20, 30],
    // Values of the run do not count if groups are drawn.
    series: seriesOf({ ess: [0.1, 0.1, 0.1] }),
    slices: [
      rank("0", { ess: [0.2, 0.9, 0.9], k3: [0.2, 0.3, null], delta_abs_mean: [0.01, 0.02, 0.03] }),
      rank("1", { ess: [0.1, 0.8, null], k3: [0.4, 0.001, null] }),
      { by: "correct", value: "0", series: seriesOf({ ess: [0.01, 0.01, 0.01] }) } as const,
    ],
  };
  const beyond = findBeyond(data, "rank");
  expect([...beyond.keys()].sort()).toEqual(["ess-by-rank", "k3-by-rank"]);
  expect(beyond.get("ess-by-rank")!.ticks).toMatchObject([
    { x: 10, value: 0.1, group: "rank 1", label: "step 10, rank 1: 0.100, below 0.300" },
  ]);
  expect(beyond.get("k3-by-rank")!.ticks.map(({ x, group }) => [x, group])).toEqual([
    [10, "rank 1"],
    [20, "rank 0"],
  ]);
  expect(findBeyond(data, "correct").get("ess-by-correct")!.ticks[0]!.group).toBe("wrong");
});

test("turns chosen steps into a filter that finds exactly them", () => {
  expect(stepTerm([10, 20, 30, 50, 60], [20, 30, 60])).toBe("step:20..30,60");
  expect(stepTerm([10], [10])).toBe("step:10");
  const all = [1, 2, 3, 5, 8, 9, 12];
  const table = madeTable(all.map((step) => ({ step })));
  for (let bits = 1; bits < 1 << all.length; bits++) {
    const chosen = all.filter((_, at) => (bits >> at) & 1);
    const rows = matchingRows(table, parseFilter(stepTerm(all, chosen)).alternatives);
    expect(
      Array.from(rows, (row) => all[row]),
      String(chosen),
    ).toEqual(chosen);
  }
});
