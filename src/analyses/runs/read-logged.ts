import { isLogratioError, type LogratioError } from "../../core/base/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { formatCount, plural } from "../../core/text/index.ts";
import { findSeriesFiles } from "../../ingest/index.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { PARITY_TRAINERS, type ParityTrainer } from "../../trainers/index.ts";
import { addLoggedBeside } from "../assessment/beside.ts";
import { addLoggedFinite } from "../assessment/finite.ts";
import { buildSeriesReport } from "../series/build-series-report.ts";
import { compareSeries } from "../series/compare.ts";

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
  const logged = files.length === 0 ? undefined : buildSeriesReport(files, findings.list());
  return { logged, others, areDirectories };
}

/** Their paths, which need not be reported as left out of the dumps. */
export function filesOfLogged(logged: SeriesReport | undefined): string[] {
  return logged?.files.map(({ file }) => file) ?? [];
}

/** The trainers whose formulas say what the logged metrics should be. */
export function parityOfLogged(logged: SeriesReport, asked: readonly ParityTrainer[]): ParityTrainer[] {
  const named = new Set(logged.series.map(({ trainer }) => trainer));
  return [
    ...asked,
    ...PARITY_TRAINERS.filter((trainer) => named.has(trainer.name) && !asked.includes(trainer)),
  ];
}

/** A report combined with the logged metrics, with a warning if they disagree with the dumps. */
export function joinLogged(report: MismatchReport, logged: SeriesReport): MismatchReport {
  const compared = compareSeries(logged, report);
  const different = compared.series.filter(
    ({ comparison }) => comparison !== null && !comparison.is_bent && comparison.agreeing < comparison.steps,
  );
  const [first] = different;
  const all = compared.series.filter(({ comparison }) => comparison !== null).length;
  const findings = new FindingLog();
  if (first?.comparison != null) {
    const { metric, comparison } = first;
    findings.add({
      code: "logged-differs",
      severity: "warning",
      subject: "logged metrics",
      count: different.length,
      at: { file: first.file },
      hint: "see Beside the dumps; other steps or ranks, or a --filter, also explain a difference",
      describe: (count) =>
        `${formatCount(count)} of ${plural(all, "logged metric")} ${count === 1 ? "is" : "are"} not what the dumps give, the first: ${metric}, ${comparison.text}`,
    });
  }
  return {
    ...report,
    ...addLoggedBeside(addLoggedFinite(report, logged.finite), logged.beside),
    findings: [...report.findings, ...logged.findings, ...findings.list()],
    logged: compared,
  };
}

/** Whether a directory had no dumps, and is therefore read for its metrics alone. */
export function hasNoDumps(error: unknown): error is LogratioError {
  return ["EmptyInputError", "SchemaError", "UnsupportedError"].some(
    (tag) => isLogratioError(error) && error._tag === tag,
  );
}
