import { resultJson } from "../../../core/base/index.ts";
import { renderHtml } from "../../../render/report/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";

/**
 * The answer as one HTML file that opens without a server, with the config of the correction that the run needs;
 * undefined if the steps have no tokens.
 *
 * @param steps the first and the last step covered; null: all
 */
export async function answerFile(
  run: Pick<PreparedRun, "answer" | "reportOf" | "sweep">,
  steps: readonly [from: number, to: number] | null = null,
): Promise<Uint8Array | undefined> {
  const bytes =
    steps === null
      ? Buffer.from(await run.answer("report")).toString()
      : await run.reportOf(steps).then((found) => found && resultJson(found.report));
  if (bytes === undefined) return undefined;
  const report = JSON.parse(bytes) as MismatchReport;
  const sweep = report.correct === null ? undefined : await run.sweep(steps);
  return Buffer.from(renderHtml(report, sweep === undefined ? {} : { sweep }));
}
