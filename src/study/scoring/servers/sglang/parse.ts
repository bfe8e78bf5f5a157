/**
 * Replies of SGLang's `POST /generate`: `meta_info` with lists of `[log-prob, id, text | null]`.
 *
 * @module
 */
import {
  type Alternative,
  listAt,
  member,
  numberAt,
  parseLogprob,
  readTriples,
  textAt,
} from "../../../../input/replies/index.ts";
import type { ForcedText, Sampled } from "../../policy.ts";
import { type Asked, refuse } from "../replies/refusals.ts";
import { finishReason } from "../replies/sampled.ts";
import type { TokenReply } from "../replies/scores.ts";

/** `meta_info` of a reply, or of the first reply if SGLang sent a list. @throws TextRefusedError if it was aborted */
export function metaInfo(json: unknown, asked: Asked): unknown {
  const meta = member(Array.isArray(json) ? json[0] : json, "meta_info");
  const finish = member(meta, "finish_reason");
  if (textAt(finish, "type") === "abort") {
    throw refuse(asked, `the server gave up: ${textAt(finish, "message") ?? "it does not say why"}`, {
      reason: "server-refused",
      likely: "the request was aborted, or does not fit the server's limits",
      hint: "look at the server's log",
    });
  }
  return meta;
}

/** SGLang writes 0 for ids at or beyond the end of the vocabulary, which stand for images in its prompts. */
function isSame(sent: number, found: number, vocabularySize: number | null): boolean {
  return found === sent || (found === 0 && vocabularySize !== null && sent >= vocabularySize - 1);
}

/** One entry for each response token. @throws TextRefusedError */
export function parseInputLogprobs(
  meta: unknown,
  text: ForcedText,
  vocabularySize: number | null,
  asked: Asked,
): TokenReply[] {
  const { ids, promptLength } = text;
  const count = ids.length - promptLength;
  const own = listAt(meta, "input_token_logprobs");
  if (own === undefined) {
    throw refuse(asked, "the reply has no log-probs of the input", {
      reason: "no-logprobs",
      likely: "another kind of server, or one that omits input_token_logprobs",
      hint: "make sure that SGLang itself answers there, not a gateway",
    });
  }
  const taken = numberAt(meta, "prompt_tokens") ?? ids.length;
  if (taken !== ids.length || own.length < count + 1) {
    const found = Math.min(taken, own.length + promptLength - 1);
    throw refuse(asked, `the reply covers ${found} tokens, but ${ids.length} were sent`, {
      reason: found < ids.length ? "fewer-tokens" : "other-tokens",
      likely: "the server truncates long inputs (--allow-auto-truncate)",
      hint: "start it without that flag, or with a longer context",
    });
  }
  // A server that ignores logprob_start_len returns more tokens in front.
  const skipped = own.length - count;
  const tops = listAt(meta, "input_top_logprobs");
  return Array.from({ length: count }, (_, index): TokenReply => {
    const [entry] = readTriples([own[skipped + index]]);
    const sent = ids[promptLength + index]!;
    if (entry === undefined || !isSame(sent, entry.id, vocabularySize)) {
      throw refuse(
        asked,
        `token ${promptLength + index} was sent as id ${sent}; the reply has id ${entry?.id} there`,
        {
          reason: "other-tokens",
          likely:
            entry?.id === 0
              ? "it is the last id of the vocabulary, which SGLang writes as 0"
              : "the server added tokens to the text",
          hint: "give the model's vocab_size (config.json) as vocabularySize",
        },
      );
    }
    const alternatives = readTriples(tops?.[tops.length - count + index]);
    return { logprob: entry.logprob, rank: -1, alternatives };
  });
}

/** The log-probs of the first generated token, over the vocabulary. */
export function parseNextToken(meta: unknown, asked: Asked): Alternative[] {
  const row = readTriples(listAt(meta, "output_top_logprobs")?.[0]);
  if (row.length > 0) return row;
  throw refuse(asked, "the reply has no log-probs of a generated token", {
    reason: "no-logits",
    likely: "another kind of server, or one that omits output_top_logprobs",
  });
}

/** @throws TextRefusedError if the reply has no ids */
export function parseSampled(json: unknown, asked: Asked): Sampled {
  const meta = metaInfo(json, asked);
  const tokens = listAt(meta, "output_token_logprobs");
  if (tokens === undefined) {
    throw refuse(asked, "the reply has no ids of the sampled tokens", {
      reason: "other-tokens",
      likely: "another kind of server, or one that omits output_token_logprobs",
    });
  }
  const found = readTriples(tokens);
  return {
    ids: Int32Array.from(found, ({ id }) => id),
    logprobs: Float64Array.from(found, ({ logprob }) => parseLogprob(logprob)),
    finishReason: finishReason(textAt(member(meta, "finish_reason"), "type")),
  };
}
