/**
 * What a correction does to the weights of the policy gradient's terms.
 *
 * A token's term is w · A · ∇log π(token): without a correction w is 1; w = ρ is unbiased (see `computeImpact`).
 * Log-probs and advantages give the weights but not ∇log π, so the figures describe the weights: they give neither
 * direction nor norm of a gradient.
 *
 * @module
 */
import { computeImpact } from "../../core/kernels/index.ts";
import { BinnedSums } from "../../core/summaries/index.ts";
import type { CorrectedGradient } from "../../results/correct.ts";
import type { CorrectionBlock } from "../../trainers/neutral/index.ts";

/** Σ|A|, Σ|A| of kept tokens, Σ|A||w − ρ|, Σ|A||1 − ρ|, ΣA, ΣAw, ΣAρ. */
const SUMS = 7;

export class GradientEffect {
  readonly #sums = new BinnedSums(SUMS);
  #tokens = 0;

  /** Adds the tokens of the mask whose Δ and advantage are finite and whose ρ does not overflow. */
  add(
    { rollout, trainer, mask, advantages }: CorrectionBlock,
    { weights, mask: kept }: { readonly weights?: Float64Array; readonly mask: Uint8Array },
  ): void {
    if (advantages === undefined) return;
    const own = new Float64Array(SUMS);
    for (let t = 0; t < mask.length; t++) {
      const [advantage, delta] = [advantages[t]!, trainer[t]! - rollout[t]!];
      const impact = computeImpact(advantage, delta);
      if (mask[t] === 0 || !Number.isFinite(delta) || !Number.isFinite(impact)) continue;
      const weight = kept[t] === 0 ? 0 : (weights?.[t] ?? 1);
      const size = Math.abs(advantage);
      this.#tokens++;
      own[0]! += size;
      own[1]! += weight === 0 ? 0 : size;
      own[2]! += Math.abs(advantage * (weight - 1) - impact);
      own[3]! += Math.abs(impact);
      own[4]! += advantage;
      own[5]! += advantage * weight;
      own[6]! += advantage + impact;
    }
    for (let i = 0; i < SUMS; i++) this.#sums.add(i, own[i]!);
  }

  /** Null if no token has a non-zero advantage. */
  finish(): CorrectedGradient | null {
    const [all, kept, gap, gapBefore, before, after, unbiased] = Array.from({ length: SUMS }, (_, i) =>
      this.#sums.value(i),
    ) as [number, number, number, number, number, number, number];
    if (all === 0) return null;
    return {
      tokens: this.#tokens,
      advantage_kept_share: kept / all,
      weight_gap: gap / all,
      weight_gap_uncorrected: gapBefore / all,
      surrogate: after / all,
      surrogate_uncorrected: before / all,
      surrogate_unbiased: unbiased / all,
    };
  }
}
