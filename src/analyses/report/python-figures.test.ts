/**
 * The names of the figures that Python computes, too, in a file that its tests read: `npx vitest run --project=unit
 * src/analyses/report/python-figures.test.ts -u`.
 */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { MismatchSummary } from "../../core/summaries/mismatch-summary.ts";
import { RUN_METRICS } from "../../results/metrics/run-metrics.ts";
import { buildReport } from "./build-report.ts";
import { pooledMetrics } from "./metrics.ts";
import { RunSummary } from "./run-summary.ts";

const FILE = fileURLToPath(new URL("../../../python/tests/figures.json", import.meta.url));

it("Python's tests know the names of all figures", async () => {
  const summary = new RunSummary();
  const report = buildReport({ run: "none", paths: [], summary, parity: [], findings: [], sources: [] });
  expect(Object.keys(report.metrics).toSorted()).toEqual(Object.keys(RUN_METRICS).toSorted());
  const names = {
    metrics: Object.keys(RUN_METRICS),
    sequence_metrics: Object.keys(report.sequence_metrics),
    per_turn: Object.keys(pooledMetrics(new MismatchSummary())),
    excluded: Object.keys(report.excluded),
  };
  await expect(`${JSON.stringify(names, null, 2)}\n`).toMatchFileSnapshot(FILE);
});
