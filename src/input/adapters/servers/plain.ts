/**
 * Rows with token ids (or texts) and one list of log-probs, under names that scripts commonly use.
 *
 * @module
 */
import type { RowMap, RowValue } from "../../io/columns.ts";
import { toNumbers, toText, valueAt } from "../shared/row-values.ts";
import type { Reply } from "./reply.ts";

const TOKENS = [
  "token_ids",
  "output_token_ids",
  "generated_tokens",
  "response_token_ids",
  "response_ids",
  "completion_ids",
  "output_ids",
  "tokens",
];
const LOGPROBS = [
  "logprobs",
  "log_probs",
  "token_logprobs",
  "generated_logprobs",
  "output_logprobs",
  "logps",
];
const PROMPTS = ["prompt", "input_prompt", "prompt_text", "input"];
const TEXTS = ["generated_text", "response", "output", "completion", "text"];

/** The first value under these names that `read` accepts. */
function first<T>(
  row: RowMap,
  names: readonly string[],
  read: (value: RowValue | undefined) => T | undefined,
): T | undefined {
  for (const name of names) {
    const value = read(valueAt(row, name));
    if (value !== undefined) return value;
  }
  return undefined;
}

function toTexts(value: RowValue | undefined): readonly string[] | undefined {
  const isTexts = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string");
  return isTexts ? (value as string[]) : undefined;
}

function onlyText(value: RowValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function readPlain(row: RowMap): Reply | undefined {
  const ids = first(row, TOKENS, toNumbers);
  const texts = ids === undefined ? first(row, TOKENS, toTexts) : undefined;
  const logprobs = first(row, LOGPROBS, toNumbers);
  const count = ids?.length ?? texts?.length;
  if (count === undefined || logprobs === undefined) return undefined;
  const server =
    ids === undefined ? "tokens with one list of log-probs" : "token ids with one list of log-probs";
  if (count !== logprobs.length) {
    const message = `${count} token ids and ${logprobs.length} log-probs`;
    return { server, texts: [], problem: { message } };
  }
  const promptIds = first(row, ["prompt_token_ids", "prompt_ids"], toNumbers);
  return {
    server,
    texts: [
      {
        tokens: { logprobs: Float64Array.from(logprobs), ids: ids && Float64Array.from(ids), texts },
        promptIds: promptIds && Float64Array.from(promptIds),
        promptText: first(row, PROMPTS, onlyText),
        text: first(row, TEXTS, onlyText),
        choice: 0,
        key: first(row, ["key", "id", "request_id", "sample_id", "uid"], toText),
      },
    ],
  };
}
