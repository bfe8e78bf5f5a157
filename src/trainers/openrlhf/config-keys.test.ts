import { checkDialect } from "../configs/table.test-data.ts";

const A = "--algo.advantage.";
const run = (flags: string): string =>
  `python3 -m openrlhf.cli.train_ppo_ray ${flags.replaceAll("--is_", `${A}is_`)}`;
const ON = `→ ${A}is_correction_level token`;
const PPO = "→ --actor.policy_loss_type ppo, or omit mode, gating and threshold";

checkDialect("openrlhf", {
  says: [
    // One bound is the upper one; two are low, then high.
    ["a.sh", run("--is_correction_level token --is_correction_threshold 2"), "no refused", "no order"],
    ["a.sh", run("--is_correction_level token --is_correction_threshold 2 2"), "no order"],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_threshold 5 0.5"),
      [`error order@1 → ${A}is_correction_threshold 0.5 5`, /LOW HIGH, but 5 0\.5 is in reverse order$/],
    ],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_threshold 1 2 3"),
      [`error refused@1 → ${A}is_correction_threshold 1 2`, /takes HIGH or LOW HIGH; 1 2 3 is 3 numbers$/],
    ],
    // What PolicyLoss refuses.
    [
      "a.sh",
      run("--is_correction_level seq --is_correction_mode clip"),
      ["error refused@1", /requires is_correction_level=token and is_correction_gating=ratio/],
    ],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_gating tv"),
      ["error refused@1 → is_correction_threshold 5", /takes an upper bound only/],
    ],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_gating tv --is_correction_threshold 0.1"),
      "no refused",
    ],
    // FlashREINFORCE's trust region.
    [
      "a.sh",
      run("--is_correction_level seq --is_correction_gating binary_kl --is_correction_threshold 0.01"),
      ["note not-a-ratio@1", /nats of binary KL/],
      "no not-simulated",
      "no refused",
      "no not-switched-on",
      "no never-rejects",
      "no rounds-below-zero",
    ],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_gating binary_kl --is_correction_threshold 0.01"),
      ["warning rounds-below-zero@1", /is_correction_threshold -0\.001 0\.01 keeps them$/],
    ],
    [
      "a.sh",
      run(
        "--is_correction_level token --is_correction_gating binary_kl --is_correction_threshold -0.001 0.01",
      ),
      "no rounds-below-zero",
      "no refused",
    ],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_gating binary_kl"),
      ["error refused@1 → is_correction_threshold 5", /takes an upper bound only/],
    ],
    // The switch.
    [
      "a.sh",
      run("--is_correction_threshold 0.5 5"),
      [`error not-switched-on@1 ${ON}`, /is_correction_level is off, the default$/],
    ],
    ["a.sh", run("--is_correction_mode clip"), `error not-switched-on@1 ${ON}`],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_mode clip --actor.policy_loss_type gspo"),
      `error not-switched-on@1 ${PPO}`,
    ],
    // Names of earlier releases; the newest is assumed, and said to be.
    [
      "a.sh",
      run("--is_correction_enable --is_correction_type icepop"),
      [
        `error old-name@1 ${ON}`,
        /is a name from before 0\.11\.2: as of 0\.11\.2, OpenRLHF does not take it$/,
        /--trainer-version says if yours is another$/,
      ],
    ],
    ["a.sh", run("--enable_vllm_is_correction"), `error old-name@1 ${ON}`],
    // Traps, where they are.
    [
      "a.sh",
      run("--is_correction_level \\\n token --is_correction_mode clip \\\n --is_correction_threshold 0.5 5"),
      ["warning clamps-both-sides@3", /raised to 0\.5/],
      "no raw-weights",
    ],
    ["a.sh", run("--is_correction_level seq --is_correction_threshold 0.999 1.001"), "warning raw-weights@1"],
    [
      "a.sh",
      run("--is_correction_level token --is_correction_mod mask"),
      [`error misspelt@1 → ${A}is_correction_mode`, /^OpenRLHF has no/],
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
  ],
});
