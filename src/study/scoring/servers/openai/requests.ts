/**
 * Requests to `POST /v1/completions` as OpenAI defines them, without other members, since strict servers refuse those
 * (`extraBody` adds members that a server is known to accept).
 *
 * @module
 */
import type { SampleOptions } from "../../policy.ts";

export type CompletionBody = Readonly<Record<string, unknown>>;

/** Ids, or their text. */
export type Prompt = readonly number[] | string;

/** @param maxTokens - 0, or 1 if the server must generate something */
export function echoBody(model: string, prompt: Prompt, k: number, maxTokens: 0 | 1): CompletionBody {
  return { model, prompt, echo: true, logprobs: k, max_tokens: maxTokens, temperature: 1, top_p: 1 };
}

export function sampleBody(model: string, prompt: Prompt, options: SampleOptions, n: number): CompletionBody {
  return {
    model,
    prompt,
    n,
    max_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    seed: options.seed,
    logprobs: 1,
  };
}
