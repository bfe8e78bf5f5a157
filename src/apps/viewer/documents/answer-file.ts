import { renderHtml } from "../../../render/report/index.ts";
import type { MismatchReport } from "../../../results/index.ts";
import type { PreparedRun } from "../prepare/index.ts";

/** The answer as one HTML file that opens without a server, with the config of the correction that the run needs. */
export async function answerFile(run: Pick<PreparedRun, "answer" | "sweep">): Promise<Uint8Array> {
  const report = JSON.parse(Buffer.from(await run.answer("report")).toString()) as MismatchReport;
  const sweep = report.correct === null ? undefined : await run.sweep(null);
  return Buffer.from(renderHtml(report, sweep === undefined ? {} : { sweep }));
}
