import type { Command } from "commander";
import type { ReportOptions } from "../commands/print-report.ts";
import { addForceOption } from "../force-option.ts";
import {
  addFilterOption,
  addInputOptions,
  addPlaceOptions,
  type PlaceOptions,
  refuseStrayParts,
} from "../input-options.ts";
import { FULL, TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const report: Verb<[paths: string[]], ReportOptions & PlaceOptions> = {
  name: "report",
  summary: "how far apart two policies are, and is that normal",
  description: "how far apart the rollout and trainer policies are, where, and whether that is normal",
  arguments: [
    {
      syntax: "<path...>",
      meaning:
        "files, directories or addresses (s3://, gs://, hf://, https://) of what a trainer wrote; - for standard input (JSONL)",
    },
  ],
  examples: [
    {
      line: "logratio report dumps/",
      shows: "a directory that a trainer wrote: every step and rank in it",
    },
    { line: "logratio report dumps/ --html report.html", shows: "the same as a page" },
    {
      line: "logratio report dumps/ --parity verl",
      shows: "also what verl itself would have logged",
    },
    {
      line: "logratio report dumps/ --filter 'turn:3 correct:no'",
      shows: "the fourth turn of wrong responses alone",
    },
    { line: "logratio report a.json b.json", shows: "two files that scored the same tokens" },
    {
      line: "logratio report my.parquet --rollout lp_vllm --trainer lp_fsdp --mask loss_mask",
      shows: "columns by name; with only one of them, that policy alone",
    },
    {
      line: "logratio report s3://bucket/run/ --on ray://head:10001",
      shows: "on a Ray cluster with Python and logratio[ray]",
    },
    {
      line: "zcat big.jsonl.gz | logratio report - --json",
      shows: "from standard input, as one JSON object",
    },
  ],
  addOptions: (command) => addPlaceOptions(addReportOptions(addInputOptions(command))),
  async run([paths], options, terminal) {
    if (options.on !== undefined) {
      const { reportOnRay } = await import("../commands/report-on-ray.ts");
      return reportOnRay(paths, { ...options, on: options.on }, terminal);
    }
    refuseStrayParts(options);
    const { report } = await import("../commands/report.ts");
    const { withFound } = await import("../commands/default-tokenizer.ts");
    return report(paths, await withFound(paths, options), terminal);
  },
};

/** Flags of a report, wherever its run comes from. */
export function addReportOptions(command: Command): Command {
  return addForceOption(addFilterOption(command))
    .option("--tokenizer <dir>", `${TOKENIZER}, for texts; needed by --filter with token: or is:`)
    .option("--json", "print the whole report as JSON")
    .option("--markdown", "print a short Markdown report to paste into an issue")
    .option("--html <file>", "also write one self-contained page with pictures")
    .option(
      "--parity <trainers>",
      "also print what these trainers log, with their keys and quirks: verl,xtuner",
    )
    .option("--explain", "also print how each file was read: found, guessed, missing")
    .option("--brief", "print only the first screen")
    .option(...FULL)
    .option("--threads <n>", "threads for large input (default: 1 on one or two processors, else up to 4)");
}
