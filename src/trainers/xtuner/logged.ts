import {
  ABS,
  ESS,
  K1,
  K3,
  type LoggedKeys,
  PACKS,
  perplexityMetrics,
  RATIO,
  TRUNCATED,
} from "../shared/logged-keys.ts";

/** xtuner/v1/rl/rollout_is.py */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /mismatch\/mismatch_logprob_abs_diff$/, ...ABS, quirk: PACKS },
    { key: /mismatch\/mismatch_k3_kl$/, ...K3, quirk: PACKS },
    { key: /mismatch\/mismatch_kl$/, ...K1, quirk: PACKS },
    ...perplexityMetrics("mismatch/mismatch_", "computed per pack, as if the pack were one sequence"),
    { key: /mismatch\/rollout_is_eff_sample_size$/, ...ESS, quirk: TRUNCATED, isBent: true },
    { key: /mismatch\/rollout_is_mean$/, ...RATIO, quirk: TRUNCATED, isBent: true },
  ],
};
