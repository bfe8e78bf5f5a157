import { join } from "node:path";
import { FormatError, isObject } from "../../../core/base/index.ts";
import { readTextIfPresent } from "../../../input/io/index.ts";

/** Facts from the JSON files next to a model; null (or empty) where unknown. */
export interface ModelConfig {
  readonly vocabularySize: number | null;
  readonly contextLength: number | null;
  readonly stopIds: readonly number[];
  /** Heads of the keys and values in the KV cache. */
  readonly heads: number | null;
  readonly headSize: number | null;
}

type Json = Readonly<Record<string, unknown>>;

/** Names for the longest text in various model families. */
const CONTEXT = [
  "max_position_embeddings",
  "n_positions",
  "n_ctx",
  "max_seq_len",
  "seq_length",
  "max_sequence_length",
];
/** Tokenizers without a limit write 1e30. */
const NO_LIMIT = 1e9;

/**
 * Reads `config.json`, `generation_config.json` and `tokenizer_config.json`, each from the first directory that has it.
 * A multimodal model's figures are those of its `text_config`.
 *
 * @throws FormatError for a file that is not a JSON object, FileSystemError for one that cannot be read
 */
export async function readModelConfig(directories: readonly string[]): Promise<ModelConfig> {
  const whole = await readJson(directories, "config.json");
  const config = isObject(whole.text_config) ? { ...whole, ...whole.text_config } : whole;
  const generation = await readJson(directories, "generation_config.json");
  const tokenizer = await readJson(directories, "tokenizer_config.json");
  const heads = firstNumber(config, ["num_key_value_heads", "num_attention_heads", "n_head"]);
  const queries = firstNumber(config, ["num_attention_heads", "n_head"]);
  const width = firstNumber(config, ["hidden_size", "n_embd"]);
  const limit = firstNumber(tokenizer, ["model_max_length"]);
  return {
    vocabularySize: firstNumber(config, ["vocab_size"]),
    contextLength: firstNumber(config, CONTEXT) ?? (limit !== null && limit < NO_LIMIT ? limit : null),
    stopIds: ids(generation.eos_token_id) ?? ids(config.eos_token_id) ?? [],
    heads,
    headSize:
      firstNumber(config, ["head_dim"]) ?? (queries !== null && width !== null ? width / queries : null),
  };
}

async function readJson(directories: readonly string[], name: string): Promise<Json> {
  for (const directory of directories) {
    const file = join(directory, name);
    const text = await readTextIfPresent(file);
    if (text === undefined) continue;
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value)) return value;
      throw new TypeError("it is not an object");
    } catch (cause) {
      throw new FormatError(`${file} is not a JSON object: ${(cause as Error).message}`, {
        at: { file },
        likely: "it was cut off, or is a Git LFS pointer",
        hint: "copy it from the checkpoint again, or remove it to skip the check of its limits",
        cause,
      });
    }
  }
  return {};
}

function firstNumber(config: Json, names: readonly string[]): number | null {
  for (const name of names) {
    const value = config[name];
    if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  }
  return null;
}

function ids(value: unknown): number[] | undefined {
  const all = (Array.isArray(value) ? value : [value]).filter((id) => Number.isInteger(id) && id >= 0);
  return all.length > 0 ? (all as number[]) : undefined;
}
