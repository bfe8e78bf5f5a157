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

/** What is known of the events of a rule; JSON, so that it can be kept while nobody looks. */
interface RuleState {
  /** Events that were raised, the latest last. */
  readonly raised: readonly KnownEvent[];
  /** Events ever raised, those that are no longer remembered too; kept for rules on the whole run, which number them. */
  readonly events?: number;
  /** Whether the condition held when it was last looked at, for rules on the whole run. */
  readonly isFiring: boolean;
  /** Looks or steps at which the current event went on to hold. */
  readonly repeats: number;
}

export interface AlertState {
  readonly version: 1;
  readonly rules: Readonly<Record<string, RuleState>>;
}

export const NO_ALERTS: AlertState = { version: 1, rules: {} };

/** As many events of a rule are remembered. */
const MOST_REMEMBERED = 100;

export interface AlertChange {
  readonly state: AlertState;
  /** Events that begin now. */
  readonly raised: readonly { readonly alert: Alert; readonly rule: AlertRule }[];
  /** Rules whose event is over, with how often it was seen to go on. */
  readonly over: readonly { readonly rule: AlertRule; readonly repeats: number }[];
}

/**
 * Which alerts are due after one more look at a run. Pure: it may be called as often as one likes, and raises each event
 * once.
 *
 * Conditions on steps are read for all steps each time, so that nothing between two looks is missed; those on the whole run
 * so far hold when the whole 95 % interval keeps them, and are raised again only after they were shown not to hold.
 *
 * @param run names the run in ids and texts; the same at each look
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
  // A step that is read again with more of its ranks may move where an event began: that is not a second event.
  const isSame = isChange ? haveOneKey : overlap;
  // Those before all that are remembered were raised too.
  const isForgotten = (one: Episode): boolean =>
    before.raised.length === MOST_REMEMBERED && sortsBefore(one, before.raised[0]!);
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

/** A step without a number counts as 0, as where steps are sorted. */
function overlap(a: KnownEvent, b: KnownEvent): boolean {
  return (a.since ?? 0) <= (b.last ?? 0) && (b.since ?? 0) <= (a.last ?? 0);
}

function sortsBefore(a: KnownEvent, b: KnownEvent): boolean {
  return (a.since ?? 0) < (b.since ?? 0);
}

function followNow(results: Results, rule: AlertRule, before: RuleState): Followed {
  // A rule on changes has episodes, and what clears a rule is of the rule's kind.
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
