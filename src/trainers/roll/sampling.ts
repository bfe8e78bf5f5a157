import type { RolloutSampling } from "../shared/sampling.ts";

/** The actor's rollouts; what its log-probs are of depends on the strategy and its version. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["actor_infer.generating_args.temperature"],
    top_p: ["actor_infer.generating_args.top_p"],
    top_k: ["actor_infer.generating_args.top_k"],
    repetition_penalty: ["actor_infer.generating_args.repetition_penalty"],
  },
  source: "roll/configs/generating_args.py GeneratingArguments (8eb27cc2)",
};
