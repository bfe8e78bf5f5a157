import type { SweepCorrection } from "../../results/index.ts";
import type { NamedCorrection } from "./named-correction.ts";

type Figures = Pick<SweepCorrection, "name" | "ess_tokens" | "mass_moved">;

/**
 * The corrections that no other beats: none has at least their ESS over tokens and moves at most their weight mass, with
 * one of the two better. Of corrections with the same two figures the first stands for all. From least to most moved.
 *
 * Geometric means are left out: they shrink every ratio towards 1, so their ESS says little about the trainer policy,
 * and their mass is that of another quantity.
 */
export function paretoFront(figures: readonly Figures[], corrections: readonly NamedCorrection[]): string[] {
  const candidates = figures.filter(
    ({ ess_tokens, mass_moved }, i) =>
      Number.isFinite(ess_tokens) &&
      Number.isFinite(mass_moved) &&
      corrections[i]!.correction.weight?.aggregation !== "mean",
  );
  const ordered = [...candidates].sort((a, b) => a.mass_moved - b.mass_moved || b.ess_tokens - a.ess_tokens);
  const front: string[] = [];
  let best = Number.NEGATIVE_INFINITY;
  for (const { name, ess_tokens } of ordered) {
    if (ess_tokens <= best) continue;
    best = ess_tokens;
    front.push(name);
  }
  return front;
}
