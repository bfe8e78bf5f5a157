/**
 * Single values that occur at many tokens: placeholders, which are unrelated to the other side, and floors, below which
 * a side has no values.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { quantiles } from "./stats.ts";

export interface RepeatedValue {
  readonly side: "rollout" | "trainer";
  readonly value: number;
  /** Number of tokens with the value. */
  readonly count: number;
  /** Tokens with the value where the other side is clearly elsewhere. */
  readonly far: readonly number[];
  /** Share with the value among tokens where the other side is clearly elsewhere. */
  readonly share: number;
  /** The same share among tokens where the other side is nearly but not quite sure: p from 0.95 to 0.9999. */
  readonly shareOfSure: number;
  /** Whether it is the side's smallest value, and the other side is at or below it wherever it occurs. */
  readonly isFloor: boolean;
  /**
   * Distinct values, to 0.05 nats, of the other side at {@link far}: equal contexts give equal numbers on both sides.
   */
  readonly different: number;
  /** Rows whose own tokens all have the value, and rows that have it from some token to the end. */
  readonly rowsWhole: number;
  readonly rowsToEnd: number;
}

/** Nats: more than an engine's precision moves a token; less where the two sides agree more closely. */
const FAR = 0.05;
const LEAST_FAR = 0.003;
const TIMES_TYPICAL = 50;
const FEWEST = 3;
/** Values examined per side. */
const MOST_VALUES = 8;

export function measureConstants(view: View): RepeatedValue[] {
  const limit = limitFar(view);
  return (["rollout", "trainer"] as const).flatMap((side) => {
    const [values, other] = side === "rollout" ? [view.a, view.c] : [view.c, view.a];
    const { lowest, far } = countFar(view, values, other, limit);
    const often = [...far].filter(
      ([value, count]) => count >= FEWEST || (value === lowest && isRound(value)),
    );
    return often
      .sort((x, y) => y[1] - x[1])
      .slice(0, MOST_VALUES)
      .map(([value]) => describe(view, side, value, value === lowest, limit));
  });
}

interface FarCounts {
  /** For each value, its tokens where the other side is clearly elsewhere. */
  readonly far: Map<number, number>;
  readonly lowest: number;
}

/** A multiple of the 90th percentile of |Δ|. */
function limitFar(view: View): number {
  const sizes: number[] = [];
  for (let i = 0; i < view.tokens; i++) if (view.isOwn(i)) sizes.push(Math.abs(view.d[i]!));
  return Math.max(LEAST_FAR, Math.min(FAR, TIMES_TYPICAL * (quantiles(sizes, [0.9])[0] ?? 0)));
}

function countFar(view: View, values: Float64Array, other: Float64Array, limit: number): FarCounts {
  const far = new Map<number, number>();
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const value = values[i]!;
    if (Math.abs(other[i]! - value) > limit) far.set(value, (far.get(value) ?? 0) + 1);
    if (value < lowest) lowest = value;
  }
  return { far, lowest };
}

/** Numbers that people choose as limits: −3, −2.5, −100. One float32 in a million is such a number by chance. */
export function isRound(value: number): boolean {
  return Number.isInteger(value * 4);
}

function describe(
  view: View,
  side: "rollout" | "trainer",
  value: number,
  isLowest: boolean,
  limit: number,
): RepeatedValue {
  const [values, other] = side === "rollout" ? [view.a, view.c] : [view.c, view.a];
  const far: number[] = [];
  const others: number[] = [];
  let [candidates, sure, sureHere] = [0, 0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const isFar = Math.abs(other[i]! - value) > limit;
    if (isFar) candidates++;
    const isSure = other[i]! > -0.05 && other[i]! < -1e-4;
    if (isSure) sure++;
    if (values[i] !== value) continue;
    if (isSure) sureHere++;
    others.push(other[i]!);
    if (isFar) far.push(i);
  }
  const isFloor = isLowest && quantiles(others, [0.9])[0]! <= value + FAR;
  return {
    side,
    value,
    count: others.length,
    far,
    share: candidates === 0 ? 0 : far.length / candidates,
    shareOfSure: sure === 0 ? 0 : sureHere / sure,
    isFloor,
    different: new Set(far.map((i) => Math.round(other[i]! / FAR))).size,
    ...countRows(view, values, value),
  };
}

function countRows(
  view: View,
  values: Float64Array,
  value: number,
): { rowsWhole: number; rowsToEnd: number } {
  let [rowsWhole, rowsToEnd] = [0, 0];
  for (let r = 0; r < view.rows.length; r++) {
    const [from, to] = view.span(r);
    const own: boolean[] = [];
    for (let i = from; i < to; i++) if (view.isOwn(i)) own.push(values[i] === value);
    const start = own.lastIndexOf(false) + 1;
    if (own.length > 0 && start === 0) rowsWhole++;
    else if (own.length - start >= FEWEST) rowsToEnd++;
  }
  return { rowsWhole, rowsToEnd };
}
