import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { studyFromFlags } from "./scoring-flags.ts";

const KL = '{\n  "kl_analyses": [\n    {"problem_id": "a", "kl_forward": [0.1]}\n  ]\n}';

test("RL-Probe's KL values are refused with the command on its own sources", async () => {
  const dir = temporaryFolder("rl-probe-");
  mkdirSync(join(dir, "configs"));
  mkdirSync(join(dir, "outputs/results"), { recursive: true });
  writeFileSync(join(dir, "configs/config.yaml"), "");
  const file = join(dir, "outputs/results/rlvr_step_500_results.json");
  writeFileSync(file, KL);
  const project = relative(".", dir);
  for (const flags of [{}, { policy: ["dpo=onnx:a", "rlvr=onnx:b"] }])
    await expect(studyFromFlags("score", [file], flags)).rejects.toMatchObject({
      _tag: "UsageError",
      message: `${file} holds KL values that RL-Probe computed for rlvr_step_500, not texts and policies to score`,
      hint: expect.stringContaining(
        `logratio kl ${project}/configs/config.yaml ${project}/data/filtered/filtered_problems.json --use-dpo-responses --checkpoint rlvr_step_500 --parity rl-probe`,
      ),
    });
});

test("KL values in a file of another name and place are recognized, too", async () => {
  const file = join(temporaryFolder("rl-probe-"), "moved.json");
  writeFileSync(file, KL);
  await expect(studyFromFlags("kl", [file], {})).rejects.toMatchObject({
    message: `${file} holds KL values that RL-Probe computed, not texts and policies to score`,
    hint: expect.stringContaining(
      "logratio kl configs/config.yaml data/filtered/filtered_problems.json --use-dpo-responses --parity rl-probe (",
    ),
  });
});

test("files of outcomes are refused with the flag that takes them", async () => {
  const file = join(temporaryFolder("rl-probe-"), "all results.json");
  writeFileSync(file, '{"all_results": {"rlvr_step_100": {"a": true}}}');
  await expect(studyFromFlags("kl", [file], {})).rejects.toMatchObject({
    message: `${file} says which problems are solved, and holds no texts to score`,
    hint: `give it beside the texts: --outcomes '${file}' if it names the policies, else --outcomes NAME='${file}'`,
  });
});
