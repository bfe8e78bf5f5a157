/**
 * What makes a run teach little, in the answer about it: where the mismatch is no matter and something beside it is bad,
 * that is said first.
 *
 * @module
 */
import type { BesideFinding } from "../../results/beside.ts";
import type { MismatchReport, ReadingLevel, Verdict, VerdictLevel } from "../../results/report.ts";
import { orderBeside } from "../health/detectors/find-beside.ts";

/** Findings in one sentence; the others are counted. */
const MOST_SAID = 2;

/** Whether the mismatch needs no words: then what is bad beside it comes first. */
const isNoMatter = (level: VerdictLevel): boolean => level === "none" || level === "normal";

/** A verdict whose sentence says first what stopped the run, where the mismatch did not. */
export function tellBeside<Of extends Pick<Verdict, "level" | "headline">>(
  verdict: Of,
  findings: readonly BesideFinding[],
): Of {
  const why = sayBad(findings);
  return why === undefined || !isNoMatter(verdict.level)
    ? verdict
    : { ...verdict, headline: `The mismatch is not what stopped this run: ${why}` };
}

/** As {@link tellBeside}, of logged metrics: those may not hold the mismatch at all, which is then said second. */
export function tellLoggedBeside(
  level: ReadingLevel | null,
  headline: string,
  findings: readonly BesideFinding[],
): string {
  if (level !== null) return tellBeside({ level, headline }, findings).headline;
  const why = sayBad(findings);
  return why === undefined ? headline : `${why}; ${headline}`;
}

/** `entropy fell from 0.52 to 0.009, most of it at step 78, and all answers of 81 % of the groups have one reward`. */
function sayBad(findings: readonly BesideFinding[]): string | undefined {
  const bad = findings.filter(({ level }) => level === "bad").slice(0, MOST_SAID);
  if (bad.length === 0) return undefined;
  return bad.map(({ short, run }) => (run === "" ? short : `${short} (${run})`)).join(", and ");
}

/** The answer about dumps, with what the logged metrics of the same run show beside it. Of both, the worse is kept. */
export function addLoggedBeside(
  { assessment, verdict }: Pick<MismatchReport, "assessment" | "verdict">,
  logged: readonly BesideFinding[],
): Pick<MismatchReport, "assessment" | "verdict"> {
  const beside = orderBeside([...assessment.beside, ...logged]);
  const told = tellBeside(verdict, beside);
  return { assessment: { ...assessment, beside, sentence: told.headline }, verdict: told };
}
