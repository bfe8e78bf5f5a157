import type { Alert } from "../../results/alerts.ts";
import type { Results } from "../conditions/read-figure.ts";
import {
  type Episode,
  isStepped,
  judgeNow,
  listChanges,
  listStepEpisodes,
  type PresentCondition,
} from "./episodes.ts";
import type { AlertRule, AlertRules } from "./rules.ts";

type KnownEvent = Pick<Episode, "key" | "since" | "last">;

/** What is known about the events of a rule; JSON, so that it can be stored between evaluations. */
interface RuleState {
  /** Events raised so far, the latest last. */
  readonly raised: readonly KnownEvent[];
  /**
   * Number of events ever raised, including forgotten ones; kept for rules on the whole run, whose events are numbered.
   */
  readonly events?: number;
  /** Whether the condition held at the last evaluation, for rules on the whole run. */
  readonly isFiring: boolean;
  /** Number of evaluations or steps at which the current event still held. */
  readonly repeats: number;
}

export interface AlertState {
  readonly version: 1;
  readonly rules: Readonly<Record<string, RuleState>>;
}

export const NO_ALERTS: AlertState = { version: 1, rules: {} };

/** How many events of a rule are remembered. */
const MOST_REMEMBERED = 100;

export interface AlertChange {
  readonly state: AlertState;
  /** Events that have just begun. */
  readonly raised: readonly { readonly alert: Alert; readonly rule: AlertRule }[];
  /** Rules whose event is over, with how often the event was seen to continue. */
  readonly over: readonly { readonly rule: AlertRule; readonly repeats: number }[];
}

/**
 * Which alerts are due after another evaluation of a run. Pure: it can be called any number of times and raises each
 * event once.
 *
 * Conditions on steps are evaluated for all steps each time, so that nothing between two evaluations is missed.
 * Conditions on the whole run so far hold when the whole 95 % interval meets them, and are raised again only after they
 * were shown not to hold.
 *
 * @param run names the run in ids and texts; must stay the same between evaluations
 */
export function evaluateAlerts(
  results: Results,
  { rules }: Pick<AlertRules, "rules">,
  state: AlertState,
  run: string,
): AlertChange {
  const raised: { alert: Alert; rule: AlertRule }[] = [];
  const over: { rule: AlertRule; repeats: number }[] = [];
  const next: Record<string, RuleState> = Object.create(null) as Record<string, RuleState>;
  for (const rule of rules) {
    const before = Object.hasOwn(state.rules, rule.name) ? state.rules[rule.name] : undefined;
    const known = before ?? { raised: [], isFiring: false, repeats: 0 };
    const seen = rule.when.kind === "changed" || isStepped(rule.when) ? followEpisodes : followNow;
    const { fresh, after } = seen(results, rule, known);
    for (const episode of fresh) raised.push({ alert: makeAlert(rule, episode, run), rule });
    if (known.isFiring && !after.isFiring) over.push({ rule, repeats: known.repeats });
    next[rule.name] = { ...after, raised: after.raised.slice(-MOST_REMEMBERED) };
  }
  return { state: { version: 1, rules: next }, raised, over };
}

interface Followed {
  readonly fresh: readonly Episode[];
  readonly after: RuleState;
}

function followEpisodes(results: Results, rule: AlertRule, before: RuleState): Followed {
  const isChange = rule.when.kind === "changed";
  const episodes = isChange ? listChanges(results, rule) : listStepEpisodes(results, rule);
  // Reading a step again with more of its ranks may move the start of an event: that is not a second event.
  const isSame = isChange ? haveOneKey : overlap;
  // Events older than every remembered one were raised too.
  const isForgotten = (one: Episode): boolean =>
    before.raised.length === MOST_REMEMBERED && (one.since ?? 0) < (before.raised[0]!.since ?? 0);
  const fresh = episodes.filter((one) => !isForgotten(one) && !before.raised.some((old) => isSame(old, one)));
  const kept = before.raised.map((old) => {
    const now = episodes.find((one) => isSame(old, one));
    return now === undefined ? old : { ...old, last: now.last };
  });
  const raised = [...kept, ...fresh.map(({ key, since, last }) => ({ key, since, last }))];
  raised.sort((a, b) => (a.since ?? 0) - (b.since ?? 0));
  const last = episodes.at(-1);
  const isFiring = last !== undefined && !last.isOver;
  return { fresh, after: { raised, isFiring, repeats: isFiring ? last.steps - 1 : 0 } };
}

function haveOneKey(a: KnownEvent, b: KnownEvent): boolean {
  return a.key === b.key;
}

/** A step without a number counts as 0, as it does when steps are sorted. */
function overlap(a: KnownEvent, b: KnownEvent): boolean {
  return (a.since ?? 0) <= (b.last ?? 0) && (b.since ?? 0) <= (a.last ?? 0);
}

function followNow(results: Results, rule: AlertRule, before: RuleState): Followed {
  // Rules on changes were handled above as episodes, and `clear` has the same kind as `when`.
  const [when, clear] = [rule.when as PresentCondition, rule.clear as PresentCondition | null];
  const { holding, value, what } = judgeNow(results, when);
  const isCleared = clear === null ? holding === "fails" : judgeNow(results, clear).holding === "holds";
  if (before.isFiring) {
    if (isCleared) return { fresh: [], after: { ...before, isFiring: false, repeats: 0 } };
    return { fresh: [], after: { ...before, repeats: before.repeats + (holding === "holds" ? 1 : 0) } };
  }
  if (holding !== "holds") return { fresh: [], after: before };
  const since = findLastStep(results);
  const events = (before.events ?? before.raised.length) + 1;
  const key = since === null ? `event ${events}` : `step ${since}`;
  const episode: Episode = { key, since, last: since, steps: 1, value, isOver: false, what };
  return {
    fresh: [episode],
    after: { raised: [...before.raised, { key, since, last: since }], events, isFiring: true, repeats: 0 },
  };
}

function findLastStep(results: Results): number | null {
  if (results.kind === "series") return null;
  const steps = results.per_step.flatMap(({ step }) => step ?? []);
  return steps.length === 0 ? null : steps.reduce((a, b) => Math.max(a, b));
}

function makeAlert(rule: AlertRule, { key, since, value, what }: Episode, run: string): Alert {
  const when = rule.when.text;
  return {
    schemaVersion: 1,
    kind: "alert",
    id: `${run}:${rule.name}:${key}`,
    rule: rule.name,
    condition: when,
    run,
    since,
    value,
    text: `${rule.name === when ? "" : `${rule.name}: `}${what}${rule.when.kind === "figure" ? ` (${when})` : ""}`,
  };
}
