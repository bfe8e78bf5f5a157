/**
 * Findings other than the mismatch that keep a run from learning. If the mismatch does not matter and one of them is
 * bad, the answer states it first.
 *
 * @module
 */
import type { BesideFinding } from "../../results/beside.ts";
import type { MismatchReport, ReadingLevel, Verdict, VerdictLevel } from "../../results/report.ts";
import { orderBeside } from "../health/detectors/find-beside.ts";

/** Findings that one sentence names; the others are counted. */
const MOST_SAID = 2;

/** Whether the mismatch needs no comment: then other bad findings come first. */
const isNoMatter = (level: VerdictLevel): boolean => level === "none" || level === "normal";

/** A verdict whose sentence first says what stopped the run, if that was not the mismatch. */
export function tellBeside<Of extends Pick<Verdict, "level" | "headline">>(
  verdict: Of,
  findings: readonly BesideFinding[],
): Of {
  const why = sayBad(findings);
  return why === undefined || !isNoMatter(verdict.level)
    ? verdict
    : { ...verdict, headline: `The mismatch is not what stopped this run: ${why}` };
}

/** Like {@link tellBeside}, for logged metrics: these may not include the mismatch, which is then mentioned second. */
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

/** The answer about dumps, combined with what the same run's logged metrics show. The worse of the two wins. */
export function addLoggedBeside(
  { assessment, verdict }: Pick<MismatchReport, "assessment" | "verdict">,
  logged: readonly BesideFinding[],
): Pick<MismatchReport, "assessment" | "verdict"> {
  const beside = orderBeside([...assessment.beside, ...logged]);
  const told = tellBeside(verdict, beside);
  return { assessment: { ...assessment, beside, sentence: told.headline }, verdict: told };
}
