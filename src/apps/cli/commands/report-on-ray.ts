import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { parseParity } from "../../../analyses/runs/parity-option.ts";
import { shellCommand } from "../../../core/base/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { mergePaths, reportPart } from "../../../parts/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { PlaceOptions } from "../input-options.ts";
import { summarizeOnRay } from "../on-ray.ts";
import { inputFlags } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { printMerged } from "./merge.ts";
import type { ReportOptions } from "./print-report.ts";

/** Has a Ray cluster summarize a run, and prints the report of the result. */
export async function reportOnRay(
  paths: readonly string[],
  options: ReportOptions & PlaceOptions & { readonly on: string },
  terminal: Terminal,
): Promise<ExitStatus> {
  const trainers = await parseParity((options.parity ?? "").split(","));
  const outputs = await openOutputs({ inputs: [], force: options.force });
  if (options.html !== undefined) await outputs.file("--html", options.html, "report page");
  const print = async (part: string, wasSkipped: boolean): Promise<ExitStatus> => {
    const report = reportPart(await mergePaths("report", [part]), { parity: trainers });
    const command = shellCommand("report", paths, inputFlags(options, ["json", "markdown", "html", "force"]));
    await printMerged(report, command, options, terminal);
    return wasSkipped || inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
  };
  return summarizeOnRay("report", paths, options, print, terminal);
}
