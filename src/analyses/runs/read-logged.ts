import { isLogratioError, type LogratioError } from "../../core/base/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { findSeriesFiles } from "../../ingest/index.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import type { ParityTrainer } from "../../trainers/index.ts";

/** The logged metrics found among some paths, and the remaining paths. */
export interface LoggedPaths {
  /** Undefined if no file of logged metrics was found. */
  readonly logged: SeriesReport | undefined;
  /** The paths of the dumps. */
  readonly others: readonly string[];
  /** Whether the remaining paths may contain only these metrics: they were given as directories. */
  readonly areDirectories: boolean;
}

/**
 * Reads the files of logged metrics among paths.
 *
 * @throws NotFoundError if a path does not exist
 */
export async function readLogged(paths: readonly string[]): Promise<LoggedPaths> {
  const findings = new FindingLog();
  const { files, others, areDirectories } = await findSeriesFiles(paths, findings);
  if (files.length === 0) return { logged: undefined, others, areDirectories };
  // Late: most runs are dumps only, and this comes with the keys that all trainers log.
  const { buildSeriesReport } = await import("../series/build-series-report.ts");
  return { logged: buildSeriesReport(files, findings.list()), others, areDirectories };
}

/** Their paths, which need not be reported as left out of the dumps. */
export function filesOfLogged(logged: SeriesReport | undefined): string[] {
  return logged?.files.map(({ file }) => file) ?? [];
}

/**
 * The report on the dumps, combined with the metrics that were logged beside them, if any.
 *
 * @param asked the trainers of `--parity`
 * @param report makes the report, given the trainers whose metrics it recomputes
 */
export async function reportBesideLogged(
  logged: SeriesReport | undefined,
  asked: readonly ParityTrainer[],
  report: (parity: readonly ParityTrainer[]) => MismatchReport | Promise<MismatchReport>,
): Promise<MismatchReport> {
  if (logged === undefined) return report(asked);
  // Late, for the same reason.
  const { joinLogged, parityOfLogged } = await import("./join-logged.ts");
  return joinLogged(await report(parityOfLogged(logged, asked)), logged);
}

/** Whether a directory had no dumps, and is therefore read for its metrics alone. */
export function hasNoDumps(error: unknown): error is LogratioError {
  return ["EmptyInputError", "SchemaError", "UnsupportedError"].some(
    (tag) => isLogratioError(error) && error._tag === tag,
  );
}
