import type { RolloutSampling } from "../shared/sampling.ts";
import { sampling as slime } from "../slime/sampling.ts";

/** SGLang alone, with slime's keys; unlike in slime, the loss does not know which tokens top-p kept. */
export const sampling: RolloutSampling = {
  keys: slime.keys,
  logprobs: "scaled",
  source: "miles/utils/arguments.py, miles/backends/training_utils/loss_hub (31f1ca96)",
};
