import { describe, expect, it } from "vitest";
import { FIXTURES, readError } from "../../../input/adapters/read.test-data.ts";

const TEXT = "holds text only: neither policy's log-probs are in it";

describe("dumps that lack a side say so and how to get both", () => {
  it.each([
    [
      "trl_completions_00005.parquet",
      `TRL's completions table ${TEXT}`,
      "trainer.add_callback(logratio.trl.Callback(trainer))",
    ],
    [
      "verl_rollout_5.jsonl",
      `verl's rollout_data_dir or validation_data_dir ${TEXT}`,
      "calculate_log_probs=True",
    ],
    [
      "xtuner_train_rollout_5.jsonl",
      `xtuner's train_rollout file ${TEXT}`,
      "import logratio.xtuner; logratio.xtuner.record(self, ",
    ],
    ["areal.jsonl", `AReaL's rollout file ${TEXT}`, "import logratio.areal; logratio.areal.attach(trainer)"],
    ["openrlhf.table.json", `OpenRLHF's table of generated samples ${TEXT}`, "is_correction_enable"],
    [
      "open_instruct.jsonl",
      "open-instruct's rollout file holds the rollout policy's log-probs only: the trainer side is missing",
      "logratio.open_instruct.wrap(compute_vllm_local_debug_metrics)",
    ],
  ])("%s", async (name, message, hint) => {
    const error = await readError(`${FIXTURES}one-sided/${name}`);
    expect([error._tag, error.message]).toEqual(["MissingSideError", message]);
    expect(error.hint).toContain(hint);
    expect(error.at.file).toContain(name);
  });
});
