import { type ErrorDetail, UnsupportedError } from "../../../core/base/index.ts";
import type { ModelConfig } from "./model-config.ts";
import type { OnnxValue } from "./model-file/messages.ts";

export type IdType = "int64" | "int32";
export type LogitType = "float32" | "float16";

interface IdInput {
  readonly name: string;
  readonly type: IdType;
}

/** The inputs and outputs of a decoder. */
export interface Signature {
  readonly ids: IdInput;
  readonly mask: IdInput | null;
  readonly positions: IdInput | null;
  /** Name of the switch of a merged decoder: false on the first run, true with a cache. */
  readonly cacheSwitch: string | null;
  readonly cache: readonly CacheEntry[];
  readonly logits: LogitType;
  /** Columns of the logits, if the model says. */
  readonly vocabularySize: number | null;
}

/** One tensor of the KV cache. */
export interface CacheEntry {
  readonly past: string;
  readonly present: string;
  readonly type: LogitType;
  /** Shape of an empty one: batch 1, length 0. */
  readonly shape: readonly number[];
}

const TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [1, "float32"],
  [2, "uint8"],
  [3, "int8"],
  [6, "int32"],
  [7, "int64"],
  [9, "bool"],
  [10, "float16"],
  [11, "float64"],
  [16, "bfloat16"],
]);
const EXPORT =
  "Export it as a decoder: optimum-cli export onnx --model CHECKPOINT --task text-generation-with-past DIR; " +
  "or torch.onnx.export with inputs input_ids and attention_mask [batch, sequence] and output logits.";

/**
 * Recognizes a decoder by a model's inputs and outputs.
 *
 * @throws UnsupportedError that lists what was found and what is expected
 */
export function readSignature(
  file: string,
  inputs: readonly OnnxValue[],
  outputs: readonly OnnxValue[],
  config: ModelConfig,
): Signature {
  const refuse = (what: string, detail: ErrorDetail = {}): UnsupportedError =>
    new UnsupportedError(
      `${file} is not a decoder that can be scored: ${what}. ${described(inputs, outputs)}`,
      {
        at: { file },
        hint: EXPORT,
        ...detail,
      },
    );
  const logits = outputs.find(({ name }) => name === "logits");
  const ids = inputs.find(({ name }) => name === "input_ids");
  if (ids === undefined) throw refuse("there is no input input_ids");
  if (logits === undefined) throw refuse("there is no output logits", guessExtractor(outputs));
  let mask: IdInput | null = null;
  let positions: IdInput | null = null;
  let cacheSwitch: string | null = null;
  const cache: CacheEntry[] = [];
  for (const value of inputs) {
    if (value === ids) continue;
    if (value.name === "attention_mask") mask = readIdInput(value, refuse);
    else if (value.name === "position_ids") positions = readIdInput(value, refuse);
    else if (value.name === "use_cache_branch") cacheSwitch = value.name;
    else if (value.name.startsWith("past_key_values")) {
      const present = value.name.replace("past_key_values", "present");
      if (!outputs.some(({ name }) => name === present))
        throw refuse(`${value.name} has no output ${present}`);
      const shape = emptyShape(value, config);
      if (shape === null) throw refuse(`the dimensions of ${value.name} are not known`);
      cache.push({ past: value.name, present, type: readLogitType(value, refuse), shape });
    } else {
      throw refuse(`${value.name} is not an input of one`, {
        ...(/encoder|pixel|audio|token_type/.test(value.name) && {
          likely: "it is an encoder, the decoder of an encoder-decoder model, or a model of images or sound",
        }),
      });
    }
  }
  if (cacheSwitch !== null && cache.length === 0)
    throw refuse(`there is a switch ${cacheSwitch}, and no past_key_values`);
  if (logits.shape !== null && logits.shape.length !== 3)
    throw refuse(`logits have ${logits.shape.length} dimensions, not 3`, {
      likely: "it classifies whole texts",
    });
  const columns = logits.shape?.[2];
  return {
    ids: readIdInput(ids, refuse),
    mask,
    positions,
    cacheSwitch,
    cache,
    logits: readLogitType(logits, refuse),
    vocabularySize: typeof columns === "number" ? columns : null,
  };
}

type Refuse = (what: string, detail?: ErrorDetail) => UnsupportedError;

function guessExtractor(outputs: readonly OnnxValue[]): ErrorDetail {
  const hidden = outputs.find(({ name }) => /hidden_state|embedding|pooler/.test(name));
  if (hidden === undefined) return {};
  return {
    likely: `it was exported as a feature extractor: ${hidden.name} is what enters the head, which is not in the file`,
  };
}

function readIdInput(value: OnnxValue, refuse: Refuse): IdInput {
  const type = typeName(value);
  if (type !== "int64" && type !== "int32") throw refuse(`${value.name} is ${type}, not int64 or int32`);
  return { name: value.name, type };
}

function readLogitType(value: OnnxValue, refuse: Refuse): LogitType {
  const type = typeName(value);
  if (type === "float32" || type === "float16") return type;
  throw refuse(`${value.name} is ${type}, not float32 or float16`, {
    ...(type === "bfloat16" && {
      hint: "onnxruntime has no bfloat16 on CPUs and does not hand it to JavaScript: export with --dtype fp16 or fp32",
    }),
  });
}

/** `[1, heads, 0, head size]`, with the sizes given by the model or, if those vary, by `config.json`. */
function emptyShape({ shape }: OnnxValue, config: ModelConfig): number[] | null {
  if (shape === null || shape.length !== 4) return null;
  const [, heads, , size] = shape.map((dimension) => (typeof dimension === "number" ? dimension : null));
  const known = [1, heads ?? config.heads, 0, size ?? config.headSize];
  return known.every((dimension) => dimension !== null) ? (known as number[]) : null;
}

function typeName({ type }: OnnxValue): string {
  return type === null ? "no tensor" : (TYPE_NAMES.get(type) ?? `type ${type}`);
}

function described(inputs: readonly OnnxValue[], outputs: readonly OnnxValue[]): string {
  const list = (values: readonly OnnxValue[]): string => {
    const shown = values.slice(0, 6).map((value) => {
      const shape = value.shape === null ? "" : ` [${value.shape.join(", ")}]`;
      return `${value.name}: ${typeName(value)}${shape}`;
    });
    return shown.join("; ") + (values.length > 6 ? `; and ${values.length - 6} more` : "");
  };
  return (
    `Its inputs are ${list(inputs) || "none"}. Its outputs are ${list(outputs) || "none"}. ` +
    "Expected: input_ids, and where the model has them attention_mask, position_ids, past_key_values.*, use_cache_branch; " +
    "and the output logits [batch, sequence, vocabulary], with present.* for every past_key_values.*"
  );
}
