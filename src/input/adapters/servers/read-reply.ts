/**
 * Finds the reply in a row: the row itself, or a reply inside the envelope of a client or batch file.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import type { RowMap } from "../../io/columns.ts";
import { member, numberAt, textAt } from "../../replies/json.ts";
import { readGemini } from "./gemini.ts";
import { readLlamaCpp } from "./llama-cpp.ts";
import { readOllama } from "./ollama.ts";
import { readOpenAiChat } from "./openai-chat.ts";
import { readOpenAiCompletion } from "./openai-completions.ts";
import { readOpenAiResponse } from "./openai-responses.ts";
import { readPlain } from "./plain.ts";
import type { Reply, ReplyReader } from "./reply.ts";
import { readSglang } from "./sglang.ts";
import { readTgi } from "./tgi.ts";
import { readVllmOutput, readVllmRecorded } from "./vllm.ts";

/** Forms that only one server writes come before forms that several write. */
const READERS: readonly ReplyReader[] = [
  readSglang,
  readTgi,
  readLlamaCpp,
  readGemini,
  readOpenAiResponse,
  readOpenAiChat,
  readOpenAiCompletion,
  readVllmOutput,
  readOllama,
  (row) => readVllmRecorded(member(row, "element")),
];

/** Where clients and batch files put a reply. */
const HOLDERS = ["response", "body", "reply", "result", "completion", "raw_response", "output", "data"];
const DEEPEST = 3;
/** Names that the client chose. An `id` next to choices comes from the server. */
const KEYS = ["custom_id", "key", "sample_id", "request_id", "uid"];

function readBare(row: unknown): Reply | undefined {
  for (const read of READERS) {
    const reply = read(row);
    if (reply !== undefined) return reply;
  }
  return undefined;
}

/** A batch file's line about a failed request. */
function readFailure(holder: unknown): Reply | undefined {
  const error = member(holder, "error");
  const response = member(holder, "response");
  const status = numberAt(response, "status_code") ?? 200;
  const inner = member(member(response, "body"), "error");
  if (!isObject(error) && !isObject(inner) && status < 400) return undefined;
  // A client's own log may have both an error and a reply.
  if (textAt(holder, "custom_id") === undefined && textAt(holder, "key") === undefined) return undefined;
  const words = textAt(error, "message") ?? textAt(inner, "message") ?? `status ${status}`;
  return { server: "batch results", texts: [], problem: { message: `the request failed: ${words}` } };
}

function readWrapped(row: unknown, depth: number): Reply | undefined {
  const found = readBare(row) ?? readFailure(row);
  if (found !== undefined || depth === DEEPEST) return found;
  for (const name of HOLDERS) {
    const inner = member(row, name);
    const reply = isObject(inner) ? readWrapped(inner, depth + 1) : undefined;
    if (reply !== undefined) return reply;
  }
  return undefined;
}

function readKey(row: RowMap, isWrapped: boolean): string | undefined {
  for (const name of isWrapped ? [...KEYS, "id"] : KEYS) {
    const value = row[name];
    if (typeof value === "string") return value;
    if (typeof value === "number" && Number.isInteger(value)) return String(value);
  }
  return undefined;
}

/** Undefined when the row holds no reply. */
export function readReply(row: RowMap): Reply | undefined {
  const bare = readBare(row);
  const reply = bare ?? readPlain(row) ?? readWrapped(row, 0);
  if (reply === undefined) return undefined;
  const key = readKey(row, bare === undefined);
  const prompt = textAt(row, "prompt");
  if (key === undefined && prompt === undefined) return reply;
  return {
    ...reply,
    texts: reply.texts.map((text) => ({
      ...text,
      key: text.key ?? key,
      promptText: text.promptText ?? prompt,
    })),
  };
}
