import type { SweepCorrection } from "../../results/sweep.ts";
import type { NamedCorrection } from "./named-correction.ts";

type Figures = Pick<SweepCorrection, "name" | "ess_tokens" | "mass_moved" | "weight_mean">;

/**
 * |log mean weight| up to which the gradient's scale counts as unchanged: learning rates are not chosen more finely.
 */
const SAME_SCALE = 0.05;
/** From this on, weights change the learning rate more than they correct, however even they are. */
const OTHER_SCALE = Math.LN2;

/** How much a correction scales the gradient, in nats of its mean weight; 0 if that does not matter. */
function scaleMoved({ weight_mean }: Figures): number {
  const off = Math.abs(Math.log(weight_mean));
  return off <= SAME_SCALE ? 0 : off;
}

/**
 * The corrections that no other dominates: none has at least their ESS over tokens, moves at most their weight mass and
 * scales the gradient at most as much, with one of the three better. Among corrections with equal figures the first
 * represents all. Ordered from least to most moved.
 *
 * Excluded: geometric means, which shrink every ratio towards 1, so their ESS says little about the trainer policy, and
 * their mass is that of another quantity; and weights whose mean is outside 1/2 to 2. ESS and mass do not change if all
 * weights are divided by a million, but then nothing is learned.
 */
export function paretoFront(figures: readonly Figures[], corrections: readonly NamedCorrection[]): string[] {
  const ordered = figures
    .filter(
      (each, i) =>
        Number.isFinite(each.ess_tokens) &&
        Number.isFinite(each.mass_moved) &&
        scaleMoved(each) < OTHER_SCALE &&
        corrections[i]!.correction.weight?.aggregation !== "mean",
    )
    .sort(
      (a, b) => a.mass_moved - b.mass_moved || b.ess_tokens - a.ess_tokens || scaleMoved(a) - scaleMoved(b),
    );
  const front: Figures[] = [];
  for (const each of ordered) {
    // Earlier ones move no more.
    const isBeaten = front.some(
      (other) => other.ess_tokens >= each.ess_tokens && scaleMoved(other) <= scaleMoved(each),
    );
    if (!isBeaten) front.push(each);
  }
  return front.map(({ name }) => name);
}
