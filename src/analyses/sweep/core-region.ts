/**
 * Which tokens every correction of a grid treats alike.
 *
 * @module
 */

import {
  type Correction,
  EVERYTHING,
  type Figure,
  type Interval,
  insideInterval,
  isBinaryKl,
  logInterval,
  type Measure,
  NOTHING,
  type Statistic,
  type Step,
  symmetricInterval,
} from "../../trainers/neutral/index.ts";

/**
 * The tokens within the bounds of every token-level rule of every correction. Such a *core* token is never clamped or
 * rejected by itself under any correction, so sums over the core of a turn represent its tokens; the others, the
 * *tail*, are kept one by one. Both ends are included; empty if low > high.
 */
export interface CoreRegion {
  /** Range of Δ, nats. */
  readonly delta: Interval;
  /** Range of Δp; infinite if no rule depends on the Δp of single tokens. */
  readonly probDiff: Interval;
  /** The upper bounds of binary KLs, which follow from neither. */
  readonly binaryKls: readonly BinaryKlLimit[];
  /**
   * Whether all tokens whose advantage has the sign of their Δ are in the tail, because some rule splits turns by it.
   */
  readonly divergingInTail: boolean;
  /** What some turn or sequence rule sums, besides powers of Δ, by {@link formatFigure}. */
  readonly sums: ReadonlyMap<string, Figure>;
}

export interface BinaryKlLimit {
  readonly figure: Figure;
  /** Nats. */
  readonly upper: number;
}

/** What core tokens sum up as powers of Δ. */
const POWERS: readonly Statistic[] = ["ratio", "k1", "k2"];

/**
 * Tells figures apart. A bound on Δ does not matter to the core, whose tokens are within it; those on probabilities do.
 */
export function formatFigure({ statistic, probBound, restShift }: Figure): string {
  return [statistic, probBound ?? "", restShift ?? ""].join(" ").trimEnd();
}

/** Bounds are tightened by this relative margin, so that rounding never puts a token outside a rule into the core. */
const MARGIN = 1e-12;

export function coreRegion(corrections: readonly Correction[]): CoreRegion {
  let delta = EVERYTHING;
  let probDiff = EVERYTHING;
  const binaryKls = new Map<string, BinaryKlLimit>();
  const measured: Measure[] = [];
  for (const { weight, steps } of corrections) {
    if (weight?.level === "token") delta = within(delta, logBounds(weight.logBound));
    delta = within(delta, logBounds(weight?.deltaBound));
    for (const step of steps) {
      if (step.action === "normalize") continue;
      if (step.action === "truncate" || step.measure === "weight") {
        if (weight?.level === "token") delta = within(delta, logInterval(step));
        continue;
      }
      const { measure } = step;
      measured.push(measure);
      delta = within(delta, logBounds(measure.deltaBound));
      // No end of a turn's range of Δ or Δp has its largest binary KL.
      if (isBinaryKl(measure.statistic) && measure.level !== "token" && measure.aggregation === "max")
        delta = NOTHING;
      if (measure.level !== "token") continue;
      if (isBinaryKl(measure.statistic)) {
        // A shift can make it negative.
        if (step.lower !== undefined && (step.lower > 0 || measure.restShift)) delta = NOTHING;
        tighten(binaryKls, measure, step.upper);
      } else if (measure.statistic === "prob_diff" || measure.statistic === "abs_prob_diff")
        probDiff = within(probDiff, insideInterval(measure.statistic, step));
      else delta = within(delta, insideInterval(measure.statistic, step));
    }
  }
  const extras = measured.filter(({ level, statistic }) => level !== "token" && !POWERS.includes(statistic));
  return {
    delta: inwards(delta),
    probDiff: inwards(probDiff),
    binaryKls: [...binaryKls.values()],
    divergingInTail: corrections.some((correction) =>
      correction.steps.some((step) => splitsTurns(step, correction)),
    ),
    sums: new Map(extras.map((measure) => [formatFigure(measure), measure])),
  };
}

/** Keeps the smallest upper bound of each figure. */
function tighten(limits: Map<string, BinaryKlLimit>, figure: Figure, upper = Number.POSITIVE_INFINITY): void {
  const key = formatFigure(figure);
  const known = limits.get(key)?.upper ?? Number.POSITIVE_INFINITY;
  limits.set(key, { figure, upper: Math.min(known, upper) });
}

/** Whether a step rejects some tokens of a turn for a value that they share; a token's own never rejects the core. */
function splitsTurns(step: Step, { weight }: Correction): boolean {
  if (!("only" in step) || step.only === undefined) return false;
  return (step.measure === "weight" ? weight?.level : step.measure.level) !== "token";
}

function logBounds(bound: number | undefined): Interval {
  return bound === undefined ? EVERYTHING : symmetricInterval(bound);
}

function within(a: Interval, b: Interval): Interval {
  return { low: Math.max(a.low, b.low), high: Math.min(a.high, b.high) };
}

function inwards({ low, high }: Interval): Interval {
  const margin = (bound: number): number => (Number.isFinite(bound) ? MARGIN * (1 + Math.abs(bound)) : 0);
  return { low: low + margin(low), high: high - margin(high) };
}
