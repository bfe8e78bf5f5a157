/** Whether one column is the other in different units: another base of the logarithm, or probabilities. */
import { LEFT_OUT, type View } from "../sample/view.ts";
import { median, NumberList, quantiles } from "./stats.ts";

export interface Units {
  /** Median of trainer / rollout over tokens that are not near 0. */
  readonly ratio: number;
  /** Half the interquartile range of the ratio. */
  readonly ratioSpread: number;
  readonly tokens: number;
  /** The side whose values are in (0, 1] and whose logarithms match the other side. */
  readonly probabilities: "rollout" | "trainer" | null;
  /** Mean |log of the column − the other side| if a column contains probabilities, nats. */
  readonly probabilityError: number;
}

/** Nats: below this, rounding and the engine's precision determine the ratio. */
const WELL_ABOVE_NOISE = 0.02;

export function measureUnits(view: View): Units {
  const list = new NumberList(view.tokens);
  const positive = { rollout: 0, trainer: 0 };
  let own = 0;
  for (let i = 0; i < view.tokens; i++) {
    if (view.left[i] !== LEFT_OUT.own) continue;
    own++;
    const a = view.a[i]!;
    const c = view.c[i]!;
    // 1 is a placeholder in some programs; a column of probabilities has other values too.
    if (a > 0 && a !== 1) positive.rollout++;
    if (c > 0 && c !== 1) positive.trainer++;
    if (a < -WELL_ABOVE_NOISE && c < -WELL_ABOVE_NOISE) list.push(c / a);
  }
  const side = positive.rollout > own / 3 ? "rollout" : positive.trainer > own / 3 ? "trainer" : null;
  const ratios = list.values;
  const [lower, ratio, upper] = quantiles(ratios, [0.25, 0.5, 0.75]) as [number, number, number];
  return {
    ratio,
    ratioSpread: (upper - lower) / 2,
    tokens: ratios.length,
    probabilities: side,
    probabilityError: side === null ? Number.NaN : compareLogs(view, side),
  };
}

function compareLogs(view: View, side: "rollout" | "trainer"): number {
  const [values, other] = side === "rollout" ? [view.a, view.c] : [view.c, view.a];
  const errors: number[] = [];
  for (let i = 0; i < view.tokens; i++) {
    const value = values[i]!;
    if (view.left[i] === LEFT_OUT.own && value > 0 && value <= 1)
      errors.push(Math.abs(Math.log(value) - other[i]!));
  }
  return median(errors);
}
