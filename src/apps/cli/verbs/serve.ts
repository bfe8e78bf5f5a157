import { collect } from "../collect.ts";
import type { ServeCommandOptions } from "../commands/serve.ts";
import type { Verb } from "./verb.ts";

export const serve: Verb<[directory: string], ServeCommandOptions> = {
  name: "serve",
  summary: "take batches from recorders over HTTP, and show every run while it goes",
  arguments: [{ syntax: "<directory>", meaning: "where the runs are kept, a folder each; made if need be" }],
  examples: [
    {
      line: "logratio serve runs/",
      shows: "recorders: logratio.init(url=…)",
      everyday: true,
    },
    {
      line: "logratio serve runs/ --host 0.0.0.0",
      shows: "from other machines, with the token in $LOGRATIO_TOKEN",
    },
    { line: "logratio serve runs/ --alerts rules.yaml", shows: "tells people when a run goes wrong" },
    { line: "logratio serve runs/ --keep-days 30", shows: "removes runs that got nothing for 30 days" },
  ],
  addOptions: (command) =>
    command
      .option("--port <n>", "port to listen on (default 8270, or the next free one)")
      .option("--host <address>", "address to listen on (default 127.0.0.1)")
      .option("--allow-host <name>", "name of a proxy in front of it; repeatable", collect)
      .option(
        "--alerts <file>",
        "rules of alerts for every run that is written to: terminal, webhooks, commands",
      )
      .option("--tokenizer <dir>", "tokenizer of the viewers: a directory with tokenizer.json")
      .option("--keep-days <n>", "remove runs that got no batch for so many days")
      .option("--keep-size <size>", "remove the oldest runs when all together are larger: 500GB, 2TB")
      .option("--gather <seconds>", "gather batches for so long into one file of the record (default 1)")
      .option("--max-batch <size>", "largest batch (default 256MB)")
      .option("--buffer <size>", "batches that are received at once, together (default 512MB)"),
  async run([directory], options, terminal) {
    const { serve } = await import("../commands/serve.ts");
    return serve(directory, options, terminal);
  },
};
