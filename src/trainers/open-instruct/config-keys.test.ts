import { checkDialect } from "../configs/table.test-data.ts";

const run = (flags: string): string => `python open_instruct/grpo_fast.py ${flags}`;
const ON = "→ --use_rho_correction true";
const CONFLICT = "error conflict@1 → --use_rho_correction false, or omit --use_vllm_logprobs";

checkDialect("open-instruct", {
  says: [
    // A flag of a pull request.
    [
      "a.sh",
      "p grpo_fast.py --use_rho_correction True --rho_logprob_diff_clamp 5.0",
      ["error refused@1 → omit --rho_logprob_diff_clamp, unless your checkout has it", /pull request/],
    ],
    // Rollout log-probs as old ones exclude the correction, which is on by default.
    [
      "a.sh",
      run("--use_vllm_logprobs --rho_clamp_upper_bound 2"),
      [CONFLICT, /use_rho_correction, which is on by default, exclude/],
    ],
    [
      "a.sh",
      run("--use_vllm_logprobs --use_rho_correction true"),
      [CONFLICT, /and use_rho_correction exclude/],
    ],
    ["a.sh", run("--use_vllm_logprobs --use_rho_correction false"), "no conflict"],
    ["a.sh", run("--use_vllm_logprobs false --rho_clamp_upper_bound 2"), "no conflict"],
    ["a.sh", run("--rho_clamp_upper_bound 2"), "no conflict"],
    // 0 is off.
    [
      "a.sh",
      run("--rho_mask_lower_bound 0 --rho_mask_upper_bound 2"),
      ["note zero-is-off@1", /^--rho_mask_lower_bound 0 switches this bound off/],
    ],
    [
      "a.sh",
      run("--rho_mask_upper_bound 0 --rho_mask_lower_bound 0.5"),
      ["note zero-is-off@1", /^--rho_mask_upper_bound 0 switches/],
    ],
    ["a.sh", run("--rho_clamp_upper_bound 0"), ["warning zero-is-off@1", /not a clamp to 0/]],
    ["a.sh", run("--rho_clamp_lower_bound 0"), ["note zero-is-off@1", /ratios near 0 stay/]],
    [
      "a.sh",
      run(
        "--rho_clamp_lower_bound 0.5 --rho_clamp_upper_bound 2 --rho_mask_lower_bound 0.1 --rho_mask_upper_bound 8",
      ),
      "no zero-is-off",
    ],
    // Settings of a correction that is off.
    ...[
      "--rho_mask_lower_bound 0.5",
      "--rho_mask_upper_bound 2",
      "--rho_clamp_lower_bound 0.5",
      "--rho_clamp_upper_bound 2",
      "--rho_mask_sequence_level",
    ].map(
      (flag) =>
        [
          "a.sh",
          run(`--use_rho_correction false ${flag}`),
          [
            `error not-switched-on@1 ${ON}`,
            new RegExp(`^${flag.split(" ")[0]} has no effect: use_rho_correction is false$`),
          ],
        ] as const,
    ),
    [
      "a.sh",
      run("--use_rho_correction false --rho_mask_tv_divergence --rho_mask_upper_bound 2"),
      [`error not-switched-on@1 ${ON}`, /_upper_bound, --rho_mask_tv_divergence have no effect/],
    ],
    ["a.sh", run("--use_rho_correction true --rho_clamp_upper_bound 2"), "no not-switched-on"],
    // A divergence without bounds.
    [
      "a.sh",
      run("--rho_mask_tv_divergence"),
      ["error not-switched-on@1 → --rho_mask_upper_bound 0.2", /both mask bounds are 0, which means off$/],
    ],
    ["a.sh", run("--rho_mask_tv_divergence --rho_mask_upper_bound 2"), "no not-switched-on"],
    ["a.sh", run("--rho_mask_tv_divergence --rho_mask_lower_bound 0.5"), "no not-switched-on"],
    ["a.sh", run("--rho_mask_tv_divergence false --rho_clamp_upper_bound 2"), "no not-switched-on"],
    // Names.
    [
      "a.sh",
      run("--truncated_importance_sampling_ratio_cap 2 --rho_clamp_lower_bound 0.5"),
      "error old-name@1 → --rho_clamp_upper_bound (0 for off)",
    ],
    [
      "a.sh",
      run("--rho_mask_uper_bound 2 --use_rho_correction true"),
      ["error misspelt@1 → --rho_mask_upper_bound", /^open-instruct has no/],
    ],
    [
      "a.py",
      "GRPOExperimentConfig(rho_clamp_upper_bound=2, rho_mask_uper_bound=2)",
      "error misspelt@1 → rho_mask_upper_bound",
    ],
    // Traps, where they are.
    ["a.yaml", "use_rho_correction: true\nrho_mask_sequence_level: true\n", "warning sequence-level@2"],
    ["a.yaml", "use_rho_correction: true\nrho_clamp_upper_bound: 0.0\n", "warning zero-is-off@2"],
    ["a.yaml", "use_rho_correction: true\nrho_clamp_upper_bound: 2\n", "no sequence-level"],
  ],
  marks: [
    [
      ["rho_clamp_x", "rho_mask_x"],
      ["a.rho_clamp_x", "rho_other_x", "rho_clampx"],
    ],
    [["use_rho_correction"], ["a.use_rho_correction", "use_rho_corrections"]],
    [
      [
        "num_unique_prompts_rollout",
        "num_samples_per_prompt_rollout",
        "apply_verifiable_reward",
        "dataset_mixer_list",
      ],
      ["a.dataset_mixer_list", "dataset_mixer_lists"],
    ],
  ],
  texts: [
    "dataset_mixer_list",
    ["open_instruct/x.py", "open-instruct", "Open-Instruct"],
    ["openinstruct", "open instruct"],
  ],
  known: [
    ["", ["truncated_importance_sampling_ratio_cap", "use_vllm_logprobs"], "use_rho_correction: false\n"],
  ],
});
