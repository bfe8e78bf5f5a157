import { Option } from "commander";
import { EVENT_RANKS } from "../../../results/events.ts";
import { TOKEN_METRIC_NAMES } from "../../../results/metrics/token-metrics.ts";
import type { ShowOptions } from "../commands/show.ts";
import { addInputOptions } from "../input-options.ts";
import { TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const show: Verb<[paths: string[]], ShowOptions> = {
  name: "show",
  summary: "one sequence or token in color, in the terminal",
  description: "print one sequence in color, token by token, or everything about one token",
  usage: "<path...> <handle> [options]",
  arguments: [
    {
      syntax: "<path...>",
      meaning: "same as report, then a handle such as s12.r3.q41.t880, or worst",
    },
  ],
  examples: [
    {
      line: "logratio show dumps/ s12.r3.q41",
      shows: "one sequence, token by token, in the terminal",
    },
    {
      line: "logratio show dumps/ s12.r3.q41 --tokenizer model/",
      shows: "the same with the texts of its tokens",
    },
    {
      line: "logratio show dumps/ s12.q41.t880",
      shows: "token 880: both policies' values and alternatives",
    },
    { line: "logratio show dumps/ worst", shows: "the mistakes of the run that count most, and the first" },
    {
      line: "logratio show dumps/ q41 --metric entropy --all | less -R",
      shows: "every token, colored by entropy",
    },
  ],
  plainLoops: true,
  addOptions: (command) =>
    addInputOptions(command)
      .option("--tokenizer <dir>", TOKENIZER)
      .addOption(
        new Option("--metric <name>", "metric to color by (default delta)").choices(TOKEN_METRIC_NAMES),
      )
      .addOption(
        new Option(
          "--by <what>",
          "rank the mistakes of worst by what reaches the gradient (default, where advantages are known) or raw",
        ).choices(EVENT_RANKS),
      )
      .option(
        "--scale <x>",
        "value at which the color scale ends (default depends on the metric, 1 nat for delta)",
      )
      .option(
        "--context <n>",
        "tokens shown on either side of the token, or of the worst tokens (default 20, 40)",
      )
      .option("--all", "show every token, without folding")
      .option("--json", "print everything as JSON")
      .option("--markdown", "print as Markdown to paste into an issue"),
  async run([paths], options, terminal) {
    const { show } = await import("../commands/show.ts");
    const { withTokenizer } = await import("../commands/default-tokenizer.ts");
    return show(paths, await withTokenizer(paths, options), terminal);
  },
};
