/**
 * What the checks of a source count where all log-probs are ordinary, in one pass. Nearly all batches are; the checks look
 * at the tokens of the others one by one, and are the definition.
 *
 * @module
 */
import type { TokenBlock } from "./token-block.ts";
import { logprobsKernel } from "./wasm/logprobs-kernel.ts";

/** Of ordinary log-probs, which all are finite where the mask is 1. */
export interface OrdinaryLogprobs {
  /** Tokens with mask 1. */
  readonly masked: number;
  /** Those of them with the same value on both sides. */
  readonly same: number;
  /** Those that are exactly 0 only for the rollout, only for the trainer, and for both. */
  readonly zeros: { readonly rollout: number; readonly trainer: number; readonly both: number };
  /** Σ|Δ| in nats, added up token by token. */
  readonly deltaAbs: number;
}

export interface ScanOptions {
  /** Log-probs at and below it are not ordinary, nats. */
  readonly lowest: number;
  /** Exactly 0 is not ordinary where the other side is below this, nats. */
  readonly certain: number;
  /** Where Σ|Δ| continues, nats. */
  readonly deltaAbs: number;
}

/**
 * Undefined when a log-prob is not ordinary (`lowest` or below, above 0, NaN where the mask is 1, 0 where the other
 * side is far from certain), in double precision, and where the kernel does not run.
 *
 * @param options thresholds that float32 holds exactly
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
