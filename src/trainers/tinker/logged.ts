import { K1, type LoggedKeys, ofFigure } from "../shared/logged-keys.ts";

/** tinker_cookbook/rl/metrics.py */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /optim\/kl_sample_train_v1$/, ...K1 },
    { key: /optim\/kl_sample_train_v2$/, ...ofFigure("k2") },
  ],
  run: {
    evaluation: ["test/env/all/reward/total"],
    reward: ["env/all/reward/total"],
    entropy: ["optim/entropy"],
  },
};
