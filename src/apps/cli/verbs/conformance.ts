import type { ConformanceOptions } from "../commands/conformance.ts";
import type { Verb } from "./verb.ts";

export const conformance: Verb<[directory: string], ConformanceOptions> = {
  name: "conformance",
  summary: "tests",
  description: "run golden cases through the library and print one line per case",
  arguments: [{ syntax: "<dir>", meaning: "directory of case files" }],
  examples: [{ line: "logratio conformance cases/ --json", shows: "one JSON object per case" }],
  addOptions: (command) =>
    command.option("--json", "print one JSON object per line: {id, actual} or {id, skipped}"),
  async run([directory], options, terminal) {
    const { conformance } = await import("../commands/conformance.ts");
    return conformance(directory, options, terminal);
  },
};
