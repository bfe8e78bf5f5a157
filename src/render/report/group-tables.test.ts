import { expect, it } from "vitest";
import { sampleMetrics, sampleReport } from "../../../test/report/sample-report.ts";
import { rankTable, stalenessTable, stepTable } from "./group-tables.ts";

it("marks the worst part of each figure: the largest mismatch, and the least agreement", () => {
  const base = sampleMetrics(0.01, 1000);
  const bad = {
    ...base,
    delta_abs_mean: 1,
    delta_abs_max: 9,
    k3: 2,
    pearson: 0.2,
    ess: 0.1,
    delta_mean: 0.5,
  };
  const report = { ...sampleReport(), per_rank: [base, bad].map((metrics, rank) => ({ ...metrics, rank })) };
  const marked = Object.fromEntries(
    rankTable(report).columns.map(({ header, worstRow }) => [header, worstRow]),
  );
  expect(marked).toMatchObject({ "mean |Δ|": 1, "max |Δ|": 1, k3: 1, Pearson: 1, ESS: 1 });
  // A mean can be bad with either sign.
  expect(marked["mean Δ"]).toBeUndefined();
});

it("marks the worst range where steps are folded", () => {
  const report = sampleReport({ steps: 40 });
  const steps = report.per_step.map((step, at) => ({ ...step, delta_abs_mean: at === 25 ? 3 : 0.01 }));
  const columns = stepTable({ ...report, per_step: steps }, 10).columns;
  expect(columns.find(({ header }) => header === "mean |Δ|")?.worstRow).toBe(6);
});

it("gives mean |Δ| at each staleness as a multiple of the freshest weights', whatever their number", () => {
  const ages = [3, 1, 2].map((staleness) => ({
    ...sampleMetrics(0.01, 1000),
    ...{ staleness, delta_abs_mean: 0.002 * staleness },
  }));
  const { columns } = stalenessTable({ ...sampleReport(), per_staleness: ages });
  const cells = (header: string) => columns.find((column) => column.header === header)?.cells;
  expect(cells("staleness")).toEqual(["1", "2", "3"]);
  expect(cells("× freshest")).toEqual(["1.00", "2.00", "3.00"]);
});

it("has no floor where all weights have one staleness, or the freshest tokens are equal", () => {
  const [one, two] = [0, 1].map((staleness) => ({
    ...sampleMetrics(0.01, 1000),
    ...{ staleness, delta_abs_mean: 0.002 * staleness },
  }));
  const of = (ages: readonly NonNullable<typeof one>[]) =>
    stalenessTable({ ...sampleReport(), per_staleness: ages }).columns.find(
      ({ header }) => header === "× freshest",
    )?.cells;
  expect(of([two!])).toBeUndefined();
  expect(of([one!, two!])).toEqual(["n/a", "n/a"]);
});
