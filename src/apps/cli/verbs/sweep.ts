import type { Command } from "commander";
import { collect } from "../collect.ts";
import type { SweepOptions } from "../commands/sweep.ts";
import { addFilterOption, addInputOptions, addPlaceOptions } from "../input-options.ts";
import { FULL, RUN_OR_PARTS, TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const sweep: Verb<[paths: string[]], SweepOptions> = {
  name: "sweep",
  summary: "which correction suits this run, as a config",
  description: "compare what each correction would do to this run, and print the best one as a config",
  arguments: [RUN_OR_PARTS],
  examples: [
    {
      line: "logratio sweep dumps/",
      shows: "which correction, with which threshold, and its config",
    },
    { line: "logratio sweep dumps/ --for verl,xtuner", shows: "the config for these trainers only" },
    {
      line: "logratio sweep dumps/ --setting 'verl:rollout_is=token,rollout_is_threshold=2'",
      shows: "your own settings, next to the grid",
    },
  ],
  plainLoops: true,
  addOptions: (command) =>
    addGridOptions(addPlaceOptions(addFilterOption(addInputOptions(command))))
      .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
      .option("--json", "print every correction with all its figures as JSON")
      .option("--markdown", "print the table as Markdown to paste into an issue")
      .option("--choose <name>", "print the config of this correction instead of the recommended one")
      .option("--for <presets>", "print the config for these trainers only: verl,xtuner")
      .option("--top <n>", "rows to show (default: the Pareto front and the trainers' defaults)")
      .option("--all", "show every correction")
      .option(...FULL),
  async run([paths], options, terminal) {
    const { sweep } = await import("../commands/sweep.ts");
    const { withFound } = await import("../commands/default-tokenizer.ts");
    return sweep(paths, await withFound(paths, options), terminal);
  },
};

/** Which corrections to try. */
export function addGridOptions(command: Command): Command {
  return command
    .option("--methods <names>", "try only these methods of the grid: token-tis,icepop,geo-rs")
    .option("--preset <name>", "also try a trainer's correction, with the settings of --set")
    .option("--set <key=value>", "a setting of --preset; repeatable", collect)
    .option(
      "--setting <preset:key=value,...>",
      "also try these settings of a trainer: 'verl:rollout_is=token,rollout_is_threshold=2'; repeatable",
      collect,
    )
    .option(
      "--correction <text>",
      "also try this correction, as sweep, correct and the page's address write it: 'weight:token truncate:..2'; repeatable",
      collect,
    );
}
