import type { ExportOptions } from "../commands/export.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions } from "../input-options.ts";
import { RUN_PATHS, TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const exportRun: Verb<[paths: string[]], ExportOptions> = {
  name: "export",
  summary: "figures for TensorBoard, W&B or Prometheus",
  description: "write a run's figures per step for TensorBoard, Weights & Biases or Prometheus",
  arguments: [RUN_PATHS],
  examples: [
    { line: "logratio export dumps/ --tensorboard runs/mismatch", shows: "an event file in this directory" },
    { line: "logratio export dumps/ --wandb-jsonl mismatch.jsonl", shows: "one line per step" },
    {
      line: "logratio export dumps/ --prometheus mismatch.prom",
      shows: "the whole run and its last step as gauges",
    },
  ],
  addOptions: (command) =>
    addForceOption(addFilterOption(addInputOptions(command)))
      .option("--tensorboard <dir>", "write an event file into this directory")
      .option("--wandb-jsonl <file>", "write a JSON object per step, with _step")
      .option("--prometheus <file>", "write gauges in Prometheus' text format")
      .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`),
  async run([paths], options, terminal) {
    const { exportFigures } = await import("../commands/export.ts");
    return exportFigures(paths, options, terminal);
  },
};
