/**
 * OpenAI's chat completions, also of OpenRouter, vLLM, SGLang, TGI, Ollama and llama.cpp: `choices[].logprobs.content`.
 * vLLM adds `token_ids` and `routed_experts` to a choice, and `prompt_logprobs` and `prompt_token_ids` to the reply
 * (vllm/entrypoints/openai/chat_completion/protocol.py). llama.cpp adds an `id` to each token, and its completions have
 * `content` too.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { listAt, member, numberAt, textAt } from "../../replies/json.ts";
import { type Reply, type ServerText, withoutLogprobs } from "./reply.ts";
import { readCachedTokens, readNamedTokens, toIds } from "./tokens.ts";
import { readVllmPrompt } from "./vllm.ts";

const SERVER = "OpenAI chat completions";

function readChoice(choice: unknown, index: number, reply: unknown): ServerText | undefined {
  const block = member(choice, "logprobs");
  // A refusal is also sampled text, in a list of its own.
  const entries = listAt(block, "content") ?? listAt(block, "refusal");
  const prompt = readVllmPrompt(reply) ?? readVllmPrompt(choice);
  if (entries === undefined && prompt === undefined) return undefined;
  const tokens = readNamedTokens(entries ?? []);
  const ids = toIds(listAt(choice, "token_ids"));
  const message = member(choice, "message");
  return {
    tokens: { ...tokens, ids: ids?.length === tokens.logprobs.length ? ids : tokens.ids },
    ...prompt,
    text: textAt(message, "content") ?? textAt(message, "refusal") ?? textAt(choice, "text"),
    choice: numberAt(choice, "index") ?? index,
    finishReason: textAt(choice, "finish_reason"),
    cachedTokens: readCachedTokens(reply),
  };
}

export function readOpenAiChat(reply: unknown): Reply | undefined {
  const choices = listAt(reply, "choices");
  if (choices === undefined || choices.length === 0) return undefined;
  // vLLM's /inference/v1/generate has token ids and no message.
  const isChat = (choice: unknown): boolean =>
    isObject(member(choice, "message")) || listAt(member(choice, "logprobs"), "content") !== undefined;
  if (!choices.every(isChat)) return undefined;
  const texts = choices.flatMap((choice, index) => readChoice(choice, index, reply) ?? []);
  if (texts.every(({ tokens, prompt }) => tokens.logprobs.length === 0 && prompt === undefined))
    return withoutLogprobs(SERVER, '"logprobs": true, and "top_logprobs": 5 for alternatives');
  return { server: SERVER, texts };
}
