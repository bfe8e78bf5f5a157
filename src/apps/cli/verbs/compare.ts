import type { CompareOptions } from "../commands/compare.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions } from "../input-options.ts";
import { FULL, TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const compare: Verb<[paths: string[]], CompareOptions> = {
  name: "compare",
  summary: "certify that two policies agree, or where not",
  description:
    "certify that two policies agree (equal, or equivalent within a tolerance), or show where they differ",
  usage: "<a> [b] [options]",
  arguments: [
    {
      syntax: "<path...>",
      meaning:
        "two files or directories, A and B, as report reads them; one alone: its rollout column against its trainer column",
    },
  ],
  examples: [
    {
      line: "logratio compare engine-0.11/ engine-0.12/",
      shows: "two releases that scored the same tokens",
    },
    {
      line: "logratio compare tp4/ tp8/ --column trainer --within 0",
      shows: "the trainer's log-probs, bit for bit",
    },
    { line: "logratio compare dumps/", shows: "rollout against trainer, in one run" },
    {
      line: "logratio compare dumps/ --column rollout,rescore",
      shows: "decode against prefill, if the dump has both",
    },
    {
      line: "logratio compare before/ after/ --html certificate.html --by 'CI run 1234'",
      shows: "a page to attach to a pull request",
    },
    { line: "logratio compare a1.pt a2.pt --to b1.pt b2.pt", shows: "several files for each side" },
  ],
  plainLoops: true,
  addOptions: (command) =>
    addForceOption(addFilterOption(addInputOptions(command)))
      .option("--to <path...>", "files of side B, where A has several")
      .option(
        "--column <name>",
        "column to compare: rollout, trainer or a further policy; A's and B's with a comma (default: all that both have)",
      )
      .option("--within <nats>", "tolerance of mean |Δ|; 0: every bit must be equal (default 0.01)")
      .option("--alpha <p>", "error rate of each one-sided test (default 0.05)")
      .option("--unpaired", "compare two runs by their own mismatch, even if their texts are the same")
      .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
      .option("--json", "print the certificate as JSON")
      .option("--markdown", "print a Markdown certificate to paste into a pull request")
      .option("--html <file>", "also write the certificate as one self-contained page")
      .option(...FULL)
      .option("--by <name>", "who certifies, for the certificate")
      .option(
        "--date <text>",
        "date of the certificate; now: today (default: the day the newest file changed)",
      )
      .option("--no-digests", "leave out the files' SHA-256, which reads each file once more"),
  async run([paths], options, terminal) {
    const { compare } = await import("../commands/compare.ts");
    return compare(paths, options, terminal);
  },
};
