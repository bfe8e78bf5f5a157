import type { ConvertOptions } from "../commands/convert.ts";
import { addForceOption } from "../force-option.ts";
import { addInputOptions } from "../input-options.ts";
import { RUN_PATHS } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const convert: Verb<[paths: string[]], ConvertOptions> = {
  name: "convert",
  summary: "to Parquet",
  description: "write a run as a Parquet record in logratio's format (docs/formats/record.md)",
  arguments: [RUN_PATHS],
  examples: [
    { line: "logratio convert dumps/ --out run.parquet", shows: "one row per sequence" },
    {
      line: "logratio convert dumps/ --steps 100..200 --out part.parquet",
      shows: "these steps only",
    },
  ],
  addOptions: (command) =>
    addForceOption(addInputOptions(command.requiredOption("--out <file>", "Parquet file to write"))),
  async run([paths], options, terminal) {
    const { convert } = await import("../commands/convert.ts");
    return convert(paths, options, terminal);
  },
};
