/**
 * Ollama's `/api/generate` and `/api/chat` with `logprobs` (api/types.go, since 0.12.11).
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import { listAt, member, textAt } from "../../replies/json.ts";
import { type Reply, withoutLogprobs } from "./reply.ts";
import { readNamedTokens } from "./tokens.ts";

export function readOllama(reply: unknown): Reply | undefined {
  const message = member(reply, "message");
  const text = textAt(reply, "response") ?? textAt(message, "content");
  if (text === undefined || typeof member(reply, "done") !== "boolean") return undefined;
  const server = "Ollama replies";
  const entries = listAt(reply, "logprobs");
  // Traces of agents have `response` and `done` too.
  if (entries === undefined && textAt(reply, "created_at") === undefined) return undefined;
  if (entries === undefined || !entries.every(isObject) || entries.length === 0)
    return withoutLogprobs(server, '"logprobs": true, and "top_logprobs": 5 (Ollama 0.12.11 or newer)');
  return { server, texts: [{ tokens: readNamedTokens(entries), text, choice: 0 }] };
}
