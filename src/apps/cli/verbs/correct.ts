import { collect } from "../collect.ts";
import type { CorrectOptions } from "../commands/correct.ts";
import { addForceOption } from "../force-option.ts";
import { addInputOptions } from "../input-options.ts";
import type { Verb } from "./verb.ts";

export const correct: Verb<[paths: string[]], CorrectOptions> = {
  name: "correct",
  summary: "apply weights and masks, or check a config",
  description: "apply importance weights and rejection masks, a trainer's or your own, to recorded data",
  arguments: [{ syntax: "[path...]", meaning: "same as report" }],
  examples: [
    {
      line: "logratio correct dumps/ --preset verl --set rollout_is=token",
      shows: "the keys verl would log",
    },
    {
      line: "logratio correct --lint ppo_trainer.yaml",
      shows: "what a trainer's config really does, and its traps",
    },
    { line: "logratio correct --list", shows: "every preset, its settings and defaults" },
    {
      line: "logratio correct dumps/ --preset xtuner --set rollout_is_threshold=2,0.5 --out corrected/",
      shows: "weights and masks as arrays",
    },
    {
      line: "logratio correct dumps/ --correction 'weight:token truncate:..2'",
      shows: "a row of sweep, or the correction in the page's address",
    },
  ],
  plainLoops: true,
  addOptions: (command) =>
    addForceOption(
      addInputOptions(
        command
          .option(
            "--preset <name>",
            "trainer whose correction to apply: verl, xtuner, trl, slime, … (see --list)",
          )
          .option(
            "--set <name=value>",
            "a setting of the preset, under the trainer's own name; repeatable",
            collect,
          )
          .option(
            "--correction <text>",
            "instead of a preset, the correction itself, as sweep and the page's address write it: 'weight:token truncate:..2'",
          )
          .option(
            "--out <path>",
            "write weights and masks to a .parquet, .npz or .safetensors file, or to a directory",
          )
          .option(
            "--format <name>",
            "file format when --out is a directory: npz (default), safetensors, parquet",
          )
          .option("--list", "list the presets; with --preset, list its settings, defaults and bound order")
          .option(
            "--lint <config>",
            "explain what a trainer's config or command line really does, and its traps",
          )
          .option(
            "--trainer-version <release>",
            "with --lint, the trainer's release (0.11.2) or the day of its checkout (2026-09-14), where neither an environment nor a lock file beside the config says it",
          )
          .option("--json", "print the result as JSON"),
      ),
    ),
  async run([paths], options, terminal) {
    const { correct } = await import("../commands/correct.ts");
    return correct(paths, options, terminal);
  },
};
