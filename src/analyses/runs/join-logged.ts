import { FindingLog } from "../../core/schema/index.ts";
import { formatCount, plural } from "../../core/text/index.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { PARITY_TRAINERS, type ParityTrainer } from "../../trainers/index.ts";
import { addLoggedBeside } from "../assessment/beside.ts";
import { addLoggedFinite } from "../assessment/finite.ts";
import { compareSeries } from "../series/compare.ts";

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
