/**
 * SGLang's `/generate`, answering as its tokenizer manager and scheduler do, from the table of logits.
 *
 * @module
 */
import {
  CONTEXT,
  generate,
  logprobsAfter,
  ranked,
  tokenText,
  VOCABULARY,
} from "../bigram-model.test-data.ts";
import type { Answer, Asking, Handler } from "../http-server.test-data.ts";

export interface FakeSglang {
  /** Whether it is a version with the old names of the information endpoints. */
  readonly old?: boolean;
  readonly deterministic?: boolean;
  readonly spoil?: (meta: Record<string, unknown>) => void;
}

export interface GenerateRequest {
  readonly input_ids: number[];
  readonly return_logprob?: boolean;
  readonly logprob_start_len?: number;
  readonly top_logprobs_num?: number;
  readonly sampling_params: {
    readonly max_new_tokens: number;
    readonly temperature?: number;
    readonly sampling_seed?: number;
    readonly stop_token_ids?: number[];
  };
}

type Triple = readonly [number | null, number, null];

function refused(message: string): Answer {
  return { status: 400, body: { error: { message } } };
}

/** Ids at or beyond the end of the vocabulary stand for images in SGLang's prompts; it writes them as 0. */
function clipped(id: number): number {
  return id < VOCABULARY - 1 ? id : 0;
}

function top(last: number, k: number, temperature: number): Triple[] {
  return ranked(logprobsAfter(last, temperature))
    .slice(0, k)
    .map(({ id, logprob }) => [logprob, id, null]);
}

function reply(request: GenerateRequest, fake: FakeSglang): Answer {
  const { input_ids: ids, sampling_params: sampling, top_logprobs_num: k = 0 } = request;
  const { max_new_tokens: maxTokens, temperature = 1, stop_token_ids: stopIds = [] } = sampling;
  if (ids.length >= CONTEXT) {
    return refused(
      `The input (${ids.length} tokens) is longer than the model's context length (${CONTEXT} tokens).`,
    );
  }
  if (ids.length + maxTokens >= CONTEXT) {
    return refused(
      `Requested token count exceeds the model's maximum context length of ${CONTEXT} tokens. You requested a total of ${ids.length + maxTokens} tokens: ${ids.length} tokens from the input messages and ${maxTokens} tokens for the completion.`,
    );
  }
  if (k > VOCABULARY) return { status: 500, body: "Internal Server Error" };
  const start = request.logprob_start_len ?? -1;
  const first = start === -1 ? ids.length - 1 : start;
  const places = ids.map((_, place) => place).slice(first);
  const made = generate(ids, maxTokens, temperature, stopIds, sampling.sampling_seed ?? 11);
  // Input log-probs are at temperature 1; the first entry is always null.
  const divisor = temperature === 0 ? 1 : temperature;
  const meta: Record<string, unknown> = {
    id: "r1",
    finish_reason: { type: made.finish, ...(made.finish === "length" && { length: maxTokens }) },
    prompt_tokens: ids.length,
    completion_tokens: made.ids.length,
    cached_tokens: 0,
    weight_version: "default",
    input_token_logprobs: places.map((place, index): Triple => {
      const logprob = index === 0 ? null : logprobsAfter(ids[place - 1]!)[ids[place]!]!;
      return [logprob, clipped(ids[place]!), null];
    }),
    output_token_logprobs: made.ids.map((id, index): Triple => [made.processed[index]!, id, null]),
    ...(k > 0 && {
      input_top_logprobs: places.map((place, index) => (index === 0 ? null : top(ids[place - 1]!, k, 1))),
      output_top_logprobs: made.ids.map((_, index) =>
        top(index === 0 ? ids.at(-1)! : made.ids[index - 1]!, k, divisor),
      ),
    }),
  };
  fake.spoil?.(meta);
  return { body: { text: made.ids.map(tokenText).join(""), output_ids: made.ids, meta_info: meta } };
}

export function sglangHandler(fake: FakeSglang = {}): Handler {
  const prefix = fake.old ? "/get_" : "/";
  return ({ method, path, body }: Asking): Answer => {
    if (method === "GET" && path === `${prefix}model_info`) {
      return {
        body: {
          model_path: "org/tiny",
          tokenizer_path: "org/tiny",
          is_generation: true,
          weight_version: "default",
        },
      };
    }
    if (method === "GET" && path === `${prefix}server_info`) {
      const { deterministic = false } = fake;
      return {
        body: { context_length: null, version: "0.5.5", enable_deterministic_inference: deterministic },
      };
    }
    if (method === "GET" && path === "/v1/models") {
      return {
        body: { object: "list", data: [{ id: "org/tiny", owned_by: "sglang", max_model_len: CONTEXT }] },
      };
    }
    if (method === "POST" && path === "/generate") return reply(body as GenerateRequest, fake);
    return { status: 404, body: { detail: "Not Found" } };
  };
}
