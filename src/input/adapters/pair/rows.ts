/**
 * Replies of servers and rows with token ids and one list of log-probs.
 *
 * @module
 */
import type { RowMap, RowValue } from "../../io/index.ts";
import { isRowList, isRowMap, toNumber, toNumbers, toText, valueAt } from "../shared/row-values.ts";
import type { Scoring } from "./scoring.ts";

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
const KEYS = ["key", "id", "request_id", "sample_id", "uid"];
const PROMPTS = ["prompt", "input_prompt", "prompt_text", "input"];
const TEXTS = ["generated_text", "response", "output", "completion", "text"];

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

/** text-generation-inference: `details.tokens[] {id, logprob, text}`, the prompt's under `details.prefill`. */
function readTgi(row: RowMap, index: number): Scoring | undefined {
  const details = row.details;
  const tokens = isRowMap(details) ? details.tokens : undefined;
  if (!isRowMap(details) || !isRowList(tokens) || !tokens.every(isRowMap)) return undefined;
  const prefill = details.prefill;
  const prompt = isRowList(prefill) && prefill.length > 0 && prefill.every(isRowMap) ? prefill : undefined;
  return {
    promptText: prompt?.map((token) => toText(token.text) ?? "").join(""),
    promptLogprobs: prompt?.filter((token) => toNumber(token.logprob) !== undefined).length,
    promptTokenIds: prompt && Float64Array.from(prompt, (token) => toNumber(token.id) ?? -1),
    responseText: toText(row.generated_text),
    tokenIds: Float64Array.from(tokens, (token) => toNumber(token.id) ?? -1),
    logprobs: Float64Array.from(tokens, (token) => toNumber(token.logprob) ?? NaN),
    row: index,
  };
}

function readPlain(row: RowMap, index: number): Scoring | undefined {
  const tokenIds = first(row, TOKENS, toNumbers);
  const logprobs = first(row, LOGPROBS, toNumbers);
  if (tokenIds === undefined || logprobs === undefined) return undefined;
  return {
    key: first(row, KEYS, toText),
    promptText: first(row, PROMPTS, (value) => (typeof value === "string" ? value : undefined)),
    responseText: first(row, TEXTS, (value) => (typeof value === "string" ? value : undefined)),
    promptTokenIds: first(row, ["prompt_token_ids", "prompt_ids"], toNumbers),
    tokenIds,
    logprobs,
    row: index,
  };
}

/** The scoring in a row, the reason why it cannot be used, or undefined where a row is nothing of the kind. */
export function readScoringRow(row: RowMap, index: number): Scoring | string | undefined {
  const scoring = readTgi(row, index) ?? readPlain(row, index);
  if (scoring !== undefined && scoring.tokenIds.length !== scoring.logprobs.length) {
    return `${scoring.tokenIds.length} token ids and ${scoring.logprobs.length} log-probs`;
  }
  return scoring;
}

export function isTgi(row: RowMap): boolean {
  return readTgi(row, 0) !== undefined;
}
