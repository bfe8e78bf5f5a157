/**
 * OpenAI's completions, also those of vLLM, SGLang and llama.cpp: `choices[].logprobs` with `tokens` and
 * `token_logprobs`, preceded by the prompt's if it was echoed.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { type EchoToken, echoTokens, listAlternatives, placeholderId } from "../../replies/echo.ts";
import { listAt, member, numberAt, textAt } from "../../replies/json.ts";
import { parseLogprob } from "../../replies/logprob.ts";
import { type Reply, type ServerText, type TokenList, withoutLogprobs } from "./reply.ts";
import { allKnown, readCachedTokens, sliceTokens, someTop, spellToken, toIds } from "./tokens.ts";
import { readVllmPrompt } from "./vllm.ts";

const SERVER = "OpenAI completions";

function readBlock(tokens: readonly EchoToken[]): TokenList {
  const ids = allKnown(tokens.map(({ token }) => placeholderId(token)));
  const top = tokens.map((token) => listAlternatives(token.top, placeholderId));
  const unnamed = tokens.reduce((sum, token, index) => sum + token.top.length - top[index]!.length, 0);
  return {
    logprobs: Float64Array.from(tokens, ({ logprob }) =>
      typeof logprob === "number" ? logprob : parseLogprob(logprob),
    ),
    ids,
    texts: ids === undefined ? tokens.map(({ token }) => spellToken(token, undefined)) : undefined,
    ...someTop(top),
    unnamed,
  };
}

/** How many of a choice's tokens are an echoed prompt, from the lengths that the reply reports. */
function countEchoed(choice: unknown, tokens: number, reply: unknown, alone: boolean): number {
  const usage = member(reply, "usage");
  const prompt = listAt(choice, "prompt_token_ids")?.length ?? numberAt(usage, "prompt_tokens");
  // With several choices the reply reports their sum.
  const written = alone ? numberAt(usage, "completion_tokens") : undefined;
  const generated = listAt(choice, "token_ids")?.length ?? written;
  if (generated === tokens) return 0;
  if (generated !== undefined && prompt !== undefined && prompt + generated === tokens) return prompt;
  // vLLM generates a token for `max_tokens: 0`, counts it, and leaves it out of the reply.
  if (prompt === tokens) return tokens;
  if (generated !== undefined) return Math.max(0, tokens - generated);
  const first = listAt(member(choice, "logprobs"), "token_logprobs")?.[0];
  // Only the very first token has no log-prob, so the prompt is present.
  const isEchoed = first === null || (typeof first === "number" && Number.isNaN(first));
  return isEchoed && prompt !== undefined ? Math.min(prompt, tokens) : 0;
}

function readChoice(choice: unknown, index: number, reply: unknown, alone: boolean): ServerText | undefined {
  const echo = echoTokens(choice);
  const scored = readVllmPrompt(choice) ?? readVllmPrompt(reply);
  if (echo === undefined && scored?.prompt === undefined) return undefined;
  const all = readBlock(echo ?? []);
  const count = all.logprobs.length;
  const echoed = countEchoed(choice, count, reply, alone);
  const prompt = echoed > 0 ? sliceTokens(all, 0, echoed) : undefined;
  const tokens = echoed > 0 ? sliceTokens(all, echoed) : all;
  const ids = toIds(listAt(choice, "token_ids"));
  return {
    tokens: ids?.length === count - echoed ? { ...tokens, ids } : tokens,
    prompt,
    ...scored,
    promptText: prompt?.texts?.join(""),
    // With echo the text includes the prompt.
    text: echoed > 0 ? tokens.texts?.join("") : textAt(choice, "text"),
    choice: numberAt(choice, "index") ?? index,
    finishReason: textAt(choice, "finish_reason"),
    cachedTokens: readCachedTokens(reply),
  };
}

export function readOpenAiCompletion(reply: unknown): Reply | undefined {
  const choices = listAt(reply, "choices");
  if (choices === undefined || choices.length === 0) return undefined;
  const isText = (choice: unknown): boolean =>
    textAt(choice, "text") !== undefined ||
    echoTokens(choice) !== undefined ||
    (isObject(choice) && listAt(choice, "prompt_logprobs") !== undefined);
  if (!choices.every(isText)) return undefined;
  const texts = choices.flatMap(
    (choice, index) => readChoice(choice, index, reply, choices.length === 1) ?? [],
  );
  if (texts.length === 0)
    return withoutLogprobs(SERVER, '"logprobs": 1 ("echo": true for those of the prompt)');
  return { server: SERVER, texts };
}
