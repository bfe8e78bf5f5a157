import { checkDialect } from "../configs/table.test-data.ts";

const loss = (...lines: string[]): string => `loss_fn:\n${lines.map((line) => `  ${line}\n`).join("")}`;
const OFF = "use_importance_sampling_correction: false";
const ON = "use_importance_sampling_correction: true";
const INSISTS = "→ loss_fn.use_importance_sampling_correction: true";
const SWITCH = "→ use_importance_sampling_correction: true and truncated_importance_sampling_type: tis";
const async = (on: boolean): string => `grpo:\n  async_grpo:\n    enabled: ${on}\n`;
const precision = (kind: string): string =>
  `policy:\n  generation:\n    vllm_cfg:\n      precision: ${kind}\n`;

checkDialect("nemo-rl", {
  says: [
    // Async GRPO and fp8 insist on the correction.
    [
      "a.yaml",
      loss(OFF) + async(true),
      [`error refused@5 ${INSISTS}`, /^NeMo-RL stops: async GRPO requires/],
    ],
    ["a.yaml", loss(OFF) + precision("fp8"), [`error refused@6 ${INSISTS}`, /stops: vLLM with fp8 requires/]],
    ["a.yaml", loss(ON) + async(true) + precision("fp8"), "no refused"],
    ["a.yaml", loss(OFF) + async(false) + precision("bfloat16"), "no refused"],
    ["a.yaml", loss(OFF), "no refused"],
    // The log-probs of the policy being updated stand in for the trainer's.
    ["a.yaml", loss(ON, "force_on_policy_ratio: true"), "warning mismatch-from-update@3"],
    [
      "a.yaml",
      loss(OFF, "force_on_policy_ratio: true"),
      ["warning mismatch-from-update@3", /nothing corrects the gap to the rollout$/],
    ],
    ["a.yaml", loss(ON, "force_on_policy_ratio: false"), "no mismatch-from-update"],
    // A key of a pull request.
    [
      "a.yaml",
      loss(ON, "sequence_level_importance_ratios: true", "is_correction_level: sequence_mean"),
      [
        "error no-effect@4 → a NeMo-RL with that change, or token-level ratios: sequence_level_importance_ratios: false",
        /stays the product$/,
      ],
      "no misspelt",
    ],
    // Bounds without the correction.
    [
      "a.yaml",
      loss("truncated_importance_sampling_ratio: 5"),
      [`error not-switched-on@2 ${SWITCH}`, /has no effect: use_importance_sampling_correction is false$/],
    ],
    [
      "a.yaml",
      loss(OFF, "truncated_importance_sampling_ratio: 5", "truncated_importance_sampling_ratio_min: 0.5"),
      [
        `error not-switched-on@3 ${SWITCH}`,
        /ratio, loss_fn.truncated_importance_sampling_ratio_min have no effect/,
      ],
    ],
    ["a.yaml", loss("truncated_importance_sampling_ratio_min: 0.5"), `error not-switched-on@2 ${SWITCH}`],
    [
      "a.yaml",
      loss(ON, "truncated_importance_sampling_type: tis", "truncated_importance_sampling_ratio: 5"),
      "no not-switched-on",
    ],
    [
      "a.yaml",
      loss(OFF, "truncated_importance_sampling_type: tis", "truncated_importance_sampling_ratio: 5"),
      "no not-switched-on",
    ],
    // Traps, where they are.
    [
      "a.yaml",
      loss(ON, "truncated_importance_sampling_type: null"),
      ["warning raw-weights@3", /raw ratios multiply the loss/],
      "note nan",
    ],
    [
      "a.yaml",
      loss(
        ON,
        "truncated_importance_sampling_type: seq-mask-tis",
        "truncated_importance_sampling_ratio: 1.002",
        "truncated_importance_sampling_ratio_min: 0.999",
      ),
      ["warning raw-weights@3", /keeps raw, untruncated token ratios/],
    ],
    [
      "a.yaml",
      loss(ON, "truncated_importance_sampling_type: tis", "truncated_importance_sampling_ratio: 5"),
      "no raw-weights",
    ],
    // Slips; what NeMo-RL does not know it takes and never reads.
    [
      "a.yaml",
      loss(ON, "truncated_importance_sampling_typ: tis"),
      "error misspelt@3 → loss_fn.truncated_importance_sampling_type",
    ],
    ["a.yaml", loss(ON, "elsewhere: 1"), "no unknown-key"],
    [
      "a.py",
      "ClippedPGLossConfig(use_importance_sampling_correction=True, ratio_clip_mim=0.2)",
      "error misspelt@1 → ratio_clip_min",
    ],
  ],
  marks: [
    [["loss_fn.elsewhere"], ["a.loss_fn.elsewhere", "my_loss_fn.a", "loss_fns.a"]],
    [
      [
        "grpo.num_prompts_per_step",
        "grpo.num_generations_per_prompt",
        "grpo.max_num_steps",
        "grpo.async_grpo.a",
      ],
      ["a.grpo.max_num_steps", "grpo.my_max_num_steps", "grpos.max_num_steps", "grpo.elsewhere"],
    ],
    [
      [
        "policy.generation.a",
        "policy.train_global_batch_size",
        "policy.megatron_cfg.a",
        "policy.dtensor_cfg.a",
      ],
      ["a.policy.generation", "policy.elsewhere", "policys.generation"],
    ],
  ],
  texts: ["policy.generation.a", ["nemo_rl", "uv run nemo_rl/x.py"], ["nemo", "nemorl"]],
  known: [
    [
      "loss_fn",
      ["ratio_clip_min", "ratio_clip_max", "ratio_clip_c", "use_on_policy_kl_approximation", "use_cispo"],
      "grpo:\n  max_num_steps: 1\n",
    ],
  ],
});
