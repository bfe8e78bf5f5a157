/**
 * Causes that leave the same traces in log-probs, and how likely each is among them beforehand. What tells them apart
 * is an experiment, not the dump.
 *
 * @module
 */
export interface KinShare {
  readonly cause: string;
  readonly share: number;
}

/** By how many public threads name each. */
const KIN: Readonly<Record<string, readonly KinShare[]>> = {
  template_mismatch: [
    { cause: "template_mismatch", share: 0.5 },
    { cause: "prompt_left_cut", share: 0.16 },
    { cause: "bos_missing", share: 0.16 },
    { cause: "position_ids_wrong", share: 0.1 },
    { cause: "bos_double", share: 0.08 },
  ],
  stale_weights: [
    { cause: "stale_weights", share: 0.56 },
    { cause: "wrong_checkpoint", share: 0.14 },
    { cause: "lora_not_merged", share: 0.12 },
    { cause: "layer_not_synced", share: 0.1 },
    { cause: "tied_head_not_synced", share: 0.08 },
  ],
};

/** The causes that a profile stands for; the shares sum to 1. */
export function spreadKin(kin: string): readonly KinShare[] {
  return KIN[kin] ?? [{ cause: kin, share: 1 }];
}
