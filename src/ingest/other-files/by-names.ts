/**
 * Files that could be opened but hold no log-probs, recognized by the names in them.
 *
 * @module
 */
import { formatCount, plural } from "../../core/text/index.ts";
import {
  isList,
  isMap,
  isPickled,
  isTensor,
  type SourceDocument,
  type TreeMap,
  type TreeValue,
} from "../../input/io/index.ts";
import { NAMELESS } from "./by-text.ts";
import type { OtherFile } from "./other-file.ts";

const TOKENIZER_HINT = "to use it with a dump, add --tokenizer DIR, the directory that this file is in";
const CONFIG_HINT = "to check a trainer's config, run logratio correct --lint FILE";
const MODEL_HINT = "to compare two models, score the same texts with both: logratio score";
const DUMP_HINT =
  "give the trainer's dump; if its columns are not recognized, name them: --rollout COLUMN --trainer COLUMN";

/** Describes a document in which no adapter found log-probs; undefined when its names are unknown. */
export function nameDocument(document: SourceDocument): OtherFile | undefined {
  if (document.kind === "rows") {
    const [first] = document.sample;
    // The JSON reader's name for a row that is an array.
    if (document.sample.length > 0 && document.sample.every((row) => Object.keys(row).join() === "element"))
      return NAMELESS;
    return first === undefined ? undefined : nameObject(first as TreeMap);
  }
  const { root, format } = document;
  return format === "json" || format === "jsonl" ? nameObject(root) : nameTensors(root);
}

interface Known {
  /** All of these names occur. */
  readonly keys: readonly string[];
  is(root: TreeMap): OtherFile | undefined;
}

const known = (keys: readonly string[], what: string, hint: string): Known => ({
  keys,
  is: () => ({ what, hint }),
});

/** The more specific ones first. */
const OBJECTS: readonly Known[] = [
  {
    keys: ["model", "added_tokens"],
    is: ({ model }) => {
      if (!isMap(model)) return undefined;
      const { type, vocab } = model;
      const size = isMap(vocab) ? Object.keys(vocab).length : isList(vocab) ? vocab.length : 0;
      const kind = typeof type === "string" ? `${type}, ` : "";
      return { what: `a tokenizer (${kind}${plural(size, "token")})`, hint: TOKENIZER_HINT };
    },
  },
  known(["tokenizer_class"], "a tokenizer's config", TOKENIZER_HINT),
  known(["added_tokens_decoder"], "a tokenizer's config", TOKENIZER_HINT),
  known(["chat_template"], "a tokenizer's chat template", TOKENIZER_HINT),
  known(["weight_map"], "the index of a model's weights", MODEL_HINT),
  known(["peft_type"], "the config of an adapter (PEFT)", MODEL_HINT),
  {
    keys: ["architectures"],
    is: ({ architectures }) => {
      const first = isList(architectures) ? architectures[0] : undefined;
      return { what: `a model's config${typeof first === "string" ? ` (${first})` : ""}`, hint: MODEL_HINT };
    },
  },
  {
    keys: ["model_type"],
    is: ({ model_type: type }) =>
      typeof type === "string" ? { what: `a model's config (${type})`, hint: MODEL_HINT } : undefined,
  },
  known(["image_processor_type"], "the config of a model's processor", MODEL_HINT),
  known(["zero_optimization"], "a config for DeepSpeed", CONFIG_HINT),
  known(["train_micro_batch_size_per_gpu"], "a config for DeepSpeed", CONFIG_HINT),
  known(["actor_rollout_ref"], "a trainer's config (verl)", CONFIG_HINT),
  known(["nbformat", "cells"], "a Jupyter notebook", "give the files that it reads or writes"),
  known(["traceEvents"], "a profiler's trace", "open it in a browser: ui.perfetto.dev"),
  known(["$schema", "properties"], "a JSON schema", DUMP_HINT),
  known(["dependencies", "version", "name"], "a package's manifest", DUMP_HINT),
  {
    keys: ["error"],
    is: ({ error }) => {
      const message = isMap(error) ? error.message : undefined;
      return typeof message === "string"
        ? {
            what: `a server's error instead of an answer (“${message.slice(0, 100)}”)`,
            hint: "send the request again, with logprobs switched on",
          }
        : undefined;
    },
  },
  known(
    ["program", "python", "os"],
    "the description of a W&B run (wandb-metadata.json)",
    "give its metrics: logratio report wandb-summary.json, or the history as CSV",
  ),
  // After the models' configs, which also have a version.
  known(["transformers_version"], "generation settings (generation_config.json)", MODEL_HINT),
  known(["versions", "results"], "an evaluation's results", DUMP_HINT),
  {
    keys: ["doc_id", "resps", "filtered_resps"],
    is: () => ({
      what: "samples of an evaluation (lm-evaluation-harness, --log_samples)",
      why: "they hold one log-likelihood for each answer, not one for each token",
      hint: "score the same texts with both models: logratio score",
    }),
  },
];

/** Only special tokens, as in `special_tokens_map.json`. */
const SPECIAL = /^(?:bos|eos|pad|unk|sep|cls|mask|additional_special)_tokens?$/;
const FEWEST_WORDS = 20;

function nameObject(root: TreeMap): OtherFile | undefined {
  for (const { keys, is } of OBJECTS) {
    const named = keys.every((key) => Object.hasOwn(root, key)) ? is(root) : undefined;
    if (named !== undefined) return named;
  }
  const keys = Object.keys(root);
  if (keys.length === 0) return undefined;
  if (keys.every((key) => SPECIAL.test(key)))
    return { what: "a tokenizer's special tokens", hint: TOKENIZER_HINT };
  if (
    keys.every((key) => {
      const entry = root[key];
      return isMap(entry) && typeof entry.response === "string" && !Object.values(entry).some(isList);
    })
  ) {
    return {
      what: `${plural(keys.length, "response")} as text, by problem`,
      hint: "to compare the policies that wrote them, score them: logratio score, then logratio kl",
    };
  }
  return isVocabulary(root, keys)
    ? { what: `a tokenizer's vocabulary (${plural(keys.length, "token")})`, hint: TOKENIZER_HINT }
    : undefined;
}

/** Texts with distinct ids from 0. */
function isVocabulary(root: TreeMap, keys: readonly string[]): boolean {
  if (keys.length < FEWEST_WORDS) return false;
  const ids = new Set<TreeValue | undefined>();
  for (const key of keys) {
    const id = root[key];
    if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > 2 * keys.length) return false;
    ids.add(id);
  }
  return ids.size === keys.length;
}

const WEIGHT =
  /(?:^|\.)(?:weight|bias|lora_[AB]|weight_scale(?:_inv)?|qweight|qzeros|scales)(?:\.|$)|_extra_state$/;
const OPTIMIZER =
  /^(?:state|param_groups|optimizer|optimizer_state_dict|exp_avg|exp_avg_sq|base_optimizer_state)$/;

function nameTensors(root: TreeMap): OtherFile | undefined {
  const keys = Object.keys(root);
  if (keys.includes("param_groups") || (keys.length > 0 && keys.every((key) => OPTIMIZER.test(key))))
    return { what: "an optimizer's state", hint: DUMP_HINT };
  if (keys.includes("_step_count") && keys.includes("last_epoch"))
    return { what: "a learning rate schedule's state", hint: DUMP_HINT };
  if (keys.includes("python") && keys.includes("numpy") && keys.includes("cpu"))
    return { what: "the state of random number generators", hint: DUMP_HINT };
  const nested = keys
    .map((key) => root[key])
    .find((value) => isMap(value) && countWeights(value).share > 0.5);
  const { weights, parameters, share } = countWeights(isMap(nested) ? nested : root);
  if (weights > 0 && share > 0.5) {
    const adapters = keys.some((key) => key.includes("lora_"))
      ? "an adapter's weights (LoRA, "
      : "a model's weights (";
    return {
      what: `${adapters}${plural(weights, "tensor")}, ${formatCount(parameters)} parameters)`,
      hint: MODEL_HINT,
    };
  }
  const [only] = keys;
  const value = only === undefined ? undefined : root[only];
  return keys.length === 1 &&
    isPickled(value) &&
    /TrainingArguments|GRPOConfig|PPOConfig/.test(value.className)
    ? { what: `a trainer's arguments (${value.className})`, hint: CONFIG_HINT }
    : undefined;
}

function countWeights(root: TreeMap): { weights: number; parameters: number; share: number } {
  let [weights, parameters, all] = [0, 0, 0];
  for (const [name, value] of Object.entries(root)) {
    if (!isTensor(value)) continue;
    all++;
    if (!WEIGHT.test(name)) continue;
    weights++;
    parameters += value.shape.reduce((product, side) => product * side, 1);
  }
  return { weights, parameters, share: all === 0 ? 0 : weights / all };
}
