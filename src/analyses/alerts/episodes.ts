import { isEnough } from "../../core/statistics/enough.ts";
import { formatNumber } from "../../core/text/index.ts";
import type { ChangeCondition, Condition, FigureCondition } from "../conditions/condition.ts";
import { type Holding, judgeInterval, judgeVerdict, meets } from "../conditions/judge.ts";
import { type Results, readFigures } from "../conditions/read-figure.ts";
import { isAmount, NON_FINITE } from "../conditions/vocabulary.ts";
import type { AlertRule } from "./rules.ts";

/** A stretch in which a condition holds. */
export interface Episode {
  /** The step or the test: what tells episodes of one rule apart. */
  readonly key: string;
  readonly since: number | null;
  readonly last: number | null;
  /** Number of steps in which the condition held. */
  readonly steps: number;
  readonly value: number | null;
  /** Whether the condition has stopped holding. */
  readonly isOver: boolean;
  readonly what: string;
}

/** Whether a condition can be evaluated at each step, so that past steps can be read again at any time. */
export function isStepped(condition: Condition): boolean {
  if (condition.kind !== "figure") return false;
  const { group, step, pooling } = condition.figure;
  return (group === "per_step" || group === "logged") && step === null && pooling === null;
}

/** Every stretch of steps in which the rule's condition held. A step whose value is not finite changes nothing. */
export function listStepEpisodes(results: Results, { when, clear }: AlertRule): Episode[] {
  const condition = when as FigureCondition;
  const ends = clear === null ? undefined : (clear as FigureCondition);
  const found = readFigures(results, condition.figure);
  if ("missing" in found) return [];
  const clearing = ends === undefined ? undefined : readFigures(results, ends.figure);
  const episodes: Episode[] = [];
  const readings = [...found.readings].sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
  for (const { step, value } of readings) {
    if (!Number.isFinite(value)) continue;
    const holds = meets(value, condition.operator, condition.bound);
    const current = episodes.at(-1);
    const isOpen = current !== undefined && !current.isOver;
    if (isOpen && holds) {
      episodes[episodes.length - 1] = { ...current, last: step, steps: current.steps + 1 };
    } else if (isOpen) {
      const place = clearing !== undefined && "readings" in clearing ? clearing.readings : [];
      const own = place.find((one) => one.step === step);
      const isOver = ends === undefined || (own !== undefined && meets(own.value, ends.operator, ends.bound));
      episodes[episodes.length - 1] = { ...current, last: step, isOver };
    } else if (holds) {
      const what = `${condition.figure.text} is ${formatNumber(value)} at step ${step}`;
      episodes.push({ key: `step ${step}`, since: step, last: step, steps: 1, value, isOver: false, what });
    }
  }
  return episodes;
}

/** Alarms of the tests over the whole run: each is raised once, and because an alarm is final, it is never over. */
export function listChanges(results: Results, { when }: AlertRule): Episode[] {
  if (results.kind === "series" || when.kind !== "changed") return [];
  return results.watch.alarms
    .filter(({ test }) => when.test === null || when.test === test)
    .map(({ test, since, at, text }) => ({
      key: test,
      since,
      last: at,
      steps: 1,
      value: null,
      isOver: true,
      what: text,
    }));
}

/** A condition on the whole run so far. */
export type PresentCondition = Exclude<Condition, ChangeCondition>;

interface Judged {
  readonly holding: Holding;
  readonly value: number | null;
  /** What to report when it holds. */
  readonly what: string;
}

/**
 * Whether a condition on the whole run so far is shown to hold, shown not to hold, or open. In a run with too few
 * tokens for a verdict, only conditions on counts can be shown.
 */
export function judgeNow(results: Results, condition: PresentCondition): Judged {
  const open: Judged = { holding: "open", value: null, what: condition.text };
  if (condition.kind === "verdict") {
    if (results.kind === "series") return open;
    const { level, headline } = results.verdict;
    const what = `the verdict is ${level}: ${headline}`;
    return { holding: judgeVerdict(results.verdict, condition), value: null, what };
  }
  const { figure, operator, bound } = condition;
  const isOfCounts = isAmount(figure.key) || [...NON_FINITE, "excluded", "logged"].includes(figure.group);
  if (results.kind === "report" && !isOfCounts && !isEnough(results.metrics)) return open;
  const found = readFigures(results, figure);
  const reading = "readings" in found ? found.readings[0] : undefined;
  if (reading === undefined || Number.isNaN(reading.value)) return open;
  const { value, interval } = reading;
  const what = `${figure.text} is ${formatNumber(value)}`;
  return { holding: judgeInterval(value, interval, operator, bound), value, what };
}
