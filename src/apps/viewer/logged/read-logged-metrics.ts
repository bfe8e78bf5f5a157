/**
 * Metrics over steps from the run's own logger, read again for every request.
 *
 * @module
 */
import { FindingLog } from "../../../core/schema/index.ts";
import { findSeriesFiles } from "../../../ingest/index.ts";
import { type LoggedMetric, type LoggedMetrics, VIEW_SCHEMA_VERSION } from "../../../results/view.ts";
import { recogniseMetric } from "../../../trainers/index.ts";

export const NO_LOGGED_METRICS: LoggedMetrics = {
  schemaVersion: VIEW_SCHEMA_VERSION,
  kind: "view-logged",
  metrics: [],
  findings: [],
};

/**
 * Every metric in the files of logged metrics among these paths, and in directories among them: the same files as
 * `report` compares with the dumps. Metrics of the mismatch come first, and then by name.
 *
 * @throws NotFoundError if a path does not exist
 */
export async function readLoggedMetrics(paths: readonly string[]): Promise<LoggedMetrics> {
  const findings = new FindingLog();
  const { files } = await findSeriesFiles(paths, findings);
  const metrics = files.flatMap(({ file, series }) =>
    series.map(({ run, metric, steps, values }): LoggedMetric => {
      const known = recogniseMetric(metric);
      return {
        metric,
        run,
        file,
        meaning: known?.meaning ?? null,
        unit: known?.unit ?? null,
        steps,
        values: values.map((value) => (Number.isFinite(value) ? value : null)),
      };
    }),
  );
  return { ...NO_LOGGED_METRICS, metrics: metrics.sort(compareMetrics), findings: findings.list() };
}

function compareMetrics(one: LoggedMetric, other: LoggedMetric): number {
  const isKnown = ({ meaning }: LoggedMetric): number => (meaning === null ? 1 : 0);
  const names = ({ metric, run }: LoggedMetric): string => `${metric} ${run}`;
  return isKnown(one) - isKnown(other) || (names(one) < names(other) ? -1 : 1);
}
