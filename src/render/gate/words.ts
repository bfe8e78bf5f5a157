import { type Figure, formatCount, formatNearOne, formatNumber, plural } from "../../core/text/index.ts";
import type { GateCheck, GateOutcome, GateReport } from "../../results/gate.ts";

export const OUTCOME_WORDS: Readonly<Record<GateOutcome, string>> = {
  pass: "pass",
  fail: "fail",
  undecidable: "undecidable",
  non_finite: "non-finite",
  too_few: "too few",
  missing: "missing",
};

/** A value of a figure; near 1, it includes the digits after the nines. */
export function formatValue(metric: string, value: Figure): string {
  if (metric.startsWith("non_finite_")) return formatCount(value);
  return /\b(?:ess|pearson)\b/.test(metric) ? formatNearOne(value) : formatNumber(value);
}

/** Whether a check fails the gate. */
export function failsGate(
  { outcome }: GateCheck,
  { allow_undecidable: allowed }: Pick<GateReport, "allow_undecidable">,
): boolean {
  return outcome !== "pass" && !(allowed && outcome === "undecidable");
}

/** One sentence for a heading. */
export function summarizeGate(report: GateReport): string {
  const { checks } = report;
  const failed = checks.filter((check) => failsGate(check, report));
  const open = checks.filter(({ outcome }) => outcome === "undecidable").length;
  if (failed.length === 0)
    return `${checks.length === 1 ? "the check passes" : `all ${plural(checks.length, "check")} pass`}${open === 0 ? "" : `, ${formatCount(open)} of them undecidable`}`;
  const counts = (Object.keys(OUTCOME_WORDS) as GateOutcome[]).flatMap((outcome) => {
    const some = failed.filter((check) => check.outcome === outcome);
    return some.length === 0
      ? []
      : [`${OUTCOME_WORDS[outcome]}: ${some.map(({ metric }) => metric).join(", ")}`];
  });
  return `${formatCount(failed.length)} of ${plural(checks.length, "check")}; ${counts.join("; ")}`;
}

/** One line for one check, for annotations and test reports. */
export function describeCheck({ metric, value, condition, outcome, reason }: GateCheck): string {
  const shown = value === null ? "" : ` = ${formatValue(metric, value)}`;
  return `${metric}${shown}: ${OUTCOME_WORDS[outcome]}${condition === null ? "" : ` (${condition})`}, ${reason}`;
}
