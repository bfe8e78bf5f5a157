/**
 * slime's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type ConfigView, type Dialect, type LintRule, needsSwitch } from "../shared/dialect.ts";

const ARGUMENTS = "utils/arguments.py slime_validate_args";
const MIS_KEYS = ["tis_mode", "tis_level", "rs_level", "tis_upper_bound", "rs_veto_threshold", "use_rs"];

function usesMis(view: ConfigView): boolean {
  const path = view.get("custom_tis_function_path");
  return MIS_KEYS.some((key) => view.get(key)) || /\bmis[.:]|compute_mis_weights/.test(path?.text ?? "");
}

/** The function's settings are in a separate YAML file. */
const elsewhere: LintRule = ({ get, at }) => {
  const path = get("custom_tis_function_path");
  const file = get("custom_config_path");
  if (!/\bmis[.:]|compute_mis_weights/.test(path?.text ?? "") || MIS_KEYS.some((key) => get(key))) return [];
  return [
    {
      severity: "note",
      code: "settings-elsewhere",
      ...at(path),
      message: `mis.py takes its bounds from ${file ? file.text : "the file of --custom-config-path"}; shown here are the example's own`,
      source: "examples/train_infer_mismatch_helper/mis.py",
      instead: `logratio correct --lint ${file ? file.text : "mis.yaml"}`,
    },
  ];
};

/** `yaml.safe_load` reads 1e-4 as text, and comparing it with a tensor raises. */
const pointless: LintRule = ({ document, found, at }) =>
  document.format !== "yaml"
    ? []
    : [...found.values()]
        .filter(({ text, quoted }) => !quoted && /^[+-]?\d+e[+-]?\d+$/i.test(text))
        .map((entry) => ({
          severity: "error" as const,
          code: "read-as-text",
          ...at(entry),
          message: `${entry.key}: ${entry.text} is text to yaml.safe_load, which requires a point before the exponent`,
          why: "the first comparison with a tensor raises TypeError",
          source: "utils/arguments.py: yaml.safe_load of --custom-config-path",
          instead: entry.text.replace(/e/i, ".0e"),
        }));

const conflict: LintRule = ({ get, found, at, settings }) => {
  const rollout = get("use_rollout_logprobs");
  const tis = found.get("use_tis");
  if (rollout?.value !== true || settings.use_tis !== true || !tis) return [];
  return [
    {
      severity: "error",
      code: "conflict",
      ...at(rollout),
      message: `${rollout.key} and ${tis.key} exclude each other, and the trainer stops`,
      why: "with rollout log-probs as the old ones, PPO's ratio is already taken against the rollout",
      source: `${ARGUMENTS}: "use_rollout_logprobs and use_tis cannot be set at the same time."`,
      instead: `one of the two: ${tis.key} corrects the mismatch, ${rollout.key} clips it with PPO's ratio`,
    },
  ];
};

const RULES: readonly LintRule[] = [
  elsewhere,
  pointless,
  conflict,
  needsSwitch({
    settings: ["tis_clip", "tis_clip_low", "tis_mode", "tis_level", "tis_upper_bound", "tis_lower_bound"],
    isOff: ({ settings }) => settings.use_tis === false && settings.get_mismatch_metrics !== true,
    off: "use_tis is off, the trainer's default",
    source: "utils/arguments.py, backends/megatron_utils/loss.py policy_loss_function",
    instead: "--use-tis (or use_tis: true in the file of --custom-config-path)",
  }),
  needsSwitch({
    settings: ["custom_tis_function_path"],
    isOff: ({ settings }) => settings.use_tis === false && settings.get_mismatch_metrics === false,
    off: "neither use_tis nor get_mismatch_metrics is on, so the function is never called",
    source: "backends/megatron_utils/loss.py policy_loss_function",
    instead: "--use-tis",
  }),
  needsSwitch({
    settings: ["opsm_delta"],
    isOff: ({ settings }) => settings.use_opsm === false,
    off: "use_opsm is off",
    source: "backends/megatron_utils/loss.py policy_loss_function",
    instead: "--use-opsm",
  }),
  needsSwitch({
    settings: ["rs_level", "rs_lower_bound", "rs_upper_bound", "rs_veto_threshold"],
    isOff: ({ settings }) => settings.use_rs === false,
    off: "use_rs is false",
    source: "examples/train_infer_mismatch_helper/mis.py compute_mis_weights",
    instead: "use_rs: true",
  }),
];

/** The dialect of slime and of its fork, which differ in the preset and in the text that identifies them. */
export function slimeDialectFor(preset: string, textMarks: readonly RegExp[]): Dialect {
  return {
    preset: (view) => (usesMis(view) ? "slime-mis" : preset),
    sections: [""],
    callees: [],
    example: "--use-tis",
    marks: [
      /^(use_tis|tis_clip|tis_clip_low|custom_tis_function_path|use_opsm)$/,
      /^(actor_num_gpus_per_node|sglang_mem_fraction_static|rollout_max_response_len|num_rollout|n_samples_per_prompt)$/,
    ],
    textMarks,
    knownKeys: ["custom_config_path"],
    // mis.yaml without use_tis is used with a command line that sets it.
    defaults: (view): Readonly<Record<string, boolean>> =>
      view.document.format === "command line" ? { use_tis: false } : {},
    unknownKeys: {
      effect: "refused",
      source: 'argparse: "unrecognized arguments"',
    },
    rules: RULES,
  };
}

export const slimeDialect = slimeDialectFor("slime", [/\bslime\b/i]);
