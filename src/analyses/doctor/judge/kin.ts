/**
 * Causes that leave the same traces in log-probs, and the prior probability of each among them. An experiment can
 * distinguish them; the dump cannot.
 *
 * @module
 */
export interface KinShare {
  readonly cause: string;
  readonly share: number;
}

/** By the number of public threads that name each. */
const KIN: Readonly<Record<string, readonly KinShare[]>> = {
  template_mismatch: [
    { cause: "template_mismatch", share: 0.5 },
    { cause: "prompt_left_cut", share: 0.16 },
    { cause: "bos_missing", share: 0.16 },
    { cause: "position_ids_wrong", share: 0.1 },
    { cause: "bos_double", share: 0.08 },
  ],
  stale_weights: [
    { cause: "stale_weights", share: 0.54 },
    { cause: "wrong_checkpoint", share: 0.14 },
    { cause: "lora_not_merged", share: 0.12 },
    { cause: "layer_not_synced", share: 0.1 },
    { cause: "tied_head_not_synced", share: 0.07 },
    { cause: "update_below_precision", share: 0.03 },
  ],
};

/** The causes that a profile represents; the shares sum to 1. */
export function spreadKin(kin: string): readonly KinShare[] {
  return KIN[kin] ?? [{ cause: kin, share: 1 }];
}

/** Number of public threads that name each (including its kin): the prior before anything is measured. */
const THREADS: Readonly<Record<string, number>> = {
  stale_weights: 36,
  weight_quantization: 23,
  moe_routing_flips: 15,
  template_mismatch: 12,
  stale_prefix_cache: 11,
  rope_mismatch: 10,
  kv_cache_quantization: 6,
  mixed_weight_versions: 5,
  context_window: 5,
  dropout_on: 4,
  packing_leak: 4,
  pads_attended: 4,
  trainer_ahead_one_update: 4,
};
/** A kin that was not counted is as rare as the rarest. */
const FEWEST_THREADS = 4;

/** Log prior in nats, up to a constant. */
export function weighBeforehand(kin: string): number {
  return Math.log(THREADS[kin] ?? FEWEST_THREADS);
}
