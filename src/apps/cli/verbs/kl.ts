import type { Command } from "commander";
import { collect } from "../collect.ts";
import type { KlCommandOptions } from "../commands/kl.ts";
import { addPlaceOptions } from "../input-options.ts";
import { addOutcomesOption, addStudyFlags } from "../study-flags.ts";
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
  addOptions: (command) =>
    addPlaceOptions(addJudgingOptions(addStudyFlags(command)))
      .option(
        "--stage <name=from..to>",
        "a named stage of training, as a range of steps; repeatable",
        collect,
      )
      .option("--alpha <level>", "significance level after correction for multiple tests (default 0.05)")
      .option("--bootstrap <n>", "bootstrap replicates for intervals (default 2000)")
      .option("--cases <n>", "number of case studies (default 6)")
      .option("--json", "print the whole report as JSON")
      .option("--markdown", "print Markdown to paste into an issue")
      .option("--html <file>", "also write one self-contained page with pictures")
      .option(...FULL)
      .option("--figures <dir>", "also write the figures into this directory")
      .option("--figure-format <name>", "svg (default), png or pdf for --figures; repeatable", collect)
      .option("--figure-dpi <n>", "pixels per inch of figures as PNG (default 300)"),
  async run([paths], options, terminal) {
    const { kl } = await import("../commands/kl.ts");
    return kl(paths, options, terminal);
  },
};

/** How the tokens of scored texts are judged. */
export function addJudgingOptions(command: Command): Command {
  return addOutcomesOption(command)
    .option(
      "--spikes <method>",
      "spike detection: zscore (default), percentile or adaptive; with all (all, or adaptive,all), kl also lists " +
        "every spike of every text and checkpoint",
    )
    .option("--spike-threshold <z>", "standard deviations above the mean that make a spike (default 2)")
    .option("--spike-distance <n>", "minimum distance between spikes in tokens (default 3)")
    .option("--spike-percentile <p>", "percentile for --spikes percentile (default 95)")
    .option("--parity <name>", "also compute with rl-probe's alignment and counts, and show the difference")
    .option(
      "--floor <logprob>",
      "lower bound on any token's log-prob; makes the bounds from top-k lists finite",
    );
}
