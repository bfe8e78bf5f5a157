import { collect } from "../collect.ts";
import type { CorrectOptions } from "../commands/correct.ts";
import { addForceOption } from "../force-option.ts";
import { addInputOptions } from "../input-options.ts";
import type { Verb } from "./verb.ts";

export const correct: Verb<[paths: string[]], CorrectOptions> = {
  name: "correct",
  summary: "apply a trainer's importance weights and rejection masks to recorded data",
  arguments: [{ syntax: "[path...]", meaning: "whatever `report` takes" }],
  examples: [
    {
      line: "logratio correct dumps/ --preset verl --set rollout_is=token",
      shows: "the keys verl would log",
      everyday: true,
    },
    {
      line: "logratio correct --lint ppo_trainer.yaml",
      shows: "what a trainer's config really does, and its traps",
      everyday: true,
    },
    { line: "logratio correct --list", shows: "every preset, its settings and defaults" },
    {
      line: "logratio correct dumps/ --preset xtuner --set rollout_is_threshold=2,0.5 --out corrected/",
      shows: "weights and masks as arrays",
    },
  ],
  addOptions: (command) =>
    addForceOption(
      addInputOptions(
        command
          .option("--preset <name>", "whose correction: verl, xtuner, trl, slime, … (--list names all)")
          .option(
            "--set <name=value>",
            "one of its settings, under the trainer's own name (repeatable)",
            collect,
          )
          .option(
            "--out <path>",
            "write weights and masks: a .parquet, .npz or .safetensors file, or a directory",
          )
          .option("--format <name>", "of the files in a directory: npz (default), safetensors, parquet")
          .option("--list", "list the presets; with --preset, its settings, defaults and bound order")
          .option(
            "--lint <config>",
            "instead: what a trainer's config or command line really does, and its traps",
          )
          .option("--json", "the result as JSON"),
      ),
    ),
  async run([paths], options, terminal) {
    const { correct } = await import("../commands/correct.ts");
    return correct(paths, options, terminal);
  },
};
