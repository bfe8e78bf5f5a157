import { collect } from "../collect.ts";
import type { ViewOptions } from "../commands/view.ts";
import { addForceOption } from "../force-option.ts";
import { addInputOptions } from "../input-options.ts";
import { TOKENIZER } from "./shared.ts";
import type { Verb } from "./verb.ts";

export const view: Verb<[paths: string[]], ViewOptions> = {
  name: "view",
  summary: "see it, token by token: a page in your browser, served by this machine to itself",
  arguments: [
    { syntax: "<path...>", meaning: "whatever `report` takes, or the directory of a study (`kl`)" },
  ],
  examples: [
    {
      line: "logratio view dumps/ --tokenizer model/",
      shows: "every token of it in the browser",
      everyday: true,
    },
    {
      line: "logratio view texts.study",
      shows: "every text of it under every checkpoint, in the browser",
      everyday: true,
    },
    { line: "logratio view dumps/ --follow", shows: "a run that is still being written" },
    { line: "logratio view dumps/ --compare other/", shows: "beside another run" },
    { line: "logratio view dumps/ --bundle run.zip", shows: "the page and its data, for any web server" },
  ],
  addOptions: (command) =>
    addForceOption(addInputOptions(command))
      .option("--tokenizer <dir>", TOKENIZER)
      .option(
        "--truth <column|file>",
        "ground truth for digits: a column of the input, or a file with ids and answers",
      )
      .option(
        "--compare <path>",
        "beside another run: whatever `report` takes; repeatable for its parts",
        collect,
      )
      .option("--compare-tokenizer <dir>", "its tokenizer (default: that of --tokenizer)")
      .option("--port <n>", "where to listen (default: 8270, or the next that is free)")
      .option("--host <address>", "listen there instead of at 127.0.0.1")
      .option("--no-token", "let everybody on this machine read it; otherwise the address has a token")
      .option("--no-open", "do not open a browser")
      .option("--follow", "pick up steps as they are written")
      .option("--redact <what>", "text: no texts, only token ids")
      .option("--cache <dir>", "where to keep what was computed (default: .logratio beside the data)")
      .option(
        "--bundle <path>",
        "instead: the page with all its data for any web server, as a .zip or a directory",
      ),
  async run([paths], options, terminal) {
    const { view } = await import("../commands/view.ts");
    return view(paths, options, terminal);
  },
};
