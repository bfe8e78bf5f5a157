import { collect } from "../collect.ts";
import type { KlCommandOptions } from "../commands/kl.ts";
import { addStudyFlags } from "../study-flags.ts";
import type { Verb } from "./verb.ts";

export const kl: Verb<[paths: string[]], KlCommandOptions> = {
  name: "kl",
  summary: "what training changed: token-level KL between checkpoints on the same text",
  arguments: [
    {
      syntax: "[path...]",
      meaning: "a study's YAML or directory, saved logits (.npz, .safetensors), or whatever `score` takes",
    },
  ],
  examples: [
    {
      line: "logratio kl texts.jsonl --policy 'onnx:ckpt/*' --reference dpo",
      shows: "what training changed, at which tokens",
      everyday: true,
    },
    { line: "logratio kl study.yaml --html study.html", shows: "one config, one page" },
    {
      line: "logratio kl logits.npz --reference dpo --tokenizer model/",
      shows: "logits that another program saved",
    },
  ],
  addOptions: (command) =>
    addStudyFlags(command)
      .option("--outcomes <[name=]file>", "which problems a policy itself solves; repeatable", collect)
      .option("--spikes <method>", "zscore (default), percentile or adaptive")
      .option("--spike-threshold <z>", "standard deviations above the mean (default 2)")
      .option("--spike-distance <n>", "tokens between spikes at least (default 3)")
      .option("--spike-percentile <p>", "with --spikes percentile (default 95)")
      .option("--stage <name=from..to>", "a stage of training by steps; repeatable", collect)
      .option("--parity <name>", "also as rl-probe aligns and counts, with the difference")
      .option(
        "--floor <logprob>",
        "no policy gives a token less; bounds from top-k lists need it to be finite",
      )
      .option("--alpha <level>", "of significance, after correction for many tests (default 0.05)")
      .option("--bootstrap <n>", "replicates of intervals (default 2000)")
      .option("--cases <n>", "case studies (default 6)")
      .option("--json", "the whole report as JSON")
      .option("--markdown", "the report to paste into an issue")
      .option("--html <file>", "also write one self-contained page with pictures"),
  async run([paths], options, terminal) {
    const { kl } = await import("../commands/kl.ts");
    return kl(paths, options, terminal);
  },
};
