import { K3, type LoggedKeys } from "../shared/logged-keys.ts";

/** slime/backends/megatron_utils/loss.py, examples/train_infer_mismatch_helper/mis.py; miles has the same keys */
export const logged: LoggedKeys = {
  mismatch: [{ key: /train_rollout_kl$/, ...K3, quirk: "Δ is clamped to ±10 nats" }],
};
