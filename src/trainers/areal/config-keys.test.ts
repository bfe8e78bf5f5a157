import { checkDialect } from "../configs/table.test-data.ts";

const OFF = "→ actor.use_decoupled_loss: true";
const SAMPLE = "→ rejection_sampling: {level: token, action: mask, metric: ratio, upper: 5.0}";
const sampling = (...lines: string[]): string =>
  `actor:\n  use_decoupled_loss: true\n  rejection_sampling:\n${lines.map((line) => `    ${line}\n`).join("")}`;

checkDialect("areal", {
  says: [
    // The filter needs the decoupled loss, which is off unless it is written.
    [
      "a.yaml",
      "actor:\n  rejection_sampling:\n    level: token\n",
      [`error not-switched-on@3 ${OFF}`, /not given, and defaults to false$/],
      "no default-surprises",
    ],
    [
      "a.yaml",
      "actor:\n  use_decoupled_loss: false\n  rejection_sampling:\n    level: token\n",
      [`error not-switched-on@4 ${OFF}`, /use_decoupled_loss is false$/],
    ],
    ["a.yaml", "actor:\n  rejection_sampling: null\n", "no not-switched-on", "no default-surprises"],
    [
      "a.sh",
      "p areal.py actor.use_decoupled_loss=$X actor.rejection_sampling.level=token",
      "no not-switched-on",
    ],
    ["a.yaml", sampling("level: token"), "no not-switched-on", "no default-surprises"],
    // Without the filter the decoupled loss does not correct.
    ["a.yaml", "actor:\n  use_decoupled_loss: true\n", `warning default-surprises@2 ${SAMPLE}`],
    [
      "a.yaml",
      "actor:\n  use_decoupled_loss: true\n  rejection_sampling: null\n",
      `warning default-surprises@2 ${SAMPLE}`,
      "no not-switched-on",
    ],
    ["a.yaml", "actor:\n  use_decoupled_loss: false\n", "no default-surprises", "no not-switched-on"],
    // A call says nothing of the actor.
    ["a.py", 'RejectionSamplingConfig(level="token")', "no not-switched-on", "no default-surprises"],
    // Removed keys.
    [
      "a.yaml",
      "actor:\n  behav_imp_weight_cap: 5\n  behave_imp_weight_mode: token_mask\n",
      "error old-name@2 → rejection_sampling: {level: token, action: mask, metric: ratio, upper: …}",
      "error old-name@3 → rejection_sampling with action mask or clamp; disabled is null",
      "no misspelt",
    ],
    [
      "a.yaml",
      "actor:\n  behave_imp_weight_cap: 5\n",
      "error old-name@2 → rejection_sampling: {level: token, action: mask, metric: ratio, upper: …}",
      "no misspelt",
    ],
    // Traps, where they are.
    ["a.yaml", sampling("level: sequence"), "warning geometric@4"],
    [
      "a.yaml",
      sampling("agg: max", "level: token"),
      "no geometric",
      ["note trap@4", /ignored at token level/],
    ],
    ["a.yaml", sampling("action: mask", "level: null"), ["note trap@5", /null switches off/]],
    ["a.yaml", sampling("action: mask", "level: token"), ["note trap", /rs_filtered_fraction/]],
    ["a.yaml", sampling("upper: 5", "metric: kl_k1"), ["note trap@5", /opposite sign/]],
    ["a.yaml", sampling("upper: 5", "lower: null"), "note half-open@5"],
    ["a.yaml", sampling("upper: 5", "lower: 0.5"), "no half-open"],
    // Sampling; 1e8 is AReaL's way to write no top_k.
    ["a.yaml", `gconfig:\n  top_k: 100000000\n${sampling("level: token")}`, "no sampling-filter"],
    [
      "a.yaml",
      `gconfig:\n  top_k: 20\n${sampling("level: token")}`,
      "warning sampling-filter@2 → gconfig.top_k: -1",
    ],
    // Keys that AReaL does not have.
    ["a.yaml", sampling("levels: token"), "error misspelt@4 → actor.rejection_sampling.level"],
    ["a.yaml", sampling("elsewhere: 1"), ["warning unknown-key@4", /^AReaL has no/]],
    ["a.yaml", `${sampling("level: token")}  elsewhere: 1\n`, "no unknown-key"],
  ],
  marks: [
    [
      ["rejection_sampling", "a.rejection_sampling", "a.rejection_sampling.b", "rejection_sampling.b"],
      ["a.my_rejection_sampling.b", "a.rejection_samplings.b"],
    ],
    [
      ["actor.behav_imp_weight_cap", "behave_imp_weight_cap", "a.behave_imp_weight_mode"],
      ["a.behavior_imp_weight_cap", "a.my_behave_imp_weight_cap", "a.behave_imp_weight"],
    ],
    [["a.use_decoupled_loss"], ["a.my_use_decoupled_loss", "a.use_decoupled_losses"]],
    [
      ["prox_logp_method", "a.prox_logp_method"],
      ["my_prox_logp_method", "prox_logp_methods"],
    ],
    [
      ["allocation_mode", "rollout.max_head_offpolicyness"],
      [
        "a.allocation_mode",
        "allocation_modes",
        "rollout.max_head_offpolicyness.a",
        "rollout_max_head_offpolicyness",
      ],
    ],
  ],
  texts: ["allocation_mode", ["areal", "AReaL", "from areal.api"], ["areality", "surreal", "nothing"]],
  known: [["actor", ["recompute_logprob", "prox_logp_method"], "rejection_sampling:\n  level: token\n"]],
});
