import type { RaisedAlert } from "../../results/alerts.ts";
import type { AlertChange } from "./evaluate-alerts.ts";
import type { AlertRules } from "./rules.ts";

/** How many events of a run are listed. */
const MOST_LISTED = 200;

/**
 * The events of a run after another evaluation: adds those just raised and updates whether each still holds. Only the
 * last event of a rule can still hold; events of a rule that is gone from the file stay as they were.
 */
export function listRaised(
  before: readonly RaisedAlert[],
  { state, raised }: AlertChange,
  { rules }: Pick<AlertRules, "rules">,
  now: Date,
): readonly RaisedAlert[] {
  const fresh = raised.map(({ alert }) => ({ ...alert, raised_at: now.toISOString(), over: false }));
  const all = [...before, ...fresh].slice(-MOST_LISTED);
  const last = new Map(all.map(({ rule }, at) => [rule, at]));
  return all.map((one, at) => {
    const rule = rules.find(({ name }) => name === one.rule);
    if (rule === undefined || rule.when.kind === "changed") return one;
    const known = Object.hasOwn(state.rules, one.rule) ? state.rules[one.rule] : undefined;
    return { ...one, over: !(known?.isFiring && last.get(one.rule) === at) };
  });
}
