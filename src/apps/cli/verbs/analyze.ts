import type { AnalyzeOptions } from "../commands/analyze.ts";
import { addForceOption } from "../force-option.ts";
import { addMemoryOption } from "../input-options.ts";
import type { Verb } from "./verb.ts";

export const analyze: Verb<[paths: string[]], AnalyzeOptions> = {
  name: "analyze",
  summary: "statistics of such logs: correctness, digits, tests",
  description: "analyze logs of high-divergence tokens: correctness, digits, tests, scenarios",
  arguments: [
    {
      syntax: "<path...>",
      meaning: "divergence logs (JSONL, also .gz and .zst) or directories of them; - for standard input",
    },
  ],
  examples: [
    { line: "logratio analyze log.jsonl", shows: "every analysis of that log, on one page" },
    { line: "logratio analyze logs/ --html page.html", shows: "a directory of logs, with pictures" },
    {
      line: 'logratio analyze log.jsonl --where "is_correct and prob_divergence > 0.9"',
      shows: "only these records",
    },
  ],
  addOptions: (command) =>
    addForceOption(addMemoryOption(command))
      .option("--where <expression>", 'only these records: "is_correct and prob_divergence > 0.9" (SQL)')
      .option(
        "--accuracy <share>",
        "share of all responses that are correct, if the log does not record it: 0.62",
      )
      .option("--top <n>", "tokens in each list (default 10)")
      .option("--json", "print everything as JSON")
      .option("--markdown", "print Markdown to paste into an issue")
      .option("--html <file>", "also write one self-contained page with pictures"),
  async run([paths], options, terminal) {
    const { analyze } = await import("../commands/analyze.ts");
    return analyze(paths, options, terminal);
  },
};
