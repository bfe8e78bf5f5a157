import type { DivergenceCommandOptions } from "../commands/divergence.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions } from "../input-options.ts";
import { RUN_PATHS } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const divergence: Verb<[paths: string[]], DivergenceCommandOptions> = {
  name: "divergence",
  summary: "log the tokens whose two probabilities are furthest apart, with their context",
  arguments: [RUN_PATHS],
  examples: [
    {
      line: "logratio divergence dumps/ --tokenizer model/ --out log.jsonl",
      shows: "the tokens furthest apart, in context",
      everyday: true,
    },
    {
      line: "logratio divergence dumps/ --threshold 0.5 --top-k 20 --out 'logs/{iteration}.jsonl'",
      shows: "more of them, a file for each step",
    },
  ],
  addOptions: (command) =>
    addForceOption(addFilterOption(addInputOptions(command)))
      .option("--threshold <p>", "log a step when its largest |Δp| is at least this (default 0.8)")
      .option("--top-k <n>", "tokens to log of such a step (default 5)")
      .option("--context <n>", "tokens of context on either side (default 5)")
      .option("--prompt-chars <n>", "characters of the prompt before ...; all for the whole (default 200)")
      .option("--response-chars <n>", "the same of the response (default 200)")
      .option("--tokenizer <dir>", "the model's directory, with tokenizer.json in it")
      .option(
        "--out <file>",
        "append the records as JSONL; {iteration} and {date} are filled in; - for stdout",
      )
      .option("--rotate <when>", "a new file for each iteration or date")
      .option("--rotate-size <size>", "a new file before one grows beyond this: 10MB")
      .option("--every <n>", "only steps that this divides")
      .option("--iteration <n>", "iteration of sequences whose step is not known")
      .option("--json", "settings, counts, metrics of each step and, without --out, the records as JSON"),
  async run([paths], options, terminal) {
    const { divergence } = await import("../commands/divergence.ts");
    return divergence(paths, options, terminal);
  },
};
