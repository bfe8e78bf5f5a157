import { collect } from "../collect.ts";
import type { ViewOptions } from "../commands/view.ts";
import { addForceOption } from "../force-option.ts";
import { addInputOptions } from "../input-options.ts";
import { TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const view: Verb<[paths: string[]], ViewOptions> = {
  name: "view",
  summary: "the run token by token, as a local web page",
  description: "browse the run token by token: a local web page",
  arguments: [{ syntax: "<path...>", meaning: "same as report, or a study directory (kl)" }],
  examples: [
    {
      line: "logratio view dumps/ --tokenizer model/",
      shows: "every token, in the browser",
    },
    {
      line: "logratio view texts.study",
      shows: "every text under every checkpoint, in the browser",
    },
    { line: "logratio view dumps/ --follow", shows: "a run that is still being written" },
    {
      line: "logratio view dumps/ --follow --alerts rules.yaml",
      shows: "the same, with alerts when it goes wrong",
    },
    { line: "logratio view dumps/ --compare other/", shows: "next to another run" },
    {
      line: "logratio view dumps/ --correction 'weight:token truncate:..2'",
      shows: "what this correction would do",
    },
    { line: "logratio view bf16/ --compare fp8=fp8/ --compare int4=int4/", shows: "beside two others" },
    { line: "logratio view dumps/ --bundle run.zip", shows: "the page and its data, for any web server" },
  ],
  plainLoops: true,
  addOptions: (command) =>
    addForceOption(addInputOptions(command))
      .option("--tokenizer <dir>", TOKENIZER)
      .option(
        "--truth <column|file>",
        "ground truth for digits: a column of the input, or a file of ids and answers",
      )
      .option(
        "--compare <[name=]path>",
        "another run to compare with; repeatable for its parts, or under other names for more runs",
        collect,
      )
      .option("--compare-tokenizer <dir>", "tokenizer of the --compare run (default: that of --tokenizer)")
      .option(
        "--correction <text>",
        "open the page with this correction, as sweep and correct take it: 'weight:token truncate:..2'",
      )
      .option("--port <n>", "port to listen on (default 8270, or the next free one)")
      .option("--host <address>", "address to listen on (default 127.0.0.1)")
      .option("--no-token", "let every user of this machine open the page, without a token in the address")
      .option("--no-open", "do not open a browser")
      .option("--embed", "for a frame in another page, such as a notebook; exits when standard input ends")
      .option("--follow", "pick up new steps as they are written")
      .option("--alerts <file>", "with --follow: alert rules, for webhooks and commands (docs/alerts.md)")
      .option("--redact <what>", "text: send token ids only, no text")
      .option("--cache <dir>", "cache directory (default: .logratio next to the data)")
      .option("--bundle <path>", "write the page and its data for any web server, as a .zip or a directory"),
  async run([paths], options, terminal) {
    const { view } = await import("../commands/view.ts");
    const { withTokenizer } = await import("../commands/default-tokenizer.ts");
    return view(paths, await withTokenizer(paths, options), terminal);
  },
};
