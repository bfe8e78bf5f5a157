import type { MergeOptions } from "../commands/merge.ts";
import { addForceOption } from "../force-option.ts";
import { addMemoryOption } from "../input-options.ts";
import { FULL } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const merge: Verb<[parts: string[]], MergeOptions> = {
  name: "merge",
  summary: "such files into the report of all shards",
  description:
    "turn parts of summarize into the report of all their shards, or into one part; doctor, sweep, divergence and kl also read parts",
  arguments: [
    { syntax: "<part...>", meaning: ".lrs files, and directories of them; addresses as in report" },
  ],
  examples: [
    { line: "logratio merge parts/ --html report.html", shows: "the report, and the same as a page" },
    {
      line: "logratio merge a.lrs b.lrs --json",
      shows: "what logratio report --json of their shards prints",
    },
    { line: "logratio merge parts/rank0* --out rank0.lrs", shows: "several parts as one" },
  ],
  addOptions: (command) =>
    addForceOption(addMemoryOption(command))
      .option("--json", "print the whole report as JSON")
      .option("--markdown", "print a short Markdown report to paste into an issue")
      .option("--html <file>", "also write one self-contained page with pictures")
      .option("--out <part>", "write one part instead of a report")
      .option("--for <verb>", "with --out: the verb whose parts to merge, if there are parts for several")
      .option("--parity <trainers>", "also print what these trainers log: verl,xtuner")
      .option("--logged <path>", "also compare with what a logger wrote: a file, or a directory of them")
      .option("--brief", "print only the first screen")
      .option(...FULL),
  async run([parts], options, terminal) {
    const { merge } = await import("../commands/merge.ts");
    return merge(parts, options, terminal);
  },
};
