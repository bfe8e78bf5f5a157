import type { Command } from "commander";
import type { DivergenceCommandOptions } from "../commands/divergence.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions, addPlaceOptions } from "../input-options.ts";
import { RUN_OR_PARTS } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const divergence: Verb<[paths: string[]], DivergenceCommandOptions> = {
  name: "divergence",
  summary: "log the tokens that differ most, with context",
  description: "log the tokens whose two probabilities differ most, with their context",
  arguments: [RUN_OR_PARTS],
  examples: [
    {
      line: "logratio divergence dumps/ --tokenizer model/ --out log.jsonl",
      shows: "the most divergent tokens, in context",
    },
    {
      line: "logratio divergence dumps/ --threshold 0.5 --top-k 20 --out 'logs/{iteration}.jsonl'",
      shows: "more tokens, one file for each step",
    },
  ],
  addOptions: (command) =>
    addTokenOptions(addPlaceOptions(addForceOption(addFilterOption(addInputOptions(command)))))
      .option("--threshold <p>", "log a step when its largest |Δp| is at least this (default 0.8)")
      .option("--prompt-chars <n>", "characters of the prompt to keep, or all (default 200)")
      .option("--response-chars <n>", "characters of the response to keep, or all (default 200)")
      .option("--tokenizer <dir>", "the model's directory with its tokenizer.json")
      .option(
        "--out <file>",
        "append the records as JSONL; {iteration} and {date} in the name are filled in; - for stdout",
      )
      .option("--lean", "write only the guide's fields, without unknown ones")
      .option("--rotate <when>", "start a new file for each iteration or date")
      .option("--rotate-size <size>", "start a new file before one grows beyond this size: 10MB")
      .option("--iteration <n>", "iteration to record where the step is unknown")
      .option("--json", "print settings, counts, metrics per step and, without --out, the records as JSON"),
  async run([paths], options, terminal) {
    const { divergence } = await import("../commands/divergence.ts");
    const { withTokenizer } = await import("../commands/default-tokenizer.ts");
    // On a cluster the dumps may be where this machine cannot see them.
    const given = options.on === undefined ? await withTokenizer(paths, options) : options;
    return divergence(paths, given, terminal);
  },
};

/** Which tokens of a run are kept. */
export function addTokenOptions(command: Command): Command {
  return command
    .option("--top-k <n>", "tokens to log per step (default 5)")
    .option("--context <n>", "tokens of context on either side (default 5)")
    .option("--every <n>", "log only every nth step");
}
