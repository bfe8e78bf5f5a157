import { expect, test } from "vitest";
import { matchingRows, parseFilter } from "../../../../src/analyses/filter/index.ts";
import { madeTable } from "../../../../src/analyses/filter/made-table.test-data.ts";
import { STEP_METRICS, type StepSeries } from "../../../../src/results/view.ts";
import { findBeyond, stepTerm } from "./beyond.ts";

function seriesOf(values: Partial<Record<(typeof STEP_METRICS)[number], readonly (number | null)[]>>) {
  return Object.fromEntries(
    STEP_METRICS.map((name) => [name, values[name] ?? [null, null, null, null]]),
  ) as StepSeries["series"];
}

test("steps are ticked where a figure is as bad as its baseline calls high, on the side that is bad", () => {
  const series = seriesOf({
    ess: [0.29, 0.31, null, 0.01],
    delta_abs_mean: [0.02, 0.11, 0.1, null],
    k3: [0.001, 0.002, 0.003, 0.004],
  });
  const beyond = findBeyond({ steps: [10, 20, 30, null], series });
  expect([...beyond.keys()]).toEqual(["mean-abs-delta", "ess"]);
  expect(beyond.get("ess")!.ticks).toEqual([{ x: 10, value: 0.29, label: "step 10: 0.290, below 0.300" }]);
  expect(beyond.get("ess")).toMatchObject({ band: "unhealthy below 0.3", steps: [10, 20, 30] });
  expect(beyond.get("mean-abs-delta")!.ticks.map(({ x }) => x)).toEqual([20]);
  expect(beyond.get("mean-abs-delta")!.limit).toBe("above 0.100");
});

test("chosen steps are a filter that finds just them", () => {
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
