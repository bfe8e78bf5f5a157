/**
 * Replies of a completions server that names tokens by their texts.
 *
 * @module
 */
import {
  type EchoToken,
  echoTokens,
  type IdOf,
  listAlternatives,
  listAt,
  member,
  numberAt,
  type Offer,
  parseLogprob,
  placeholderId,
  readOffer,
  textAt,
} from "../../../../input/replies/index.ts";
import type { ForcedText, Sampled } from "../../policy.ts";
import { type Asked, refuse } from "../replies/refusals.ts";
import { finishReason } from "../replies/sampled.ts";
import type { TokenReply } from "../replies/scores.ts";

/** Encodes text to ids; undefined if the caller has no tokenizer. */
export type Encode = (text: string) => ArrayLike<number>;

/** The id of a token: the given one, or that of the single token that its text encodes to. */
export function idReader(encode: Encode | undefined): IdOf {
  return (token) => {
    const id = placeholderId(token);
    if (id !== undefined || encode === undefined) return id;
    const ids = encode(token);
    return ids.length === 1 ? ids[0] : undefined;
  };
}

export interface ParsedText {
  readonly tokens: readonly TokenReply[];
  readonly offers: readonly Offer[];
  /** The echoed text; undefined if the reply lacks it. */
  readonly text: string | undefined;
  /** Number of alternatives left out because their ids are unknown. */
  readonly unknown: number;
}

/**
 * Where the text starts among the echoed tokens: 0, or after a start token that the server adds to a prompt sent as
 * text. Generated tokens follow the text.
 */
function findStart(
  all: readonly EchoToken[],
  { ids, promptLength }: ForcedText,
  asText: boolean,
  idOf: IdOf,
  asked: Asked,
): number {
  const last = asText ? all.length - ids.length : 0;
  let mismatch = "";
  for (let start = 0; start <= last; start++) {
    let known = 0;
    let token = promptLength;
    for (; token < ids.length; token++) {
      const found = idOf(all[start + token]!.token);
      // Some tokens' texts do not encode to that token alone (parts of characters); their position then decides.
      if (found === undefined) continue;
      known++;
      if (found === ids[token]) continue;
      mismatch = `token ${token} was sent as id ${ids[token]}; the reply has id ${found} there`;
      break;
    }
    if (token === ids.length && (!asText || known > 0)) return start;
  }
  throw refuse(asked, mismatch === "" ? "none of the reply's tokens is one that was sent" : mismatch, {
    reason: "other-tokens",
    likely: "the server uses another tokenizer, or adds tokens to the text",
    hint: "give the tokenizer of the served model",
  });
}

export interface EchoRequest {
  readonly k: number;
  readonly maxTokens: 0 | 1;
  /** Whether the prompt was sent as text. */
  readonly asText: boolean;
}

/** @returns undefined if the reply has no log-probs */
export function parseEchoedText(
  json: unknown,
  text: ForcedText,
  { k, maxTokens, asText }: EchoRequest,
  idOf: IdOf,
  asked: Asked,
): ParsedText | undefined {
  const choice = listAt(json, "choices")?.[0];
  const all = echoTokens(choice);
  if (all === undefined) return undefined;
  const { ids, promptLength } = text;
  if (all.length < ids.length) {
    const echoes = all.length > (numberAt(member(json, "usage"), "completion_tokens") ?? maxTokens);
    throw refuse(asked, `the reply covers ${all.length} tokens, but ${ids.length} were sent`, {
      reason: echoes ? "fewer-tokens" : "no-logprobs",
      likely: echoes ? "the server truncates long prompts" : "it does not echo the prompt",
      hint: "score with a server that gives log-probs of a prompt: vLLM or SGLang",
    });
  }
  const start = findStart(all, text, asText, idOf, asked);
  const echoed = all.slice(start + promptLength, start + ids.length);
  const offers = echoed.map(readOffer);
  const tokens = echoed.map(({ logprob, top }): TokenReply => {
    return { logprob, rank: -1, alternatives: k === 0 ? [] : listAlternatives(top, idOf) };
  });
  checkKnown(tokens, offers, k, asked);
  const unknown = echoed.reduce(
    (sum, { top }, index) => sum + top.length - tokens[index]!.alternatives.length,
    0,
  );
  return { tokens, offers, text: textAt(choice, "text"), unknown: k === 0 ? 0 : unknown };
}

function checkKnown(tokens: readonly TokenReply[], offers: readonly Offer[], k: number, asked: Asked): void {
  const offered = offers.some(({ entries }) => entries > 0);
  if (k === 0 || !offered || tokens.some(({ alternatives }) => alternatives.length > 0)) return;
  throw refuse(asked, "the reply names the most probable tokens by their texts only", {
    reason: "other-tokens",
    likely: "the server returns no token ids, and there is no tokenizer to find them with",
    hint: "give an encode option (the model's tokenizer), or topK 0 for the sampled tokens' log-probs alone",
  });
}

/** A sampled continuation. @throws TextRefusedError if ids cannot be recovered */
export function parseSampled(choice: unknown, idOf: IdOf, rawLogprobs: boolean, asked: Asked): Sampled {
  const tokens = echoTokens(choice) ?? [];
  const listed = listAt(choice, "token_ids") ?? listAt(member(choice, "logprobs"), "token_ids");
  const ids = listed?.map(Number) ?? tokens.map(({ token }) => idOf(token));
  const known = ids.filter((id) => id !== undefined);
  if (known.length < ids.length || (ids.length === 0 && textAt(choice, "text") !== "")) {
    throw refuse(asked, `the ids of ${known.length} of ${ids.length} sampled tokens are known`, {
      reason: "other-tokens",
      likely: "the server returns texts instead of ids",
      hint: "sample from vLLM or SGLang, which give ids",
    });
  }
  return {
    ids: Int32Array.from(known),
    logprobs: Float64Array.from(known, (_, index) =>
      rawLogprobs ? parseLogprob(tokens[index]?.logprob) : Number.NaN,
    ),
    finishReason: finishReason(member(choice, "finish_reason")),
  };
}
