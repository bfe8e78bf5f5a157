import { isEnough } from "../../../core/statistics/enough.ts";
import type { View } from "../sample/view.ts";
import { measureLogitNoise } from "./spread.ts";
import { median } from "./stats.ts";

/** With fewer steps, a single bad one moves the median. */
const FEWEST_STEPS = 5;

/**
 * The median over steps of the logit noise √(π/2) · Σ|Δ| / Σ(1 − p), nats: typical of the run's own steps, however bad
 * some are. Null with fewer than five steps that have enough tokens and sequences.
 */
export function measureStepNoise(view: View): number | null {
  const steps = new Map<number, { abs: number; unsure: number; tokens: number; sequences: number }>();
  for (const [r, { step }] of view.rows.entries()) {
    if (Number.isNaN(step)) continue;
    const sums = steps.get(step) ?? { abs: 0, unsure: 0, tokens: 0, sequences: 0 };
    steps.set(step, sums);
    sums.sequences++;
    const [from, to] = view.span(r);
    for (let i = from; i < to; i++) {
      if (!view.isOwn(i)) continue;
      sums.tokens++;
      sums.abs += Math.abs(view.d[i]!);
      sums.unsure -= Math.expm1(Math.min(0, view.a[i]!));
    }
  }
  const noise = [...steps.values()]
    .filter(isEnough)
    .map(({ abs, unsure }) => measureLogitNoise({ abs, square: 0, unsure, unsureSquare: 0 }).logitNoiseMean);
  return noise.length < FEWEST_STEPS ? null : median(noise);
}
