/**
 * Requests to `POST /generate` of SGLang (sglang/srt/managers/io_struct.py, GenerateReqInput).
 *
 * @module
 */
import type { SampleOptions } from "../../policy.ts";

export type GenerateBody = Readonly<Record<string, unknown>>;

/** All are set explicitly, since a server takes missing ones from the model's generation_config.json. */
const UNPROCESSED = {
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/**
 * Log-probs of the input from `promptLength` on. The first returned entry is always null, so the request starts at the
 * prompt's last token.
 */
export function inputLogprobsBody(ids: Int32Array, promptLength: number, k: number): GenerateBody {
  return {
    input_ids: Array.from(ids),
    sampling_params: { ...UNPROCESSED, max_new_tokens: 0 },
    return_logprob: true,
    logprob_start_len: promptLength - 1,
    top_logprobs_num: k,
    return_text_in_logprobs: false,
  };
}

/** The distribution of the token after `prefix`. */
export function nextTokenBody(prefix: Int32Array, vocabulary: number): GenerateBody {
  return {
    input_ids: Array.from(prefix),
    sampling_params: { ...UNPROCESSED, max_new_tokens: 1 },
    return_logprob: true,
    // For the output only.
    logprob_start_len: -1,
    top_logprobs_num: vocabulary,
    return_text_in_logprobs: false,
  };
}

/** @param seed - undefined if the server would ignore it */
export function sampleBody(
  promptIds: Int32Array,
  options: SampleOptions,
  seed: number | undefined,
): GenerateBody {
  return {
    input_ids: Array.from(promptIds),
    sampling_params: {
      ...UNPROCESSED,
      max_new_tokens: options.maxTokens,
      temperature: options.temperature,
      top_p: options.topP,
      stop_token_ids: [...options.stopIds],
      no_stop_trim: true,
      ...(seed !== undefined && { sampling_seed: seed }),
    },
    return_logprob: true,
    logprob_start_len: -1,
    top_logprobs_num: 0,
    return_text_in_logprobs: false,
  };
}
