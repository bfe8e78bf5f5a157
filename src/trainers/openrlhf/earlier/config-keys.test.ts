import { checkDialect } from "../../configs/table.test-data.ts";

const A = "--algo.advantage.";
const run = (flags: string): string =>
  `python3 -m openrlhf.cli.train_ppo_ray ${flags.replaceAll("--is_", `${A}is_`)}`;
const ON = `→ ${A}is_correction_enable`;
const PPO = "→ --actor.policy_loss_type ppo, or omit type and threshold";

checkDialect("openrlhf", {
  version: "0.11.1",
  says: [
    // The threshold is low, then high.
    [
      "a.sh",
      run("--is_correction_enable --is_correction_threshold 5 0.5"),
      [
        `error order@1 → ${A}is_correction_threshold 0.5 5`,
        /is low high, but 5 0.5 is in reverse order$/,
        /every weight becomes 0\.5$/,
      ],
    ],
    [
      "a.sh",
      run("--is_correction_enable --is_correction_type icepop --is_correction_threshold 5 0.5"),
      [`error order@1 → ${A}is_correction_threshold 0.5 5`, /everything is dropped$/],
    ],
    [
      "a.sh",
      run("--is_correction_enable --is_correction_threshold 0.5 5"),
      "no order",
      "no refused",
      "no not-switched-on",
    ],
    ["a.sh", run("--is_correction_enable --is_correction_threshold 2 2"), "no order"],
    [
      "a.sh",
      run("--is_correction_enable --is_correction_threshold 3"),
      [`error refused@1 → ${A}is_correction_threshold 0.5 3`, /takes two numbers, low and high; 3 is one$/],
    ],
    ["a.sh", run("--is_correction_enable --is_correction_type tis"), "no order", "no refused"],
    // The switch.
    [
      "a.sh",
      run("--is_correction_threshold 0.5 5"),
      [`error not-switched-on@1 ${ON}`, /is_correction_enable is not given$/],
    ],
    [
      "a.sh",
      run("--is_correction_type tis"),
      [`error not-switched-on@1 ${ON}`, /^--algo.advantage.is_correction_type has no effect/],
    ],
    // GSPO has a correction of its own.
    [
      "a.sh",
      run("--is_correction_enable --is_correction_type icepop --actor.policy_loss_type gspo"),
      [`error not-switched-on@1 ${PPO}`, /policy_loss_type gspo the correction only changes/],
      "no no-effect",
    ],
    [
      "a.sh",
      run("--is_correction_enable --is_correction_threshold 0.5 5 --actor.policy_loss_type gspo"),
      `error not-switched-on@1 ${PPO}`,
    ],
    [
      "a.sh",
      run("--is_correction_enable --is_correction_type icepop --actor.policy_loss_type ppo"),
      "no not-switched-on",
    ],
    [
      "a.sh",
      run("--is_correction_enable false --is_correction_type tis --actor.policy_loss_type gspo"),
      `error not-switched-on@1 ${ON}`,
    ],
    // Names of earlier versions.
    ["a.sh", run("--enable_vllm_is_correction"), `error old-name@1 ${ON}`],
    [
      "a.sh",
      run("--vllm_is_truncated_threshold 2"),
      `error old-name@1 → ${A}is_correction_threshold low high`,
    ],
    [
      "a.sh",
      run("--vllm_is_correction_type tis --vllm.num_engines 4"),
      `error old-name@1 → ${A}is_correction_type`,
    ],
    ["a.sh", run("--use_icepop --vllm.num_engines 4"), `error old-name@1 → ${A}is_correction_type icepop`],
    // Traps, where they are.
    [
      "a.sh",
      run(
        "--is_correction_enable \\\n --is_correction_threshold 0.999 1.001 \\\n --is_correction_type seq-mask-tis",
      ),
      ["warning raw-weights@3", /untruncated/],
    ],
    [
      "a.sh",
      run("--is_correction_enable \\\n --is_correction_type tis \\\n --is_correction_threshold 0.5 5"),
      ["warning clamps-both-sides@3", /raised to 0\.5/],
      "no raw-weights",
    ],
    [
      "a.sh",
      run("--is_correction_enable --is_correction_type icepop --is_correction_threshold 0.5 5"),
      "no clamps-both-sides",
      "no raw-weights",
    ],
    // Slips.
    [
      "a.sh",
      run(`--is_correction_enable ${A}is_correction_typ tis`),
      [`error misspelt@1 → ${A}is_correction_type`, /^OpenRLHF has no/],
    ],
  ],
  marks: [
    [
      ["algo.advantage.a", "algo.kl.a"],
      ["a.algo.kl.a", "algo.kls.a", "algo.other.a"],
    ],
    [
      ["vllm.num_engines", "train.async_enable", "actor.policy_loss_type", "rollout.n_samples_per_prompt"],
      ["a.vllm.num_engines", "vllm.elsewhere", "other.num_engines"],
    ],
    [
      ["enable_vllm_is_correction", "vllm_is_truncated_threshold", "vllm_num_engines"],
      ["a.vllm_num_engines", "vllm_num_engines_2"],
    ],
  ],
  texts: ["vllm_num_engines", ["openrlhf.cli", "OpenRLHF"], ["openrl", "rlhf"]],
  known: [["algo.advantage", ["estimator", "gamma", "lambd"], "vllm_num_engines: 1\n"]],
});
