/**
 * llama.cpp's `POST /completion` with `n_probs`: `completion_probabilities` (tools/server/server-task.cpp, commit
 * 00efb3e1). Today each entry has `id`, `logprob` and `top_logprobs`, or `prob` and `top_probs` with
 * `post_sampling_probs`; before December 2024 each had the token's text as `content` and `probs` of `{tok_str, prob}`,
 * none of them marked as the sampled one.
 *
 * @module
 */
import { listAt, member, numberAt, textAt } from "../../replies/json.ts";
import { type Reply, withoutLogprobs } from "./reply.ts";
import { readNamedTokens, toIds } from "./tokens.ts";

const SERVER = "llama.cpp completions";

/** An entry of the older version in the current form. */
function modernize(entry: unknown): unknown {
  const content = textAt(entry, "content");
  if (content === undefined) return entry;
  const own = listAt(entry, "probs")?.find((prob) => textAt(prob, "tok_str") === content);
  return { token: content, prob: numberAt(own, "prob") };
}

export function readLlamaCpp(reply: unknown): Reply | undefined {
  const entries = listAt(reply, "completion_probabilities");
  const text = textAt(reply, "content");
  if (entries === undefined) {
    const isReply = text !== undefined && member(reply, "generation_settings") !== undefined;
    return isReply ? withoutLogprobs(SERVER, '"n_probs": 1') : undefined;
  }
  if (!entries.every((entry) => typeof entry === "object" && entry !== null)) return undefined;
  const tokens = readNamedTokens(entries.map(modernize));
  const ids = toIds(listAt(reply, "tokens"));
  const known = ids?.length === tokens.logprobs.length && ids.length > 0 ? ids : tokens.ids;
  const promptText = textAt(reply, "prompt");
  return { server: SERVER, texts: [{ tokens: { ...tokens, ids: known }, promptText, text, choice: 0 }] };
}
