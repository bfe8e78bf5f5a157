/**
 * What a correction does as a function of one Δ: a token's, or a sequence's ΣΔ or mean Δ.
 *
 * Between two bounds all values are treated alike, so two values of Δ describe each piece, and `applyCorrection` itself
 * runs on them. A drag then costs a handful of tokens, whatever the size of the run, and no rule is implemented twice.
 *
 * @module
 */
import { applyCorrection, type Correction, type Step } from "../../../../src/trainers/neutral/index.ts";
import { type AxisName, axisOfStep, axisOfWeight, linesOn } from "../../state/lines.ts";

export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly kept: boolean;
  readonly clipped: boolean;
  /** The weight of all values; undefined: each has its own ratio, or there are no weights. */
  readonly weight: number | undefined;
}

/** Whether everything that the correction does, except vetoes and divisors, is a function of Δ on these axes. */
export function isOn(correction: Correction, axes: readonly AxisName[]): boolean {
  const { weight, steps } = correction;
  const isKnown = (axis: AxisName | undefined): boolean => axis !== undefined && axes.includes(axis);
  if (weight !== undefined && (weight.over !== undefined || !isKnown(axisOfWeight(weight)))) return false;
  if (weight !== undefined && weight.level !== "token" && weight.deltaBound !== undefined) return false;
  return steps.every((step) => {
    if (step.action === "veto" || step.action === "normalize") return true;
    if (step.action === "truncate") return weight !== undefined;
    if (step.when !== undefined || step.only !== undefined) return false;
    if (step.measure !== "weight" && step.measure.deltaBound !== undefined) return false;
    return isKnown(axisOfStep(step, correction));
  });
}

/** Pieces of the weight and of the steps on the axis. Vetoes are left out, since they depend on other tokens. */
export function piecesOn(correction: Correction, axis: AxisName): Piece[] {
  const own = onTokens(correction, axis);
  const { weight } = own;
  const cuts = linesOn(correction, axis).map(({ at }) => at);
  for (const bound of [weight?.logBound, weight?.deltaBound])
    if (bound !== undefined) cuts.push(-bound, bound);
  const ends = [-Infinity, ...[...new Set(cuts)].sort((a, b) => a - b), Infinity];
  const trainer = Float64Array.from(
    ends.slice(1).flatMap((to, at) => {
      const from = ends[at]!;
      if (Number.isFinite(from) && Number.isFinite(to)) return [from + (to - from) / 3, to - (to - from) / 3];
      return Number.isFinite(from) ? [from + 1, from + 2] : Number.isFinite(to) ? [to - 2, to - 1] : [-1, 1];
    }),
  );
  const block = {
    trainer,
    rollout: new Float64Array(trainer.length),
    mask: new Uint8Array(trainer.length).fill(1),
    offsets: Int32Array.from({ length: trainer.length + 1 }, (_, t) => t),
  };
  const { mask, weights } = applyCorrection(block, own);
  const truncating = { ...own, steps: own.steps.filter(({ action }) => action === "truncate") };
  const { weights: clamped, rawWeights } = applyCorrection(block, truncating);
  return ends.slice(1).map((to, at): Piece => {
    const [one, other] = [weights?.[2 * at] ?? 1, weights?.[2 * at + 1] ?? 1];
    return {
      from: ends[at]!,
      to,
      kept: mask[2 * at] !== 0 && one !== 0,
      clipped: clamped !== undefined && clamped[2 * at] !== rawWeights![2 * at],
      weight: weight !== undefined && one === other ? one : undefined,
    };
  });
}

/** Rewrites sequence measures as token measures, for a sequence that consists of one Δ. */
function onTokens({ weight, steps }: Correction, axis: AxisName): Correction {
  const isWeighted = weight !== undefined && axisOfWeight(weight) === axis;
  const token = { level: "token", aggregation: "sum" } as const;
  return {
    ...(isWeighted && { weight: { ...weight, ...token } }),
    steps: steps.flatMap((step): Step[] => {
      if (step.action === "veto" || step.action === "normalize") return [];
      if (axisOfStep(step, { ...(weight && { weight }), steps }) !== axis) return [];
      if (step.action === "truncate" || step.measure === "weight") return [step];
      return [{ ...step, measure: { ...step.measure, ...token } }];
    }),
  };
}
