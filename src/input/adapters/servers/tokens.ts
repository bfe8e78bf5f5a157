/**
 * Lists of tokens as servers write them.
 *
 * @module
 */
import { isNumericArray } from "../../../core/base/index.ts";
import type { Alternative } from "../../replies/alternatives.ts";
import { placeholderId } from "../../replies/echo.ts";
import { listAt, member, numberAt, textAt, toList } from "../../replies/json.ts";
import { parseLogprob } from "../../replies/logprob.ts";
import { readPosition } from "../../replies/positions.ts";
import { readTriples } from "../../replies/triples.ts";
import type { TokenList } from "./reply.ts";

/**
 * The value in the reply, so that sentinels are counted as such; null and anything else that is not a number is NaN.
 */
function readLogprob(value: unknown): number {
  return typeof value === "number" ? value : parseLogprob(value);
}

/** Prompt tokens from the prefix cache, as OpenAI's replies count them: one count for all choices of a reply. */
export function readCachedTokens(reply: unknown): number | undefined {
  return numberAt(member(member(reply, "usage"), "prompt_tokens_details"), "cached_tokens");
}

/** Undefined unless every element is an id. */
export function toIds(value: unknown): Float64Array | undefined {
  const list = isNumericArray(value) ? value : toList(value);
  if (list === undefined) return undefined;
  const ids = Float64Array.from(list as ArrayLike<number>, Number);
  return ids.every((id) => Number.isInteger(id) && id >= 0) ? ids : undefined;
}

/** All ids or none: with gaps, later ids would be matched with the wrong tokens. */
export function allKnown(ids: readonly (number | undefined)[]): Float64Array | undefined {
  return ids.every((id) => id !== undefined) ? Float64Array.from(ids as number[]) : undefined;
}

/** Bytes that are not text, as OpenAI's completions write them into a token's text: `bytes:\xe3\x81`. */
const WRITTEN_BYTES = /^bytes:((\\x[0-9a-fA-F]{2})+)$/;

/** A token's text: from its bytes if they are given, since a part of a character has no text of its own. */
export function spellToken(text: string, bytes: unknown): string {
  const written = WRITTEN_BYTES.exec(text)?.[1];
  const given = written?.match(/[0-9a-fA-F]{2}/g)?.map((hex) => Number.parseInt(hex, 16)) ?? toList(bytes);
  if (given === undefined || given.length === 0) return text;
  const raw = Uint8Array.from(given as number[], Number);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return Array.from(raw, (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`).join("");
  }
}

interface NamedToken {
  readonly id: number | undefined;
  readonly text: string | undefined;
  readonly logprob: unknown;
}

/** `{token | text, id | tokenId, logprob | logProbability, bytes}`: OpenAI chat, Ollama, llama.cpp, TGI, Gemini. */
function readToken(entry: unknown): NamedToken {
  const written = textAt(entry, "token") ?? textAt(entry, "text");
  const placeholder = written === undefined ? undefined : placeholderId(written);
  return {
    id: placeholder ?? numberAt(entry, "id") ?? numberAt(entry, "tokenId"),
    text:
      written === undefined || placeholder !== undefined
        ? undefined
        : spellToken(written, member(entry, "bytes")),
    logprob: member(entry, "logprob") ?? member(entry, "logProbability") ?? logProb(entry),
  };
}

/** llama.cpp returns probabilities when they are requested after sampling; a sampled token cannot have 0. */
function logProb(entry: unknown): number | undefined {
  const prob = numberAt(entry, "prob");
  return prob === undefined ? undefined : Math.log(prob);
}

/** Alternatives whose ids are known, in the reply's order. */
function knownAlternatives(tokens: readonly NamedToken[]): Alternative[] {
  return tokens.flatMap(({ id, logprob }) => (id === undefined ? [] : [{ id, logprob }]));
}

/** Lists of `{token, logprob, …}`; `tops[i]` are the alternatives of token i. */
export function readNamedTokens(
  entries: readonly unknown[],
  readTop: (entry: unknown, index: number) => readonly unknown[] | undefined = (entry) =>
    listAt(entry, "top_logprobs") ?? listAt(entry, "top_probs"),
): TokenList {
  const tokens = entries.map(readToken);
  const texts = tokens.map(({ text }) => text);
  const tops = entries.map((entry, index) => (readTop(entry, index) ?? []).map(readToken));
  const top = tops.map(knownAlternatives);
  const unnamed = tops.reduce((sum, { length }, index) => sum + length - top[index]!.length, 0);
  return {
    logprobs: Float64Array.from(tokens, ({ logprob }) => readLogprob(logprob)),
    ids: allKnown(tokens.map(({ id }) => id)),
    texts: texts.every((text) => text !== undefined) ? (texts as string[]) : undefined,
    ...someTop(top),
    unnamed,
  };
}

/** Absent when no position has alternatives. */
export function someTop(top: readonly (readonly Alternative[])[]): Pick<TokenList, "top"> {
  return top.some(({ length }) => length > 0) ? { top } : {};
}

/**
 * vLLM's positions for tokens whose ids are known (`prompt_logprobs`, or `logprobs` of an offline output).
 *
 * @returns the index of a token that its position does not name, if there is one
 */
export function readPositions(
  ids: Float64Array,
  places: readonly unknown[],
): TokenList | { readonly missing: number } {
  const logprobs = new Float64Array(ids.length).fill(NaN);
  const top: (readonly Alternative[])[] = [];
  const texts: string[] = [];
  for (const [index, id] of ids.entries()) {
    const place = places[index];
    const found = readPosition(place, id);
    if (found === undefined && place !== null && place !== undefined && !Number.isNaN(place))
      return { missing: index };
    top.push(found?.entries ?? []);
    if (found === undefined) continue;
    logprobs[index] = readLogprob(found.logprob);
    if (found.text !== undefined) texts.push(found.text);
  }
  return { logprobs, ids, ...someTop(top), ...(texts.length === ids.length && { texts }) };
}

/** SGLang's triples; `tops` holds a list of triples, or null, for each. */
export function readTripleTokens(list: unknown, tops: readonly unknown[] | undefined): TokenList | undefined {
  const triples = readTriples(list);
  if (triples.length === 0) return undefined;
  const texts = triples.map(({ text }) => text);
  const top = triples.map((_, index) =>
    readTriples(tops?.[index]).map(({ id, logprob }) => ({ id, logprob })),
  );
  return {
    logprobs: Float64Array.from(triples, ({ logprob }) => readLogprob(logprob)),
    ids: toIds(triples.map(({ id }) => id)),
    texts: texts.every((text) => text !== null) ? (texts as string[]) : undefined,
    ...someTop(top),
  };
}

/** Tokens `[start, end)`. */
export function sliceTokens(
  { logprobs, ids, texts, top }: TokenList,
  start: number,
  end = logprobs.length,
): TokenList {
  return {
    logprobs: logprobs.slice(start, end),
    ids: ids?.slice(start, end),
    texts: texts?.slice(start, end),
    ...(top && { top: top.slice(start, end) }),
  };
}
