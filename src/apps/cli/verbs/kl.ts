import { FIGURE_FLAGS, REPORT_FLAGS } from "../../../study/flags.ts";
import type { KlCommandOptions } from "../commands/kl.ts";
import { addPlaceOptions } from "../input-options.ts";
import { addJudgingOptions, addScoringOptions, addStudyFlags } from "../study-flags.ts";
import { FULL } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const kl: Verb<[paths: string[]], KlCommandOptions> = {
  name: "kl",
  summary: "what training changed, token by token",
  description: "what training changed: token-level KL between checkpoints on the same text",
  arguments: [
    {
      syntax: "[path...]",
      meaning:
        "a study's YAML or directory, saved logits (.npz, .safetensors), or same as score; several studies of the same " +
        "policies, or the parts that summarize --for kl made of them",
    },
  ],
  examples: [
    {
      line: "logratio kl texts.jsonl --policy 'onnx:ckpt/*' --reference dpo",
      shows: "what training changed, and at which tokens",
    },
    { line: "logratio kl study.yaml --html study.html", shows: "one config, one page" },
    {
      line: "logratio kl logits.npz --reference dpo --tokenizer model/",
      shows: "logits saved by another program",
    },
    {
      line: "logratio kl study.study --spikes all --json",
      shows: "every spike of every text and checkpoint",
    },
    { line: "logratio kl shard*.study", shows: "several studies as one" },
  ],
  addOptions: (command) => {
    addStudyFlags(addPlaceOptions(addJudgingOptions(addScoringOptions(command))), REPORT_FLAGS)
      .option("--json", "print the whole report as JSON")
      .option("--markdown", "print Markdown to paste into an issue")
      .option("--html <file>", "also write one self-contained page with pictures")
      .option(...FULL)
      .option("--figures <dir>", "also write the figures into this directory");
    return addStudyFlags(command, FIGURE_FLAGS);
  },
  async run([paths], options, terminal) {
    const { kl } = await import("../commands/kl.ts");
    return kl(paths, options, terminal);
  },
};
