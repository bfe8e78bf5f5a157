import type { SqlOptions } from "../commands/sql.ts";
import { addMemoryOption } from "../input-options.ts";
import type { Verb } from "./verb.ts";

export const sql: Verb<[query: string, files: string[]], SqlOptions> = {
  name: "sql",
  summary: "on files",
  description:
    "run one SQL query over JSONL, Parquet and CSV files; each is a table named after its file, the first also t",
  arguments: [
    {
      syntax: "<query>",
      meaning: 'for instance: "select iteration, count(*) from t group by 1 order by 1"',
    },
    { syntax: "<file...>", meaning: "files; - for JSONL on standard input" },
  ],
  examples: [
    {
      line: 'logratio sql "select iteration, count(*) from t group by 1 order by 1" log.jsonl',
      shows: "records per step",
    },
    {
      line: 'logratio sql "select * from t limit 3" run.parquet --csv',
      shows: "three rows for a spreadsheet",
    },
  ],
  addOptions: (command) =>
    addMemoryOption(command)
      .option("--json", "print columns and rows as JSON")
      .option("--csv", "print rows as CSV; text that a spreadsheet would run is prefixed with an apostrophe")
      .option("--timeout <seconds>", "query time limit in seconds, 0 for none (default 300)"),
  async run([query, files], options, terminal) {
    const { sql } = await import("../commands/sql.ts");
    return sql(query, files, options, terminal);
  },
};
