import { collect } from "../collect.ts";
import type { GateOptions } from "../commands/gate.ts";
import { addForceOption } from "../force-option.ts";
import { addFilterOption, addInputOptions } from "../input-options.ts";
import { TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const gate: Verb<[paths: string[]], GateOptions> = {
  name: "gate",
  summary: "fail a build when a run leaves a baseline or limit",
  description: "fail a build when a run leaves the corridors of a baseline or breaks a limit",
  arguments: [
    {
      syntax: "<path...>",
      meaning: "same as report, or a file of report --json; with --update each path is one run",
    },
  ],
  examples: [
    {
      line: "logratio gate dumps/ --limit 'delta_abs_mean <= 0.015'",
      shows: "a limit that the whole interval must keep",
    },
    {
      line: "logratio gate runs/* --update --against baseline.yaml",
      shows: "learn corridors from healthy runs, one in each path",
    },
    { line: "logratio gate dumps/ --against baseline.yaml", shows: "check this run against them" },
    {
      line: "logratio gate dumps/ --against baseline.yaml --junit gate.xml --markdown",
      shows: "for a CI server, and a job summary",
    },
    { line: "logratio gate metrics.jsonl --limit 'logged.mismatch_kl < 0.015'", shows: "every logged step" },
  ],
  addOptions: (command) =>
    addForceOption(addFilterOption(addInputOptions(command)))
      .option("--against <file>", "the baseline: a YAML file to keep in your repository")
      .option("--limit <condition>", "condition that must hold, such as 'k3 <= 0.001'; repeatable", collect)
      .option("--update", "learn from the given runs, one in each path, and write the baseline")
      .option("--replace", "with --update: discard the baseline's runs, figures and limits")
      .option(
        "--metrics <names>",
        "with --update: figures to learn, with commas: k3,ess,per_step.k3 (default: the baseline's, else seven)",
      )
      .option("--date <text>", "with --update: date of the runs; now: today (default: none)")
      .option("--alpha <p>", "chance that a healthy run fails, over all checks (default 0.01)")
      .option("--allow-undecidable", "pass if the data are undecided")
      .option("--tokenizer <dir>", `${TOKENIZER}; needed by --filter with token: or is:`)
      .option("--json", "print the result as JSON")
      .option("--markdown", "print the result as Markdown, for a job summary")
      .option("--html <file>", "also write the result as one self-contained page")
      .option("--junit <file>", "also write the checks as a JUnit test report")
      .option(
        "--annotations <form>",
        "github: print workflow commands on standard error; none: do not (default: github on GitHub)",
      ),
  async run([paths], options, terminal) {
    const { gate } = await import("../commands/gate.ts");
    const { withFound } = await import("../commands/default-tokenizer.ts");
    return gate(paths, await withFound(paths, options), terminal);
  },
};
