import type { SummarizeOptions } from "../commands/summarize.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions } from "../input-options.ts";
import { addJudgingOptions } from "../study-flags.ts";
import { addTokenOptions } from "./divergence.ts";
import { TOKENIZER } from "./shared.ts";
import { addGridOptions } from "./sweep.ts";
import type { Verb } from "./verb.ts";

export const summarize: Verb<[paths: string[]], SummarizeOptions> = {
  name: "summarize",
  summary: "shards into small files, on any machine",
  description:
    "summarize shards into files, on any machine, for one merged report (docs/larger-than-one-machine.md)",
  usage: "PATH... --out PART.lrs|DIR [options], or --worker",
  arguments: [
    {
      syntax: "[path...]",
      meaning: "same as report; with --for kl studies, and directories of them; not with --worker",
    },
  ],
  examples: [
    { line: "logratio summarize dumps/step_1*.npz --out a.lrs", shows: "these shards as one part" },
    {
      line: "logratio summarize dumps/ --out parts/",
      shows: "a part for each shard; after a kill, run it again to continue",
    },
    {
      line: "logratio summarize dumps/ --for doctor --out parts/",
      shows: "for logratio doctor parts/",
    },
    {
      line: "logratio summarize shard*.study --for kl --out parts/",
      shows: "studies that logratio score wrote, for logratio kl parts/",
    },
  ],
  addOptions: (command) =>
    addJudgingOptions(
      addTokenOptions(addGridOptions(addForceOption(addFilterOption(addInputOptions(command))))),
    )
      .option("--out <path>", "part to write (.lrs), or a directory for one part per shard")
      .option(
        "--for <verbs>",
        "verbs that the parts are for: report (default), doctor, sweep, divergence, kl; with commas, parts for each",
      )
      .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
      .option("--threads <n>", "threads for large shards (default: 1 on one or two processors, else up to 4)")
      .option("--worker", "answer requests on standard input until it ends, one line of JSON each"),
  async run([paths], options, terminal) {
    const { summarize } = await import("../commands/summarize.ts");
    return summarize(paths, options, terminal);
  },
};
