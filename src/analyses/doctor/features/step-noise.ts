import { isEnough } from "../../../core/statistics/enough.ts";
import type { View } from "../sample/view.ts";
import { measureLogitNoise, NoiseSums } from "./logit-noise.ts";
import { median } from "./stats.ts";

/** With fewer steps, a single bad one moves the median. */
const FEWEST_STEPS = 5;

/**
 * The median over steps of the logit noise √(π/2) · Σ|Δ| / Σ(1 − p), nats: typical of the run's own steps, however bad
 * some are. Null with fewer than five steps that have enough tokens and sequences.
 */
export function measureStepNoise(view: View): number | null {
  const steps = new Map<number, { readonly noise: NoiseSums; sequences: number }>();
  for (const [r, { step }] of view.rows.entries()) {
    if (Number.isNaN(step)) continue;
    const sums = steps.get(step) ?? { noise: new NoiseSums(), sequences: 0 };
    steps.set(step, sums);
    sums.sequences++;
    const [from, to] = view.span(r);
    for (let i = from; i < to; i++) if (view.isOwn(i)) sums.noise.add(view.a[i]!, view.d[i]!);
  }
  const noise = [...steps.values()]
    .filter(({ noise: { tokens }, sequences }) => isEnough({ tokens, sequences }))
    .map((sums) => measureLogitNoise(sums.noise).logitNoiseMean);
  return noise.length < FEWEST_STEPS ? null : median(noise);
}
