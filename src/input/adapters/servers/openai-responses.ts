/**
 * OpenAI's responses: `output[].content[].logprobs`.
 *
 * @module
 */
import { listAt, member, textAt } from "../../replies/json.ts";
import { type Reply, withoutLogprobs } from "./reply.ts";
import { readNamedTokens } from "./tokens.ts";

export function readOpenAiResponse(reply: unknown): Reply | undefined {
  const output = listAt(reply, "output");
  if (output === undefined || member(reply, "object") !== "response") return undefined;
  const server = "OpenAI responses";
  const parts = output.flatMap((item) => listAt(item, "content") ?? []);
  const spoken = parts.filter((part) => textAt(part, "text") !== undefined);
  const entries = spoken.flatMap((part) => listAt(part, "logprobs") ?? []);
  if (entries.length === 0)
    return withoutLogprobs(server, '"include": ["message.output_text.logprobs"], and "top_logprobs": 5');
  const text = spoken.map((part) => textAt(part, "text")).join("");
  return { server, texts: [{ tokens: readNamedTokens(entries), text, choice: 0 }] };
}
