/**
 * text-generation-inference's `details`: `tokens`, `prefill`, `top_tokens`, and `best_of_sequences` for the other
 * continuations (router/src/lib.rs).
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { listAt, member, textAt, toList } from "../../replies/json.ts";
import { type Reply, type ServerText, withoutLogprobs } from "./reply.ts";
import { readNamedTokens } from "./tokens.ts";

const SERVER = "text-generation-inference replies";

/** @param holder `details`, or one of its `best_of_sequences` */
function readSequence(holder: unknown, text: string | undefined, choice: number): ServerText | undefined {
  const entries = listAt(holder, "tokens");
  if (entries === undefined) return undefined;
  const tops = listAt(holder, "top_tokens");
  const tokens = readNamedTokens(entries, (_, index) => toList(tops?.[index]));
  const prefill = listAt(holder, "prefill");
  const prompt = prefill === undefined || prefill.length === 0 ? undefined : readNamedTokens(prefill);
  return {
    tokens,
    prompt,
    promptIds: prompt?.ids,
    promptText: prompt?.texts?.join(""),
    text,
    choice,
    finishReason: textAt(holder, "finish_reason"),
  };
}

export function readTgi(reply: unknown): Reply | undefined {
  const details = member(reply, "details");
  const text = textAt(reply, "generated_text");
  if (!isObject(details)) {
    const isReply = text !== undefined && isObject(reply) && Object.keys(reply).length <= 2;
    return isReply
      ? withoutLogprobs(SERVER, '"details": true, and "decoder_input_details": true for the prompt')
      : undefined;
  }
  const first = readSequence(details, text, 0);
  if (first === undefined) return undefined;
  const others = (listAt(details, "best_of_sequences") ?? []).flatMap((sequence, index) => {
    const other = readSequence(sequence, textAt(sequence, "generated_text"), index + 1);
    return other ?? [];
  });
  return { server: SERVER, texts: [first, ...others] };
}
