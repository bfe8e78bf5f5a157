import { describe, expect, it } from "vitest";
import { FIXTURES, readError } from "../read.test-data.ts";

const TEXT = "holds text only: neither policy's log-probs are in it";

describe("dumps that lack a side say so and how to get both", () => {
  it.each([
    [
      "trl_completions_00005.parquet",
      `TRL's completions table ${TEXT}`,
      "import logratio_trl; logratio_trl.record(trainer)",
    ],
    [
      "verl_rollout_5.jsonl",
      `verl's rollout_data_dir or validation_data_dir ${TEXT}`,
      "calculate_log_probs=True",
    ],
    [
      "xtuner_train_rollout_5.jsonl",
      `xtuner's train_rollout file ${TEXT}`,
      "import logratio_xtuner; logratio_xtuner.save(",
    ],
    ["areal.jsonl", `AReaL's rollout file ${TEXT}`, "rollout_logprobs=rollout"],
    ["areal.jsonl", `AReaL's rollout file ${TEXT}`, "python -m logratio.hooks --trainer areal"],
    ["openrlhf.table.json", `OpenRLHF's table of generated samples ${TEXT}`, "is_correction_enable"],
    [
      "open_instruct.jsonl",
      "open-instruct's rollout file holds the rollout policy's log-probs only: the trainer side is missing",
      "trainer_logprobs=trainer",
    ],
  ])("%s", async (name, message, hint) => {
    const error = await readError(`${FIXTURES}one-sided/${name}`);
    expect([error._tag, error.message]).toEqual(["MissingSideError", message]);
    expect(error.hint).toContain(hint);
    expect(error.at.file).toContain(name);
  });
});
