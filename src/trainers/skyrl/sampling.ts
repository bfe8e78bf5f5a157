import type { RolloutSampling } from "../shared/sampling.ts";

/** The other penalties are passed on only in `additional_kwargs`. */
export const sampling: RolloutSampling = {
  keys: {
    temperature: ["sampling_params.temperature"],
    top_p: ["sampling_params.top_p"],
    top_k: ["sampling_params.top_k"],
    min_p: ["sampling_params.min_p"],
    repetition_penalty: ["sampling_params.repetition_penalty", "additional_kwargs.repetition_penalty"],
    presence_penalty: ["additional_kwargs.presence_penalty"],
    frequency_penalty: ["additional_kwargs.frequency_penalty"],
  },
  logprobs: "raw",
  replayed: ["top_p", "top_k", "min_p"],
  replayKey: "enable_sample_support_replay",
  modeKey: "generator.inference_engine.engine_init_kwargs.logprobs_mode",
  source: "skyrl/train/config/config.py SamplingParams, InferenceEngineConfig (0.4.0)",
};
