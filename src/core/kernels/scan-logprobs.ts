/**
 * Computes in one pass what the checks of a source count if all log-probs are ordinary, as in nearly all batches; for
 * other batches the checks examine tokens one by one, and they are the definition.
 *
 * @module
 */
import type { TokenBlock } from "./token-block.ts";
import { logprobsKernel } from "./wasm/logprobs-kernel.ts";

/** Counts of ordinary log-probs, which are all finite where the mask is 1. */
export interface OrdinaryLogprobs {
  /** Tokens with mask 1. */
  readonly masked: number;
  /** Masked tokens with the same value on both sides. */
  readonly same: number;
  /** Masked tokens that are exactly 0 only for the rollout, only for the trainer, and for both. */
  readonly zeros: { readonly rollout: number; readonly trainer: number; readonly both: number };
  /** Σ|Δ| in nats, summed token by token. */
  readonly deltaAbs: number;
}

export interface ScanOptions {
  /** Log-probs at or below this are not ordinary, nats. */
  readonly lowest: number;
  /** An exact 0 is not ordinary if the other side is below this, nats. */
  readonly certain: number;
  /** The Σ|Δ| to continue from, nats. */
  readonly deltaAbs: number;
}

/**
 * Undefined if a log-prob is not ordinary (at or below `lowest`, above 0, NaN where the mask is 1, 0 where the other
 * side is far from certain), for double precision, and if the kernel does not run.
 *
 * @param options thresholds that are exact in float32
 */
export function scanLogprobs(
  { rollout, trainer, mask }: Omit<TokenBlock, "offsets">,
  { lowest, certain, deltaAbs }: ScanOptions,
): OrdinaryLogprobs | undefined {
  const isSingle = rollout instanceof Float32Array && trainer instanceof Float32Array;
  const kernel = isSingle ? logprobsKernel() : undefined;
  if (kernel === undefined) return undefined;
  kernel.begin(deltaAbs);
  for (let from = 0; from < mask.length; from += kernel.chunk) {
    const to = Math.min(from + kernel.chunk, mask.length);
    kernel.rolloutIn.set(rollout.subarray(from, to));
    kernel.trainerIn.set(trainer.subarray(from, to));
    kernel.maskIn.set(mask.subarray(from, to));
    if (kernel.scan(to - from, lowest, certain) === 0) return undefined;
  }
  const { counts } = kernel;
  return {
    masked: counts[0]!,
    same: counts[1]!,
    zeros: { rollout: counts[2]!, trainer: counts[3]!, both: counts[4]! },
    deltaAbs: kernel.sumDeltas(),
  };
}
