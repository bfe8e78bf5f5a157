/**
 * Reports what is NaN, null or infinite, and when: a verdict of its own, the worst one. Such a token makes the
 * trainer's loss NaN, or is silently left out of it.
 *
 * @module
 */
import { formatNumber, formatShare, plural } from "../../core/text/index.ts";
import type { Finite, NonFinite } from "../../results/finite.ts";
import type { MismatchReport, Verdict } from "../../results/report.ts";
import { readBaselines, type VerdictMetrics } from "./baselines.ts";
import { judgeLevel } from "./verdict.ts";

/** Counts for one column or logged metric in one step. */
export interface StepValues {
  /** NaN if not known. */
  readonly step: number;
  readonly nan: number;
  readonly infinite: number;
  readonly all: number;
}

/** A column of log-probs, or a logged metric. */
export interface Values extends Pick<NonFinite, "of" | "name"> {
  /** Whether such values make the run broken. */
  readonly breaks: (found: Omit<NonFinite, "breaks">) => boolean;
  /** Whether the source may write null where there is no value, which the record cannot tell from NaN. */
  readonly mayBeNull: boolean;
  /** In the order of steps. */
  readonly steps: readonly StepValues[];
}

/** Names listed in one sentence; the others are counted. */
const MOST_NAMED = 4;
/** Steps or kinds listed in one sentence. */
const MOST_CLAUSES = 3;

/**
 * Finds what is not finite among columns or metrics. Pure: the same counts give the same answer, in whatever order they
 * were summed.
 */
export function assessFinite(values: readonly Values[], read_as_missing = 0): Finite {
  const found = values.flatMap((one) => findNonFinite(one) ?? []).sort(byConcern);
  const mayBeNull = values.some((one) => one.mayBeNull);
  const sentence = found.length === 0 ? null : sayNonFinite(found, mayBeNull ? "NaN or null" : "NaN");
  return { found, sentence, read_as_missing };
}

function byConcern(a: NonFinite, b: NonFinite): number {
  const lasts = ({ since_step }: NonFinite): number => (since_step === null ? 0 : 1);
  return Number(b.breaks) - Number(a.breaks) || lasts(b) - lasts(a);
}

/** Whether what is not finite makes the run broken. */
export function isBroken({ found }: Finite): boolean {
  return found.some(({ breaks }) => breaks);
}

function findNonFinite({ of, name, steps, breaks }: Values): NonFinite | undefined {
  const known = steps.filter(({ all }) => all > 0);
  const odd = known.filter(({ nan, infinite }) => nan + infinite > 0);
  const [first, last] = [odd[0], odd.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const total = (field: "nan" | "infinite" | "all"): number => odd.reduce((sum, one) => sum + one[field], 0);
  const share = ({ nan, infinite, all }: StepValues): number => (nan + infinite) / all;
  const stretches = listStretches(known);
  const [stretch] = stretches.slice(-1);
  const since = stretch?.reachesEnd ? stretch.from : undefined;
  const one = {
    of,
    name,
    nan: total("nan"),
    infinite: total("infinite"),
    share: (total("nan") + total("infinite")) / total("all"),
    share_first: share(first),
    share_last: share(last),
    first_step: orNull(first.step),
    last_step: orNull(last.step),
    since_step: orNull(since),
    steps: odd.length,
    steps_all: known.length,
    when: saySteps(stretches, odd.length, known),
  };
  return { ...one, breaks: breaks(one) };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly reachesEnd: boolean;
}

/** Runs of consecutive steps with such values; unknown steps are in none. */
function listStretches(steps: readonly StepValues[]): Stretch[] {
  const stretches: Stretch[] = [];
  let from: number | undefined;
  for (const [at, { step, nan, infinite }] of steps.entries()) {
    if (nan + infinite === 0 || Number.isNaN(step)) continue;
    from ??= step;
    const next = steps[at + 1];
    if (next !== undefined && next.nan + next.infinite > 0 && !Number.isNaN(next.step)) continue;
    stretches.push({ from, to: step, reachesEnd: next === undefined });
    from = undefined;
  }
  return stretches;
}

function saySteps(stretches: readonly Stretch[], odd: number, steps: readonly StepValues[]): string | null {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (steps.length === 1) return `at step ${first.from}`;
  if (odd === steps.length) return "in every step";
  const say = ({ from, to, reachesEnd }: Stretch): string => {
    if (from === to) return reachesEnd ? `at the last step, ${from}` : `at step ${from}`;
    return reachesEnd ? `since step ${from}` : `in steps ${from}–${to}`;
  };
  if (stretches.length <= 2) return stretches.map(say).join(" and ");
  return `in ${odd} of ${plural(steps.length, "step")}, first at step ${first.from}, last at step ${last.to}`;
}

function sayNonFinite(found: readonly NonFinite[], missing: string): string {
  const alike = new Map<string, NonFinite[]>();
  for (const one of found) {
    const key = `${sayLead(one)}${sayKind(one, missing)} in `;
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const said = [...alike].map(([lead, some]) => {
    return lead + (some[0]?.of === "logged" ? nameMetrics(some) : some.map(sayColumn).join(" and in "));
  });
  const rest = [...alike.values()].slice(MOST_CLAUSES).flat().length;
  return [...said.slice(0, MOST_CLAUSES), ...(rest === 0 ? [] : [`and ${rest} more`])].join("; ");
}

const sayLead = ({ when }: NonFinite): string => (when === null ? "" : `${when}: `);

function sayKind({ nan, infinite }: NonFinite, missing: string): string {
  if (nan === 0) return "infinite values";
  return infinite === 0 ? missing : `${missing} and infinite values`;
}

function nameMetrics(alike: readonly NonFinite[]): string {
  const names = alike.slice(0, MOST_NAMED).map(({ name }) => name ?? "?");
  const more = alike.length - names.length;
  const all = more === 0 ? names : [...names, plural(more, "more metric")];
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

function sayColumn({ of, name, share, share_first, share_last, steps }: NonFinite): string {
  const column = `the ${of} log-probs${name === null ? "" : ` ${name}`}`;
  if (share === 1) return `all of ${column}`;
  const isThenAll = steps > 1 && share_last === 1;
  const how = isThenAll
    ? `${formatShare(share_first)} of the tokens, then all`
    : `${formatShare(share)} of the tokens`;
  return `${column} (${how})`;
}

/** The figures of the steps before anything was not finite. */
export interface FiniteBefore {
  /** The last of these steps. */
  readonly until: number;
  readonly metrics: VerdictMetrics;
}

/** Puts what is not finite in front of a verdict on the rest: that alone makes the run broken. */
export function tellFinite(
  verdict: Verdict,
  finite: Finite,
  {
    metrics,
    before,
    fault,
  }: { metrics: VerdictMetrics; before?: FiniteBefore | undefined; fault?: string | undefined },
): Verdict {
  if (finite.sentence === null || !isBroken(finite)) return verdict;
  const rest = fault ?? sayRest(before?.metrics ?? metrics, verdict, before?.until);
  const headline = [finite.sentence, ...(rest === "" ? [] : [rest])].join(". ");
  return { ...verdict, level: "broken", level_range: ["broken", "broken"], headline };
}

/** The answer about dumps, combined with non-finite values among the same run's logged metrics. */
export function addLoggedFinite(
  { assessment, verdict }: Pick<MismatchReport, "assessment" | "verdict">,
  logged: Finite,
): Pick<MismatchReport, "assessment" | "verdict"> {
  if (logged.sentence === null) return { assessment, verdict };
  const own = assessment.finite;
  const finite: Finite = {
    ...own,
    found: [...own.found, ...logged.found],
    sentence:
      own.sentence === null ? logged.sentence : `${own.sentence}. Logged metrics too, ${logged.sentence}`,
  };
  if (!isBroken(logged)) return { assessment: { ...assessment, finite }, verdict };
  const headline =
    own.sentence === null
      ? `${logged.sentence}. Of the log-probs: ${verdict.headline}`
      : `${verdict.headline}. Logged metrics too, ${logged.sentence}`;
  const level = "broken";
  return {
    assessment: { ...assessment, level, sentence: headline, finite },
    verdict: { ...verdict, level, level_range: [level, level], headline },
  };
}

/** `Until step 58 the mismatch is normal (mean |Δ| 0.0047)`; empty if nothing is finite. */
function sayRest(metrics: VerdictMetrics, ofAll: Verdict, until: number | undefined): string {
  if (metrics.tokens === 0) return "";
  const [lead, level] =
    until === undefined
      ? ["Of the rest", ofAll.level]
      : [`Until step ${until}`, judgeLevel(metrics, readBaselines(metrics))];
  if (level === "too_few") return `${lead} there are too few tokens for a word`;
  return `${lead} the mismatch is ${level} (mean |Δ| ${formatNumber(metrics.delta_abs_mean)})`;
}

const orNull = (step: number | undefined): number | null =>
  step === undefined || Number.isNaN(step) ? null : step;
