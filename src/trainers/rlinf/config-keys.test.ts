import { checkDialect } from "../configs/table.test-data.ts";

const yaml = (...lines: string[]): string => `algorithm:\n${lines.map((line) => `  ${line}\n`).join("")}`;
const FIX = "importance_sampling_fix: True";

checkDialect("rlinf", {
  says: [
    ["a.yaml", yaml(FIX, "importance_sampling_clip: 2.0"), "no refused", "no not-switched-on"],
    ["a.yaml", yaml(FIX), ["error refused@2 → algorithm.importance_sampling_clip: 2.0", /no default$/]],
    [
      "a.yaml",
      yaml(FIX, "importance_sampling_clip: 2.0", "recompute_logprobs: False"),
      ["note overridden@4", /switches it on$/],
      "no refused",
    ],
    [
      "a.yaml",
      `${yaml(FIX, "importance_sampling_clip: 2.0", "recompute_logprobs: False")}rollout:\n  return_logprobs: False\n`,
      "error refused@4 → algorithm.recompute_logprobs: True",
    ],
    [
      "a.yaml",
      yaml("importance_sampling_clip: 2.0"),
      ["error not-switched-on@2 → algorithm.importance_sampling_fix: True", /is False, the default$/],
    ],
    [
      "a.yaml",
      yaml("loss_type: decoupled_actor_critic", "behave_weight_threshold: 2.0"),
      ["warning raw-weights@3", /caps nothing/],
      "no not-switched-on",
    ],
    [
      "a.yaml",
      yaml("loss_type: actor", "behave_weight_threshold: 2.0"),
      "error not-switched-on@3 → loss_type: decoupled_actor_critic",
    ],
  ],
  marks: [
    [
      ["algorithm.adv_type", "algorithm.group_size", "runner.task_type", "actor.training_backend"],
      ["a.algorithm.adv_type", "algorithm.adv_types", "runner.other"],
    ],
  ],
  texts: ["runner.task_type", ["rlinf", "import rlinf"], ["rlinfo", "rl inf"]],
});
