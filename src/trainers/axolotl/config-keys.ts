/**
 * Axolotl's config keys: TRL's under `trl`, handed to its GRPOConfig.
 *
 * @module
 */
import type { Correction } from "../neutral/correction.ts";
import { type ConfigView, type Dialect, isTrue, type LintRule } from "../shared/dialect.ts";

const SCHEMA = "axolotl/utils/schemas/trl.py TRLConfig";
const ASYNC = "axolotl/core/trainers/grpo/async_trainer.py";
const OWN = [
  "vllm_importance_sampling_correction",
  "vllm_importance_sampling_mode",
  "vllm_importance_sampling_clip_max",
  "vllm_importance_sampling_clip_min",
  "off_policy_mask_threshold",
];

const ASYNC_KEYS = ["async_prefetch", "use_data_producer"];

/** The key that chooses Axolotl's own asynchronous trainer, which has another default and a floor. */
const asyncKey = ({ get }: ConfigView): ReturnType<ConfigView["get"]> =>
  ASYNC_KEYS.map((name) => get(`trl.${name}`)).find(isTrue);

const asynchronous: LintRule = (context) => {
  const { at } = context;
  const entry = asyncKey(context);
  if (entry === undefined) return [];
  return [
    {
      severity: "warning",
      code: "other-trainer",
      ...at(entry),
      message:
        "Axolotl's asynchronous trainer raises ratios below 1 / cap to it, in every mode, and takes token_truncate where no mode is given",
      why: "a masked sequence gets weight 1 / cap, not 0: is_ratio.masked_fill(…, 0).clamp(min=1 / cap)",
      source: ASYNC,
    },
  ];
};

const cap: LintRule = ({ get, at }) => {
  const entry = get("trl.vllm_importance_sampling_cap");
  if (!entry || entry.value === null) return [];
  return [
    {
      severity: "warning",
      code: "old-name",
      ...at(entry),
      message: `${entry.key} goes to TRL's deprecated name, which overrides clip_max`,
      source: SCHEMA,
      instead: "trl.vllm_importance_sampling_clip_max",
    },
  ];
};

/** A truncated weight is at least 1 / cap; what a mask mode makes of its zeros has no neutral form. */
function withFloor({ weight, steps }: Correction): Correction {
  return {
    ...(weight && { weight }),
    steps: steps.map((step) =>
      step.action === "truncate" && step.upper !== undefined ? { ...step, lower: 1 / step.upper } : step,
    ),
  };
}

export const axolotlDialect: Dialect = {
  preset: () => "trl",
  names: Object.fromEntries(OWN.map((name) => [name, `trl.${name}`])),
  sections: ["trl"],
  callees: [],
  example: "trl.vllm_importance_sampling_*",
  marks: [
    /^trl\./,
    /^rl$/,
    /^(sequence_len|micro_batch_size|base_model|datasets\.\d+\.path|vllm\.(host|port|gpu_memory_utilization))$/,
  ],
  textMarks: [/\baxolotl\b/i],
  knownKeys: [
    "vllm_importance_sampling_cap",
    "importance_sampling_level",
    "use_vllm",
    "use_bias_correction_kl",
    ...ASYNC_KEYS,
    "prefetch_depth",
    "vllm_sync_interval",
    "replay_buffer_size",
    "replay_recompute_logps",
  ],
  collect: (view): ReturnType<NonNullable<Dialect["collect"]>> => {
    const entry = view.get("trl.vllm_importance_sampling_cap");
    if (entry === undefined || typeof entry.value !== "number") return {};
    return { vllm_importance_sampling_clip_max: { value: entry.value, entry } };
  },
  defaults: (view): Readonly<Record<string, string>> =>
    asyncKey(view) ? { vllm_importance_sampling_mode: "token_truncate" } : {},
  effective: (context, correction) => {
    if (!isTrue(context.get("trl.use_vllm")))
      return {
        steps: correction.steps.filter((step) => step.action === "zero" && step.measure !== "weight"),
      };
    return asyncKey(context) ? withFloor(correction) : correction;
  },
  unknownKeys: { effect: "ignored", source: `${SCHEMA}: pydantic's default` },
  rules: [asynchronous, cap],
};
