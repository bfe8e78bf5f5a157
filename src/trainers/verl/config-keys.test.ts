import { describe, expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const C = "algorithm:\n  rollout_correction:\n";
const corr = (...lines: string[]): string => `${C}${lines.map((line) => `    ${line}\n`).join("")}`;
const logProbs = (value: string): string =>
  `actor_rollout_ref:\n  rollout:\n    calculate_log_probs: ${value}\n`;
const PROBS = "→ actor_rollout_ref.rollout.calculate_log_probs: true";
const RS = "→ rollout_rs: one of verl's options, for instance seq_mean_k1";

const DPPO =
  "actor_rollout_ref:\n  actor:\n    policy_loss:\n      loss_mode: dppo_tv\n    clip_ratio_high: 0.1\n";

describe("verl's DPPO in bypass mode", () => {
  it("is its trust region and cap, by the actor's own keys", () => {
    const { preset, does } = lintTold(DPPO + corr("bypass_mode: true"), "verl");
    expect(preset).toBe("verl-dppo");
    expect(does.join("; ")).toMatch(/truncated above at 3.*when its p_trainer − p_rollout is above 0\.1/);
  });
});

checkDialect("verl", {
  says: [
    // Rollout log-probs must be in the batch.
    [
      "a.yaml",
      logProbs("false") + corr("rollout_is: token"),
      [`error not-switched-on@3 ${PROBS}`, /rollout_is has no effect: calculate_log_probs is false/],
      "no depends-on-version",
    ],
    [
      "a.yaml",
      logProbs("false") + corr("rollout_rs: token_k3", "rollout_rs_threshold: 0.1"),
      [`error not-switched-on@3 ${PROBS}`, /rollout_rs has no effect: calculate_log_probs/],
    ],
    ["a.yaml", logProbs("true") + corr("rollout_is: token"), "no not-switched-on", "no depends-on-version"],
    [
      "a.yaml",
      corr("rollout_is: token"),
      [`note depends-on-version@3 ${PROBS}`, /is not set here/],
      "no not-switched-on",
    ],
    ["a.yaml", logProbs("false") + corr("rollout_is: null"), "no not-switched-on", "no depends-on-version"],
    // Bypass mode.
    [
      "a.yaml",
      corr("rollout_is: token", "bypass_mode: true"),
      ["warning bypass-mode@4", /takes the rollout's log-probs as old ones/],
      ["warning no-effect@3 → loss_type: reinforce", /only changes metrics: with loss_type ppo_clip/],
    ],
    [
      "a.yaml",
      corr("rollout_is: token", "bypass_mode: true", "loss_type: ppo_clip"),
      "warning no-effect@3 → loss_type: reinforce",
    ],
    [
      "a.yaml",
      corr("rollout_is: token", "bypass_mode: true", "loss_type: reinforce"),
      "warning bypass-mode@4",
      "no no-effect",
    ],
    ["a.yaml", corr("rollout_is: null", "bypass_mode: true"), "warning bypass-mode@4", "no no-effect"],
    [
      "a.yaml",
      corr("rollout_rs: token_k3", "rollout_rs_threshold: 0.1", "bypass_mode: true"),
      "no no-effect",
    ],
    ["a.yaml", corr("rollout_is: token", "bypass_mode: false"), "no bypass-mode", "no no-effect"],
    // DPPO losses.
    [
      "a.yaml",
      DPPO + corr("bypass_mode: true"),
      ["note not-a-ratio@5", /differences of probabilities/],
      "warning bypass-mode@8",
      "no no-effect",
      "no not-the-rollout",
      "no unknown-key",
    ],
    [
      "a.yaml",
      DPPO + corr("rollout_is: null"),
      [
        "warning not-the-rollout@4 → algorithm.rollout_correction.bypass_mode: true",
        /dppo_tv compares the policy with its own/,
      ],
    ],
    [
      "a.yaml",
      `${DPPO}${corr("bypass_mode: true")}trainer:\n  use_v1: false\n`,
      ["error no-effect@4 → trainer.use_v1: true", /puts its own loss in its place/],
    ],
    [
      "a.yaml",
      DPPO + corr("rollout_is: token", "bypass_mode: true"),
      [
        "error no-effect@8 → algorithm.rollout_correction.rollout_is: null; the trust region of dppo_tv is the correction",
        /neither weights nor rejection/,
      ],
    ],
    [
      "a.yaml",
      `${DPPO.replace("actor:", "rollout:\n    calculate_log_probs: false\n  actor:")}${corr("bypass_mode: true")}`,
      [
        "error not-switched-on@3 → actor_rollout_ref.rollout.calculate_log_probs: true",
        /loss_mode has no effect/,
      ],
    ],
    ["a.yaml", DPPO.replace("dppo_tv", "vanilla") + corr("rollout_is: null"), "no not-the-rollout"],
    // Where the settings stood before.
    [
      "a.yaml",
      "algorithm:\n  rollout_is: token\n  rollout_rs_threshold: 2\n",
      ["error old-name@2 → algorithm.rollout_correction.rollout_is", /is where earlier versions had it$/],
      "error old-name@3 → algorithm.rollout_correction.rollout_rs_threshold",
    ],
    ["a.yaml", `${corr("rollout_is: token")}  rollout_islands: 1\n  my_rollout_is: 1\n`, "no old-name"],
    // A pair without quotes is a number.
    [
      "a.yaml",
      corr("rollout_is: token", "rollout_is_threshold: 0.5_2"),
      [
        `error read-as-number@4 → "0.5_2" in quotes (in a shell: 'rollout_is_threshold="0.5_2"')`,
        /without quotes is the number 0\.52, not/,
      ],
    ],
    [
      "a.yaml",
      corr("rollout_rs: token_k1", "rollout_rs_threshold: 1_2"),
      `error read-as-number@4 → "1_2" in quotes (in a shell: 'rollout_rs_threshold="1_2"')`,
    ],
    ["a.yaml", corr("rollout_is: token", 'rollout_is_threshold: "0.5_2"'), "no read-as-number"],
    ["a.yaml", corr("rollout_is: token", "rollout_is_threshold: 0.5_2.0"), "no read-as-number"],
    ["a.yaml", corr("rollout_is: token", "rollout_is_threshold: 2"), "no read-as-number"],
    // The dataclass corrects by default.
    [
      "a.py",
      "\nRolloutCorrectionConfig(bypass_mode=False)",
      [
        'warning default-surprises@2 → rollout_is=None or rollout_is="token", explicitly',
        /defaults to sequence weights truncated at 2$/,
      ],
    ],
    ["a.py", 'RolloutCorrectionConfig(rollout_is="token")', "no default-surprises"],
    ["a.yaml", corr("bypass_mode: false"), "no default-surprises"],
    // Thresholds without a level.
    [
      "a.yaml",
      corr("rollout_is_threshold: 5"),
      ["error not-switched-on@3 → rollout_is: token or sequence", /rollout_is is null, verl's YAML default$/],
    ],
    [
      "a.yaml",
      corr("rollout_is_batch_normalize: true"),
      "error not-switched-on@3 → rollout_is: token or sequence",
    ],
    // verl's own YAML has 2.0 there beside null.
    ["a.yaml", corr("rollout_is_threshold: 2.0"), "no not-switched-on"],
    ["a.yaml", corr("rollout_rs_threshold: 2"), [`error not-switched-on@3 ${RS}`, /rollout_rs is null$/]],
    ["a.yaml", corr("rollout_rs: token_k3", "rollout_rs_threshold: 0.1"), "no not-switched-on"],
    // Names of earlier versions.
    ...(
      [
        ["rollout_is_level", "rollout_is: token or sequence; for geometric: rollout_rs: seq_mean_k1"],
        [
          "rollout_is_mode",
          "truncate: rollout_is_threshold as a number; mask: rollout_rs with rollout_rs_threshold",
        ],
        ["rollout_is_veto_threshold", "rollout_rs: seq_max_k2 or token_k1; the veto was removed"],
        ["rollout_token_veto_threshold", "rollout_rs: seq_max_k2 or token_k1; the veto was removed"],
        ["rollout_is_threshold_lower", 'rollout_is_threshold: "lower_upper" (IcePop)'],
        [
          "rollout_rs_threshold_lower",
          'rollout_rs_threshold: "lower_upper" (for k1: bounds on π_rollout/π_train)',
        ],
        ["tis_imp_ratio_cap", "algorithm.rollout_correction: {rollout_is: token, rollout_is_threshold: …}"],
        ["bypass_old_logprob_for_rollout", "bypass_mode: true"],
        ["use_policy_gradient", "loss_type: reinforce"],
      ] as const
    ).map(
      ([name, instead]) =>
        [
          "a.yaml",
          corr("rollout_is: token", `${name}: 1`),
          `error old-name@4 → ${instead}`,
          "no misspelt",
        ] as const,
    ),
    [
      "a.yaml",
      `${corr("rollout_is: token")}  use_policy_gradient: true\n  bypass_old_logprob_for_rollout: 1\n`,
      "no old-name",
    ],
    // Traps, where they are.
    [
      "a.yaml",
      corr("rollout_is: token", "rollout_is_threshold: null"),
      ["error not-switched-on@4", /computes no weights at all/],
    ],
    [
      "a.yaml",
      `${corr("rollout_is: sequence")}max_response_length: 512\n`,
      ["warning product-ratio@3", /multiplies the ratios of all tokens/],
    ],
    [
      "a.yaml",
      corr("rollout_is: token", "rollout_is_batch_normalize: true"),
      ["warning normalized-after@4", /comes after the threshold/],
    ],
    ["a.yaml", corr("rollout_is: token"), "no product-ratio", "no normalized-after"],
    [
      "a.yaml",
      corr("rollout_is: token", 'rollout_is_threshold: "0.5_2.0"'),
      ["warning icepop@4", /still count in the loss's denominator/],
      ["note trap@4", /ZeroDivisionError/],
    ],
    // A pair whose product is within a tenth of a nat of 1 moves by little.
    ["a.yaml", corr("rollout_rs: token_k1", 'rollout_rs_threshold: "0.5_2.2"'), "warning bounds-inverted@4"],
    ["a.yaml", corr("rollout_rs: token_k1", 'rollout_rs_threshold: "0.5_2.25"'), "error bounds-inverted@4"],
    ["a.yaml", corr("rollout_rs: token_k1", 'rollout_rs_threshold: "0.5_2.0"'), "no bounds-inverted"],
    // Where rounding makes the two pairs one there is nothing to say.
    ["a.yaml", corr("rollout_rs: token_k1", 'rollout_rs_threshold: "0.999_1.00103"'), "no bounds-inverted"],
    // What a rule says with a line is not said again.
    [
      "a.yaml",
      corr("rollout_rs: token_k1", 'rollout_rs_threshold: "1.1_2.0"'),
      ["error bounds-exclude-agreement@4 → bounds with 0 between them", /leave out 0/],
    ],
    // Slips.
    [
      "a.yaml",
      corr("rollout_iss: token"),
      ["error misspelt@3 → algorithm.rollout_correction.rollout_is", /^verl has no/],
    ],
    [
      "a.yaml",
      corr("rollout_is: token", "elsewhere: 1"),
      ["warning unknown-key@4", /^verl has no/, /stops at an unknown key/],
    ],
    [
      "a.py",
      'RolloutCorrectionConfig(rollout_is="token", rollout_is_treshold=2)',
      "error misspelt@1 → rollout_is_threshold",
    ],
  ],
  marks: [
    [
      ["algorithm.rollout_is_x", "algorithm.rollout_rs_x"],
      ["a.algorithm.rollout_is_x", "algorithm.rollout_xs"],
    ],
    [
      ["a.actor_rollout_ref.actor.b", "actor_rollout_ref.actor.b"],
      ["my_actor_rollout_ref.actor.b", "actor_rollout_ref.actors.b"],
    ],
    [
      ["a.actor_rollout_ref.rollout.b", "actor_rollout_ref.model.b"],
      ["my_actor_rollout_ref.model.b", "actor_rollout_ref.models.b"],
    ],
    [
      ["algorithm.adv_estimator", "algorithm.use_kl_in_reward", "algorithm.norm_adv_by_std_in_grpo"],
      ["a.algorithm.adv_estimator", "algorithm.gamma"],
    ],
    [
      ["rollout_correction", "a.rollout_correction.b", "rollout_correction.b"],
      ["my_rollout_correction.b", "a.rollout_corrections.b"],
    ],
    [
      ["trainer.n_gpus_per_node", "trainer.test_freq", "trainer.total_epochs", "trainer.rollout_data_dir"],
      ["a.trainer.test_freq", "trainer.nnodes", "trainers.test_freq"],
    ],
  ],
  texts: [
    "trainer.n_gpus_per_node",
    ["python -m verl.trainer.main_ppo", "from verl import x"],
    ["from verlax", "verl_trainer_main_ppo", "verl"],
  ],
  known: [
    [
      "rollout_correction",
      [
        "bypass_mode",
        "loss_type",
        "debug_rollout_actor_probs",
        "rollout_is_level",
        "rollout_is_mode",
        "rollout_is_veto_threshold",
        "rollout_is_threshold_lower",
        "rollout_token_veto_threshold",
        "rollout_rs_threshold_lower",
        "use_policy_gradient",
        "bypass_old_logprob_for_rollout",
      ],
      "rollout_is: token\n",
    ],
  ],
});

describe("what is left of verl's correction", () => {
  const NOTHING = ["nothing: every weight is 1 and the mask stays as it is"];
  const does = (text: string): readonly string[] => lintTold(text, "verl").does;
  const both = (...lines: string[]): string =>
    corr("rollout_is: token", "rollout_rs: token_k3", "rollout_rs_threshold: 0.1", ...lines);
  const words = (text: string): [weights: boolean, masks: boolean] => {
    const all = does(text).join("; ");
    return [all.includes("token importance weights"), /masked when/.test(all)];
  };

  it("is nothing where the batch has no rollout log-probs", () => {
    expect(does(logProbs("false") + both())).toEqual(NOTHING);
    expect(words(logProbs("true") + both())).toEqual([true, true]);
  });

  it("is the rejection where PPO's clip is taken against the rollout", () => {
    expect(words(both("bypass_mode: true"))).toEqual([false, true]);
    expect(words(both("bypass_mode: true", "loss_type: ppo_clip"))).toEqual([false, true]);
    expect(words(both("bypass_mode: true", "loss_type: reinforce"))).toEqual([true, true]);
    expect(words(both("bypass_mode: false"))).toEqual([true, true]);
  });

  it("begins with the dataclass's sequence weights in a call, and with none in YAML", () => {
    const level = (text: string, file: string): unknown =>
      lintTold(text, "verl", file).settings.find(({ name }) => name === "rollout_is")?.value;
    expect(level("RolloutCorrectionConfig(bypass_mode=False)", "a.py")).toBe("sequence");
    expect(level(corr("bypass_mode: false"), "a.yaml")).toBeNull();
  });
});
