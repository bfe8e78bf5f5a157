import { CHECKPOINT_FLAGS } from "../../../study/flags.ts";
import type { DoctorOptions } from "../commands/doctor.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions, addPlaceOptions } from "../input-options.ts";
import { addStudyFlags } from "../study-flags.ts";
import { FULL, RUN_OR_PARTS, TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const doctor: Verb<[paths: string[]], DoctorOptions> = {
  name: "doctor",
  summary: "what causes the mismatch, how sure, what to do",
  description: "what causes the mismatch, how sure the diagnosis is, and what to do about it",
  arguments: [RUN_OR_PARTS],
  examples: [
    {
      line: "logratio doctor dumps/",
      shows: "the most likely causes with evidence, the fix, the next experiment",
    },
    { line: "logratio doctor dumps/ --html doctor.html", shows: "the same as a page, with pictures" },
    { line: "logratio doctor dumps/ --for slime", shows: "fixes as slime's own flags" },
    {
      line: "logratio doctor dumps/ --rescore prefill_logprobs",
      shows: "with the engine's prefill as a third column: decode or trainer?",
    },
    {
      line: "logratio doctor dumps/ --float32 fp32_scores",
      shows: "with a float32 column of the same weights: whose error is the gap?",
    },
    {
      line: "logratio doctor dumps/ --checkpoints sft=onnx:ckpt/sft --checkpoints dpo=onnx:ckpt/dpo",
      shows: "which of these the engine really used, and which the trainer",
    },
  ],
  plainLoops: true,
  addOptions: (command) =>
    addStudyFlags(
      addPlaceOptions(addForceOption(addFilterOption(addInputOptions(command)))),
      CHECKPOINT_FLAGS,
    )
      .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
      .option(
        "--for <trainer>",
        "whose flags to print first (default: those of the trainer that wrote the files)",
      )
      .option("--json", "print the whole diagnosis as JSON")
      .option("--markdown", "print the diagnosis as Markdown to paste into an issue")
      .option("--html <file>", "also write one self-contained page with pictures")
      .option("--explain", "also print how each file was read: found, guessed, missing")
      .option(...FULL),
  async run([paths], options, terminal) {
    const { doctor } = await import("../commands/doctor.ts");
    const { withFound } = await import("../commands/default-tokenizer.ts");
    return doctor(paths, await withFound(paths, options), terminal);
  },
};
