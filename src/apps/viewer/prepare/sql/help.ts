import { formatCount } from "../../../../core/text/index.ts";
import type { SqlTables } from "../../../../results/sql.ts";
import type { RunInfo } from "../../../../results/view.ts";
import { MEMORY_LIMIT, MOST_ROWS, TIME_LIMIT_SECONDS } from "./limits.ts";
import { describeTables } from "./tables.ts";

interface Example {
  readonly title: string;
  readonly sql: string;
  /** What the run must have: its columns are there without, but are NULL in every row. */
  readonly needs: readonly (keyof RunInfo["has"])[];
}

const EXAMPLES: readonly Example[] = [
  {
    title: "the most divergent tokens",
    needs: [],
    sql: "SELECT handle, text, delta, rollout_logprob, trainer_logprob, token_id\nFROM tokens WHERE own\nORDER BY abs(delta) DESC LIMIT 20",
  },
  {
    title: "mismatch by step and correctness",
    needs: ["correctness"],
    sql: "SELECT step, correct, count(*) AS sequences, sum(own_tokens) AS own_tokens,\n  sum(delta_abs_mean * own_tokens) / sum(own_tokens) AS mean_abs_delta\nFROM sequences GROUP BY ALL ORDER BY ALL",
  },
  {
    title: "groups whose answers are all wrong",
    needs: ["groups", "correctness"],
    sql: "SELECT group_id, count(*) AS samples, min(handle) AS handle, max(delta_abs_max) AS worst\nFROM sequences GROUP BY group_id\nHAVING bool_and(NOT correct) ORDER BY worst DESC",
  },
  {
    title: "|Δ| by token class and turn",
    needs: ["texts"],
    sql: "SELECT class, turn, count(*) AS tokens, avg(abs(delta)) AS mean_abs_delta,\n  quantile_cont(abs(delta), 0.99) AS p99\nFROM tokens WHERE own GROUP BY ALL ORDER BY p99 DESC",
  },
];

/** The tables, some queries to begin with, and the limits. */
export function sqlHelp(info: Pick<RunInfo, "has">): SqlTables {
  return {
    tables: describeTables(info),
    examples: EXAMPLES.filter(({ needs }) => needs.every((need) => info.has[need])).map(({ title, sql }) => ({
      title,
      sql,
    })),
    limits: `One query in DuckDB's SQL that only reads: SELECT, FROM, WITH or DESCRIBE. At most ${formatCount(MOST_ROWS)} rows are shown; a query has ${MEMORY_LIMIT / 2 ** 20} MiB of memory and is stopped after ${TIME_LIMIT_SECONDS} s. It can read these tables only: no files, no network, no extensions.`,
  };
}
