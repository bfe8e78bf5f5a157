/**
 * A correction's bounds as lines on an axis, and the correction that results from moving one.
 *
 * @module
 */
import {
  type Correction,
  type Interval,
  insideInterval,
  logInterval,
  needsProbs,
  type Statistic,
  type Step,
  tokenStatistic,
  type Weight,
} from "../../../src/trainers/neutral/index.ts";
import { roundBound, withBounds, withStep } from "./correction.ts";

/** What a histogram can be of: Δ of tokens, ΣΔ of sequences, mean Δ of sequences. */
export const AXES = ["token", "sum", "mean"] as const;
export type AxisName = (typeof AXES)[number];

type Side = "low" | "high";
type Bounded = Exclude<Step, { action: "normalize" }>;

/** What a step compares with its bounds, if that is a function of one Δ on an axis. */
interface Held {
  readonly axis: AxisName;
  readonly statistic: Statistic;
  readonly inside: Interval;
}

export interface Line {
  readonly name: string;
  /** `1 truncate above`, by its place in the list of steps. */
  readonly label: string;
  readonly step: number;
  readonly side: Side;
  /** Place on the axis, nats. */
  readonly at: number;
  /** What happens to values beyond it. */
  readonly effect: "clipped" | "dropped";
}

function heldBy(step: Step, { weight }: Correction): Held | undefined {
  if (step.action === "normalize") return undefined;
  if (step.action === "truncate" || step.measure === "weight") {
    const axis = weight && axisOfWeight(weight);
    return axis && { axis, statistic: "ratio", inside: logInterval(step) };
  }
  const { statistic, level, aggregation, over } = step.measure;
  if (level === "turn" || needsProbs(statistic)) return undefined;
  const inside = insideInterval(statistic, step);
  if (level === "token") return { axis: level, statistic, inside };
  const isLog = statistic === "ratio" || statistic === "k1";
  if (!isLog || aggregation === "max" || over !== undefined) return undefined;
  return { axis: aggregation, statistic, inside };
}

export function axisOfWeight({ level, aggregation }: Weight): AxisName | undefined {
  return level === "turn" ? undefined : level === "token" ? level : aggregation;
}

export function axisOfStep(step: Step, correction: Correction): AxisName | undefined {
  return heldBy(step, correction)?.axis;
}

/** The axis of the first step with lines on one, else the weight's. */
export function mainAxis(correction: Correction): AxisName {
  for (const step of correction.steps) {
    const held = step.action === "veto" ? undefined : heldBy(step, correction);
    if (held !== undefined) return held.axis;
  }
  return (correction.weight && axisOfWeight(correction.weight)) ?? "token";
}

export function linesOn(correction: Correction, axis: AxisName): Line[] {
  return correction.steps.flatMap((step, at): Line[] => {
    const held = heldBy(step, correction);
    if (held?.axis !== axis) return [];
    return (["low", "high"] as const).flatMap((side) => {
      const place = held.inside[side];
      if (!Number.isFinite(place)) return [];
      return {
        name: `${at}-${side}`,
        label: `${at + 1} ${step.action} ${side === "low" ? "below" : "above"}`,
        step: at,
        side,
        at: place,
        effect: step.action === "truncate" ? "clipped" : "dropped",
      };
    });
  });
}

/** The correction with the line moved; the two bounds of a step never cross. */
export function moveLine(correction: Correction, { step: at, side }: Line, to: number): Correction {
  const step = correction.steps[at] as Bounded;
  const held = heldBy(step, correction)!;
  const { low, high } = held.inside;
  const place = side === "low" ? Math.min(to, high) : Math.max(to, low);
  const bound = (delta: number): number =>
    roundBound(held.statistic === "ratio" ? Math.exp(delta) : tokenStatistic(held, 0, delta));
  const isLower = held.statistic === "ratio" ? side === "low" : held.statistic === "k1" && side === "high";
  const { lower, upper } = step;
  return withStep(
    correction,
    at,
    withBounds(step, isLower ? { lower: bound(place), upper } : { lower, upper: bound(place) }),
  );
}

/** For each step with lines on the axis, the interval inside them; links lead to what is outside. */
export function insidesOn(
  correction: Correction,
  axis: AxisName,
): { readonly action: Bounded["action"]; readonly inside: Interval }[] {
  return correction.steps.flatMap((step) => {
    const held = heldBy(step, correction);
    return held?.axis === axis && step.action !== "normalize"
      ? [{ action: step.action, inside: held.inside }]
      : [];
  });
}
