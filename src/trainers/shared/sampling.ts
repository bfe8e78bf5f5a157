/**
 * How a trainer's rollout samples: the keys that change which distribution a token is drawn from, and what the engine's
 * log-probs are of. Data in each trainer's folder; `configs/sampling-rules.ts` says what it does to a correction.
 *
 * @module
 */

/** More tokens than any vocabulary has; AReaL's default top_k is 1e8. */
const NO_VOCABULARY = 1e7;

/** The values with which a parameter leaves the model's own distribution as it is. */
const NEUTRAL = {
  temperature: (value: number) => value === 1,
  /** Filters: tokens outside are never drawn. vLLM and SGLang switch top_k off by -1 or 0. */
  top_p: (value: number) => value >= 1,
  top_k: (value: number) => value <= 0 || value >= NO_VOCABULARY,
  min_p: (value: number) => value <= 0,
  repetition_penalty: (value: number) => value === 1,
  presence_penalty: (value: number) => value === 0,
  frequency_penalty: (value: number) => value === 0,
  /** SGLang's speculative_accept_threshold_*: below 1, drafted tokens are accepted that would not have been drawn. */
  accept_threshold: (value: number) => value >= 1,
} as const;

export type SamplingParameter = keyof typeof NEUTRAL;

export function isNeutral(parameter: SamplingParameter, value: number): boolean {
  return NEUTRAL[parameter](value);
}

/**
 * What an engine's log-probs are of. `raw`: the model's logits, as vLLM's raw_logprobs, its default. `scaled`: after
 * penalties and temperature, before filters, as SGLang's. `processed`: after all of it, as vLLM's processed_logprobs.
 * Source: vLLM engine arguments, logprobs_mode; vllm-project/vime#64 for SGLang.
 */
export type LogprobsOf = "raw" | "scaled" | "processed";

export interface RolloutSampling {
  /** Dotted ends of the keys, for training rollouts only. */
  readonly keys: Readonly<Partial<Record<SamplingParameter, readonly string[]>>>;
  /** What the log-probs are of; absent if it depends on what no config says. */
  readonly logprobs?: LogprobsOf;
  /** The key that sets vLLM's logprobs_mode, if there is one. */
  readonly modeKey?: string;
  /** The key that names the engine; `sglang` gives `scaled` whatever the mode. */
  readonly engineKey?: string;
  /** Filters that the trainer applies to its own log-probs too, over the tokens that the engine kept. */
  readonly replayed?: readonly SamplingParameter[];
  /** The switch that makes it do so; absent if it always does. */
  readonly replayKey?: string;
  /** Files or threads of the trainer. */
  readonly source: string;
}
