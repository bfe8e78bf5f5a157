import { K3, type LoggedKeys, SEQUENCES, SHARE } from "../shared/logged-keys.ts";

/** prime_rl/trainer/rl/loss.py */
export const logged: LoggedKeys = {
  mismatch: [
    {
      key: /(?<!un)masked_mismatch_kl(?:\/[^/]+)*\/mean$/,
      meaning: "k3 of dropped tokens",
      unit: "nats",
      worse: "larger",
      quirk: SEQUENCES,
    },
    {
      key: /unmasked_mismatch_kl(?:\/[^/]+)*\/mean$/,
      meaning: "k3 of kept tokens",
      unit: "nats",
      worse: "larger",
      quirk: SEQUENCES,
    },
    { key: /(?:trainer_)?mismatch_kl(?:\/all)?\/mean$|trainer_mismatch_kl$/, ...K3 },
    {
      key: /mismatch_kl\/[^/]+\/mean$/,
      meaning: "k3 of an environment",
      unit: "nats",
      worse: "larger",
    },
    {
      key: /mismatch_kl\/[^/]+\/max$/,
      meaning: "largest k3 of a token",
      unit: "nats",
      worse: "larger",
    },
    { key: /Mismatch KL$/, ...K3, quirk: "printed with four decimals" },
    {
      key: /kl_ent_ratio\/mean$|trainer_kl_ent_ratio$/,
      meaning: "k3 over the mean entropy",
      unit: "",
      worse: "larger",
    },
    {
      key: /is_masked(?:\/[^/]+)*\/mean$/,
      ...SHARE,
      meaning: "share of tokens dropped",
      quirk: SEQUENCES,
    },
  ],
  run: {
    evaluation: ["eval/*/avg@*"],
    reward: ["reward/all/mean"],
    entropy: ["entropy/all/mean", "entropy/mean", "Entropy"],
    grad_norm: ["optim/grad_norm", "Grad. Norm"],
    length: ["decode_len/all/mean"],
    truncated: ["is_truncated/all/mean"],
  },
};
