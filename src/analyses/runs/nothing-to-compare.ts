import { EmptyInputError } from "../../core/base/index.ts";
import type { FindingCode } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { MismatchReport } from "../../results/report.ts";

/** Findings that remove a log-prob from the figures while the row stays. */
const LOST: ReadonlySet<FindingCode> = new Set<FindingCode>([
  "non-finite",
  "sentinel",
  "positive-logprob",
  "suspicious-zero",
]);

/** Why a run that was read has no figures: which side lacks what, or which filter left nothing. */
export function nothingToCompare({
  excluded,
  metrics,
  findings,
}: Pick<MismatchReport, "excluded" | "findings"> & {
  readonly metrics: Pick<MismatchReport["metrics"], "sequences">;
}): EmptyInputError {
  const lost = excluded.missing + excluded.delta_negative_infinite + excluded.delta_positive_infinite;
  if (lost > 0) {
    const reasons = findings
      .filter(({ code, severity }) => LOST.has(code) && severity !== "info")
      .map(({ message }) => message);
    return new EmptyInputError(
      `nothing to compare: no token with mask 1 has a finite log-prob on both sides (${plural(lost, "token")})`,
      {
        ...(reasons.length > 0 && { likely: reasons.join("; ") }),
        hint: "run with --explain to see how each column was read; --rollout and --trainer name others",
      },
    );
  }
  if (findings.some(({ omits, message }) => omits?.unit === "token" && message.startsWith("--filter:"))) {
    return new EmptyInputError("nothing to compare: --filter matches no token with mask 1", {
      hint: "logratio view shows what a filter matches as you type",
    });
  }
  return new EmptyInputError(
    metrics.sequences === 0
      ? "nothing to compare: no sequence was read"
      : `nothing to compare: no token of ${plural(metrics.sequences, "sequence")} has mask 1`,
    {
      ...(metrics.sequences > 0 && { likely: "the mask is inverted, or belongs to other rows" }),
      hint: "run with --explain to see how each column was read; --mask COLUMN names another mask",
    },
  );
}
