import {
  calculateDebugMetrics,
  type DebugBatch,
  type TokenDecoder,
} from "../../analyses/divergence/index.ts";
import { SchemaError } from "../../core/base/index.ts";
import { type Fields, numbers, paddedBatch, type Runner } from "./case.ts";

export const divergenceRunners: Readonly<Record<string, Runner>> = {
  "verl.divergence_log": (inputs, config) => ({ records: buildRecords(inputs, config) }),
};

/** The cases log the top tokens regardless of their divergence. */
function buildRecords(inputs: Fields, config: Fields): readonly unknown[] {
  return calculateDebugMetrics(readBatch(inputs), {
    tokenizer: tableDecoder(inputs.vocab),
    divergenceThreshold: 0,
    ...(config.top_k !== undefined && { divergenceTopK: Number(config.top_k) }),
    ...(config.context_window !== undefined && { contextWindow: Number(config.context_window) }),
    maxPromptChars: readChars(config.max_prompt_chars),
    maxResponseChars: readChars(config.max_response_chars),
    ...(config.iteration !== undefined &&
      config.iteration !== null && { iteration: Number(config.iteration) }),
  }).records;
}

function readChars(value: unknown): number | null {
  return value === undefined || value === null ? null : Number(value);
}

function readBatch(inputs: Fields): DebugBatch {
  const rows = (name: string): { [name: string]: number[][] } => {
    const value = inputs[name];
    return Array.isArray(value) ? { [name]: value.map(numbers) } : {};
  };
  const { position_ids: positions, acc } = inputs;
  return {
    ...paddedBatch(inputs),
    ...rows("responses"),
    ...rows("input_ids"),
    ...rows("token_level_scores"),
    ...(Array.isArray(positions) && { position_ids: positions as number[][] | number[][][] }),
    ...(Array.isArray(acc) && { acc: acc as boolean[] }),
  };
}

/** Tokens are the entries of a list with their text; a text is encoded with the longest entries that fit. */
function tableDecoder(table: unknown): TokenDecoder {
  if (!Array.isArray(table)) throw new SchemaError("cannot run the case: inputs.vocab is missing or no list");
  const texts = table.map(String);
  const longest = (text: string): number => {
    const fitting = texts.flatMap((entry, id) => (entry !== "" && text.startsWith(entry) ? [id] : []));
    return fitting.reduce((best, id) => (texts[id]!.length > (texts[best]?.length ?? 0) ? id : best), -1);
  };
  return {
    name: "vocab",
    vocabularySize: texts.length,
    decode: (ids) => ids.map((id) => texts[id] ?? "").join(""),
    encode: (text) => {
      const ids: number[] = [];
      for (let rest = text; rest !== ""; rest = rest.slice(texts[ids.at(-1)!]!.length)) {
        const id = longest(rest);
        if (id < 0) return undefined;
        ids.push(id);
      }
      return ids;
    },
  };
}
