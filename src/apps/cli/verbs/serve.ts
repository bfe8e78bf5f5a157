import { collect } from "../collect.ts";
import type { ServeCommandOptions } from "../commands/serve.ts";
import type { Verb } from "./verb.ts";

export const serve: Verb<[directory: string], ServeCommandOptions> = {
  name: "serve",
  summary: "receive batches over HTTP, show runs as they train",
  description: "receive batches from recorders over HTTP, and show every run while it trains",
  arguments: [
    { syntax: "<directory>", meaning: "directory for the runs, a folder each; created if missing" },
  ],
  examples: [
    {
      line: "logratio serve runs/",
      shows: "recorders: logratio.init(url=…)",
    },
    {
      line: "logratio serve runs/ --host 0.0.0.0",
      shows: "from other machines, with the token in $LOGRATIO_TOKEN",
    },
    { line: "logratio serve runs/ --alerts rules.yaml", shows: "send alerts when a run goes wrong" },
    { line: "logratio serve runs/ --keep-days 30", shows: "remove runs without new batches for 30 days" },
  ],
  plainLoops: true,
  addOptions: (command) =>
    command
      .option("--port <n>", "port to listen on (default 8270, or the next free one)")
      .option("--host <address>", "address to listen on (default 127.0.0.1)")
      .option("--allow-host <name>", "name of a proxy in front of the server; repeatable", collect)
      .option(
        "--alerts <file>",
        "alert rules for every run that receives batches: terminal, webhooks, commands",
      )
      .option("--tokenizer <dir>", "tokenizer of the viewers: a directory with tokenizer.json")
      .option("--keep-days <n>", "remove runs without a batch for this many days")
      .option(
        "--keep-size <size>",
        "remove the oldest runs when all runs together exceed this size: 500GB, 2TB",
      )
      .option("--gather <seconds>", "seconds of batches to gather into one file of the record (default 1)")
      .option("--max-batch <size>", "largest batch (default 256MB)")
      .option("--buffer <size>", "memory for batches being received (default 512MB)"),
  async run([directory], options, terminal) {
    const { serve } = await import("../commands/serve.ts");
    return serve(directory, options, terminal);
  },
};
