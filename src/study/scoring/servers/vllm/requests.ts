/**
 * Requests to `POST /v1/completions` of vLLM (vllm/entrypoints/openai/completion/protocol.py).
 *
 * @module
 */
import type { SampleOptions } from "../../policy.ts";

/**
 * One token must be generated: `max_tokens` 0 is accepted only with `echo`. With temperature 1 and no truncation,
 * log-probs "processed" by the sampler equal raw ones; the engine of vLLM 0 also divided those of a prompt by the
 * temperature. All are set explicitly, since a server takes missing ones from the model's generation_config.json.
 */
const UNPROCESSED = {
  max_tokens: 1,
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

export type CompletionBody = Readonly<Record<string, unknown>>;

/** `prompt_logprobs`: the log-probs of each token of the prompt, with `k` alternatives; -1 means all. */
export function promptLogprobsBody(model: string, ids: Int32Array, k: number): CompletionBody {
  // With 0, some versions return nothing at all.
  return { model, prompt: Array.from(ids), ...UNPROCESSED, prompt_logprobs: k === 0 ? 1 : k };
}

/** The same with `echo`, for versions without `prompt_logprobs`. */
export function echoBody(model: string, ids: Int32Array, k: number): CompletionBody {
  return {
    model,
    prompt: Array.from(ids),
    ...UNPROCESSED,
    echo: true,
    logprobs: Math.max(1, k),
    return_tokens_as_token_ids: true,
  };
}

/** The distribution of the token after `prefix`. vLLM cuts the reply to `logprobs` entries, so -1 gives none. */
export function nextTokenBody(model: string, prefix: Int32Array, vocabulary: number): CompletionBody {
  return {
    model,
    prompt: Array.from(prefix),
    ...UNPROCESSED,
    logprobs: vocabulary,
    return_tokens_as_token_ids: true,
  };
}

export function sampleBody(
  model: string,
  promptIds: Int32Array,
  options: SampleOptions,
  n: number,
): CompletionBody {
  return {
    ...UNPROCESSED,
    model,
    prompt: Array.from(promptIds),
    n,
    max_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    seed: options.seed,
    stop_token_ids: [...options.stopIds],
    logprobs: 1,
    return_tokens_as_token_ids: true,
    return_token_ids: true,
  };
}
