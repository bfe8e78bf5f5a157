import { K1, type LoggedKeys } from "../shared/logged-keys.ts";

/** openrlhf/models/loss.py */
export const logged: LoggedKeys = {
  mismatch: [{ key: /vllm_kl$/, ...K1, quirk: "positive and negative differences cancel" }],
  run: {
    evaluation: ["eval_*_pass1"],
    length: ["response_length"],
  },
};
