import { formatShare } from "../../core/text/index.ts";
import type { DoctorCause } from "../../results/diagnosis.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import type { VerdictLevel } from "../../results/report.ts";

/** The level that marks a cause, by its probability. */
export function chanceLevel({ id, probability }: Pick<DoctorCause, "id" | "probability">): VerdictLevel {
  if (id === "healthy") return "normal";
  if (id === "cannot_tell") return "too_few";
  return probability >= 0.5 ? "high" : probability >= 0.1 ? "elevated" : "none";
}

/** The title of a cause; if it coexists with the first, also what it explains. */
export function causeTitle({
  title,
  coexists,
  explains,
}: Pick<DoctorCause, "title" | "coexists" | "explains">): string {
  if (!coexists) return title;
  return `${title}, beside the first${explains === null ? "" : `: ${formatShare(explains)} of Σ|Δ|`}`;
}

/** Causes less likely than this are not among the first, but listed with those that are ruled out. */
const LEAST_CHANCE = 0.02;
const FIRST_CAUSES = 3;

/** The causes of the first screen: at most three, and at least one if something is wrong. */
export function firstCauses({ verdict, causes }: DoctorReport): readonly DoctorCause[] {
  if (verdict === "healthy" || verdict === "too_few") return [];
  const likely = causes.filter(({ probability }, at) => at === 0 || probability >= LEAST_CHANCE);
  return likely.slice(0, FIRST_CAUSES);
}
