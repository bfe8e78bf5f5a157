/**
 * SGLang's `POST /generate`: `meta_info` with lists of `[log-prob, id, text | null]`; before 0.4 these were called
 * `prefill_token_logprobs` and `decode_token_logprobs`.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { listAt, member, numberAt, textAt } from "../../replies/json.ts";
import { type Reply, withoutLogprobs } from "./reply.ts";
import { readTripleTokens, toIds } from "./tokens.ts";

function readVersion(meta: unknown): number | undefined {
  const version = Number(member(meta, "weight_version") ?? NaN);
  return Number.isInteger(version) ? version : undefined;
}

export function readSglang(reply: unknown): Reply | undefined {
  const meta = member(reply, "meta_info");
  if (!isObject(meta)) return undefined;
  const server = "SGLang replies";
  const finish = member(meta, "finish_reason");
  if (textAt(finish, "type") === "abort") {
    const message = `the server aborted the request: ${textAt(finish, "message") ?? "no reason given"}`;
    return { server, texts: [], problem: { message } };
  }
  const output = listAt(meta, "output_token_logprobs") ?? listAt(meta, "decode_token_logprobs");
  const input = listAt(meta, "input_token_logprobs") ?? listAt(meta, "prefill_token_logprobs");
  const tokens = readTripleTokens(output, listAt(meta, "output_top_logprobs"));
  const prompt = readTripleTokens(input, listAt(meta, "input_top_logprobs"));
  if (tokens === undefined && prompt === undefined) return withoutLogprobs(server, '"return_logprob": true');
  return {
    server,
    texts: [
      {
        tokens: tokens ?? { logprobs: new Float64Array(0), ids: new Float64Array(0) },
        prompt,
        promptIds: toIds(listAt(reply, "input_ids")),
        promptText: textAt(reply, "prompt"),
        text: textAt(reply, "text"),
        choice: 0,
        weightVersion: readVersion(meta),
        finishReason: textAt(finish, "type"),
        cachedTokens: numberAt(meta, "cached_tokens"),
      },
    ],
  };
}
