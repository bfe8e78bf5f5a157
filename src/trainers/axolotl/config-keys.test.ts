import { expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const yaml = (...lines: string[]): string => `rl: grpo\ntrl:\n${lines.map((line) => `  ${line}\n`).join("")}`;
const MODE = "vllm_importance_sampling_mode: token_truncate";

checkDialect("axolotl", {
  preset: "trl",
  says: [
    ["a.yaml", yaml("use_vllm: true", MODE), "no other-trainer", "no old-name"],
    ["a.yaml", yaml("use_vllm: true", MODE, "async_prefetch: true"), ["warning other-trainer@5", /1 \/ cap/]],
    [
      "a.yaml",
      yaml("use_vllm: true", "vllm_importance_sampling_cap: 2.0"),
      "warning old-name@4 → trl.vllm_importance_sampling_clip_max",
    ],
    [
      "a.yaml",
      yaml("use_vllm: true", "vllm_importance_sampling_mod: token_mask"),
      "error misspelt@4 → trl.vllm_importance_sampling_mode",
    ],
    ["a.yaml", yaml("use_vllm: true", MODE, "top_p: 0.9"), "warning sampling-filter@5 → trl.top_p: 1"],
    ["a.yaml", yaml("use_vllm: true", MODE, "vllm_sync_interval: 2"), "no misspelt"],
  ],
  marks: [
    [
      ["trl.use_vllm", "sequence_len"],
      ["a.trl.use_vllm", "sequence_lens"],
    ],
  ],
});

it("what TRL does is said of Axolotl's keys, with the floor of its own asynchronous trainer", () => {
  const does = (...lines: string[]): readonly string[] => lintTold(yaml(...lines), "axolotl").does;
  const clip = "vllm_importance_sampling_clip_max: 2.0";
  expect(does("use_vllm: true", MODE, clip)).toEqual(["token importance weights, truncated above at 2"]);
  expect(does("use_vllm: true", clip, "use_data_producer: true")).toEqual([
    "token importance weights, truncated below at 0.5 and above at 2",
  ]);
  expect(does(MODE, clip)[0]).toContain("every weight is 1");
});
