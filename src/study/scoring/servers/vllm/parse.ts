/**
 * Replies of vLLM's `POST /v1/completions`.
 *
 * @module
 */
import { isObject } from "../../../../core/base/index.ts";
import {
  type Alternative,
  echoTokens,
  listAlternatives,
  listAt,
  listIds,
  member,
  type Offer,
  parseLogprob,
  placeholderId,
  readOffer,
  readPosition,
  textAt,
} from "../../../../input/replies/index.ts";
import type { ForcedText, Sampled } from "../../policy.ts";
import { type Asked, refuse } from "../replies/refusals.ts";
import { finishReason } from "../replies/sampled.ts";
import type { TokenReply } from "../replies/scores.ts";

export interface ParsedText {
  /** One entry for each response token. */
  readonly tokens: readonly TokenReply[];
  readonly offers: readonly Offer[];
  /** The response as decoded by the server; undefined if the reply lacks it. */
  readonly text: string | undefined;
}

export function firstChoice(json: unknown): unknown {
  return listAt(json, "choices")?.[0];
}

/** Whether a choice is complete: versions without `prompt_logprobs` ignore the parameter. */
export function isCompletion(choice: unknown): boolean {
  return textAt(choice, "text") !== undefined && textAt(choice, "finish_reason") !== undefined;
}

const OTHER_TOKENIZER = {
  reason: "other-tokens",
  likely: "the server cut the text or added tokens to it",
  hint: "make sure that it serves the model whose tokenizer produced these ids",
} as const;

/** @throws TextRefusedError when a reply does not cover exactly the tokens that were sent */
function checkCount(found: number, sent: number, asked: Asked): void {
  if (found < sent) {
    throw refuse(asked, `the reply covers ${found} tokens, but ${sent} were sent`, {
      reason: "fewer-tokens",
      likely: "the server truncates long prompts (truncate_prompt_tokens), or starts them from its cache",
      hint: "switch off truncation and, on old versions, prefix caching",
    });
  }
  if (found > sent) {
    throw refuse(asked, `the reply covers ${found} tokens, but ${sent} were sent`, OTHER_TOKENIZER);
  }
}

function otherToken(token: number, sent: number, found: string, asked: Asked): never {
  throw refuse(asked, `token ${token} was sent as id ${sent}; the reply has ${found} there`, OTHER_TOKENIZER);
}

function position(entry: unknown, id: number, token: number, asked: Asked): [TokenReply, Offer, string] {
  if (!isObject(entry))
    return [{ logprob: null, rank: -1, alternatives: [] }, { entries: 0, ownIsLast: false, rank: -1 }, ""];
  const found = readPosition(entry, id);
  if (found === undefined) {
    const shown = listIds(entry);
    otherToken(token, id, `ids ${shown.slice(0, 3).join(", ")}${shown.length > 3 ? ", …" : ""}`, asked);
  }
  const { logprob, rank, entries, text } = found;
  const least = entries.every((other) => parseLogprob(other.logprob) >= parseLogprob(logprob));
  const reply = { logprob, rank, alternatives: entries };
  return [reply, { entries: entries.length, ownIsLast: least, rank }, text ?? ""];
}

/** `prompt_logprobs` of a choice: `[null, {"<id>": {logprob, rank, decoded_token}}, …]`; undefined without one. */
export function parsePromptLogprobs(choice: unknown, text: ForcedText, asked: Asked): ParsedText | undefined {
  const list = listAt(choice, "prompt_logprobs");
  if (list === undefined) return undefined;
  const { ids, promptLength } = text;
  checkCount(list.length, ids.length, asked);
  const tokens: TokenReply[] = [];
  const offers: Offer[] = [];
  let decoded = "";
  for (let token = promptLength; token < ids.length; token++) {
    const [reply, offer, piece] = position(list[token], ids[token]!, token, asked);
    tokens.push(reply);
    offers.push(offer);
    decoded += piece;
  }
  return { tokens, offers, text: decoded === "" ? undefined : decoded };
}

function requireId(token: string, asked: Asked): number {
  const id = placeholderId(token);
  if (id !== undefined) return id;
  throw refuse(asked, `the reply names a token by its text, ${JSON.stringify(token)}`, {
    reason: "other-tokens",
    likely: "vLLM is older than 0.6.3 and has no return_tokens_as_token_ids",
    hint: "use a newer vLLM, or open the server as an OpenAI one with an encode option",
  });
}

/** The echoed form, `token_id:N` for each token; generated tokens follow the text. */
export function parseEcho(choice: unknown, text: ForcedText, asked: Asked): ParsedText | undefined {
  const all = echoTokens(choice);
  if (all === undefined) return undefined;
  const { ids, promptLength } = text;
  checkCount(Math.min(all.length, ids.length), ids.length, asked);
  const tokens: TokenReply[] = [];
  const offers: Offer[] = [];
  for (let token = promptLength; token < ids.length; token++) {
    const echoed = all[token]!;
    const id = requireId(echoed.token, asked);
    if (id !== ids[token]) otherToken(token, ids[token]!, `id ${id}`, asked);
    tokens.push({
      logprob: echoed.logprob,
      rank: -1,
      alternatives: listAlternatives(echoed.top, (name) => requireId(name, asked)),
    });
    offers.push(readOffer(echoed));
  }
  return { tokens, offers, text: undefined };
}

/** The log-probs of the first generated token, over the vocabulary. */
export function parseNextToken(choice: unknown, asked: Asked): Alternative[] {
  const top = echoTokens(choice)?.[0]?.top;
  if (top === undefined || top.length === 0) {
    throw refuse(asked, "the reply has no log-probs of a generated token", {
      reason: "no-logits",
      likely: "the server ends the text there, or gives no log-probs",
    });
  }
  return top.map(([token, logprob]) => ({ id: requireId(token, asked), logprob }));
}

/** A sampled continuation. @throws TextRefusedError if the reply has no ids */
export function parseSampled(choice: unknown, asked: Asked): Sampled {
  const tokens = echoTokens(choice) ?? [];
  const listed = listAt(choice, "token_ids")?.map(Number);
  const ids = listed ?? tokens.map(({ token }) => requireId(token, asked));
  return {
    ids: Int32Array.from(ids),
    logprobs: Float64Array.from(ids, (_, index) => parseLogprob(tokens[index]?.logprob)),
    finishReason: finishReason(member(choice, "finish_reason")),
  };
}
