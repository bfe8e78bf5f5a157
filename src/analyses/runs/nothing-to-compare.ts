import { EmptyInputError } from "../../core/base/index.ts";
import type { FindingCode } from "../../core/schema/index.ts";
import type { MismatchReport } from "../../results/index.ts";

/** What takes a log-prob out of the figures while the row stays. */
const LOST: ReadonlySet<FindingCode> = new Set<FindingCode>([
  "non-finite",
  "sentinel",
  "positive-logprob",
  "suspicious-zero",
]);

/** Why a run that was read has no figure: which side lacks what, or which choice left nothing. */
export function nothingToCompare({
  excluded,
  metrics,
  findings,
}: Pick<MismatchReport, "excluded" | "metrics" | "findings">): EmptyInputError {
  const lost = excluded.missing + excluded.delta_negative_infinite + excluded.delta_positive_infinite;
  const count = (value: number, noun: string): string =>
    `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;
  if (lost > 0) {
    const reasons = findings
      .filter(({ code, severity }) => LOST.has(code) && severity !== "info")
      .map(({ message }) => message);
    return new EmptyInputError(
      `Nothing to compare: no token with mask 1 has a finite log-prob on both sides (${count(lost, "token")})`,
      {
        ...(reasons.length > 0 && { likely: reasons.join("; ") }),
        hint: "run with --explain to see what each column was taken for; --rollout and --trainer name others",
      },
    );
  }
  if (findings.some(({ omits, message }) => omits?.unit === "token" && message.startsWith("--filter:"))) {
    return new EmptyInputError("Nothing to compare: --filter leaves no token with mask 1", {
      hint: "logratio view shows what a filter leaves while you write it",
    });
  }
  return new EmptyInputError(
    metrics.sequences === 0
      ? "Nothing to compare: no sequence was read"
      : `Nothing to compare: no token of ${count(metrics.sequences, "sequence")} has mask 1`,
    {
      ...(metrics.sequences > 0 && { likely: "the mask is inverted, or of other rows" }),
      hint: "run with --explain to see what each column was taken for; --mask COLUMN names another mask",
    },
  );
}
