import { expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const env = (name: string, value: string): string => `os.environ["UNSLOTH_GRPO_${name}"] = "${value}"\n`;
const call = (args: string): string =>
  `from unsloth import FastLanguageModel\nGRPOConfig(use_vllm=True, ${args})\n`;
const ON = "vllm_importance_sampling_correction=True";
const SWITCH = "→ vllm_importance_sampling_correction=True";

checkDialect("unsloth", {
  says: [
    ["a.py", call(ON), "no not-switched-on", "no refused"],
    [
      "a.py",
      call('vllm_importance_sampling_mode="token_truncate"'),
      [`error not-switched-on@2 ${SWITCH}`, /Unsloth's default \(TRL's is True\)$/],
      "no product-ratio",
    ],
    [
      "a.py",
      call(`${ON}, vllm_importance_sampling_mode="geometric_mask"`),
      ["note trap", /^geometric_mask sets the weight to 0/],
      "no product-ratio",
      "no refused",
    ],
    ["a.py", env("VLLM_IS_MODE", "geometric_mask") + call("beta=0"), `error not-switched-on@1 ${SWITCH}`],
    [
      "a.py",
      env("VLLM_IS_CLIP", "2.0") + call(ON),
      ["error refused@1 → UNSLOTH_GRPO_VLLM_IS_CLIP=_2.0 for an upper bound", /has no _$/],
    ],
    ["a.py", env("VLLM_IS_CLIP", "_2.0") + call(ON), "no refused"],
    [
      "a.py",
      env("ROLLOUT_LOGPROBS_AS_OLD", "1") + call(ON),
      ["warning rollout-as-old@1", /no weight multiplies/],
      "no product-ratio",
    ],
    ["a.py", env("ROLLOUT_LOGPROBS_AS_OLD", "0") + call(ON), "no rollout-as-old"],
    ["a.py", env("TRUNCATED_SUPPORT", "1") + call(ON), ["note truncated-support@1", /the sampler kept/]],
    [
      "a.py",
      env("TRUNCATED_SUPPORT", "0") + call(`${ON}, top_p=0.9`),
      ["warning truncated-support@1 → UNSLOTH_GRPO_TRUNCATED_SUPPORT=1", /whole vocabulary/],
      "no sampling-filter",
    ],
    ["a.py", env("TRUNCATED_SUPPORT", "0") + call(`${ON}, top_p=1.0`), "note truncated-support@1"],
    // By itself, the trainer scores over what was kept.
    ["a.py", call(`${ON}, top_p=0.9`), "no sampling-filter", "no truncated-support"],
    ["a.py", call(`${ON}, repetition_penalty=1.1`), "note sampling-penalty@2 → repetition_penalty: 1"],
    [
      "a.py",
      env("ROLLOUT_RS", "seq_mean_k1") + env("ROLLOUT_RS_THRESHOLD", "2") + call(ON),
      ["note not-simulated", /rejection by seq_mean_k1/],
      "no refused",
    ],
    [
      "a.py",
      env("ROLLOUT_RS", "seq_mean_k1") + call(ON),
      ["error refused@1 → UNSLOTH_GRPO_ROLLOUT_RS_THRESHOLD=…", /^Unsloth stops/],
    ],
  ],
  marks: [],
});

it("variables of the environment override the arguments, of Python as of a shell", () => {
  const python = env("VLLM_IS_MODE", "geometric_truncate") + env("VLLM_IS_CLIP", "0.99_1.01") + call(ON);
  const does = [
    "sequence importance weights, the geometric mean of its ratios on every token of a sequence, truncated below at 0.99 and above at 1.01",
  ];
  expect(lintTold(python, "unsloth", "a.py").does).toEqual(does);
  const shell =
    "export UNSLOTH_GRPO_VLLM_IS_MODE=geometric_truncate\nexport UNSLOTH_GRPO_VLLM_IS_CLIP=0.99_1.01\npython t.py --use_vllm true --vllm_importance_sampling_correction true\n";
  expect(lintTold(shell, "unsloth", "a.sh").does).toEqual(does);
});
