/**
 * Which values of a log depend on each other: tokens of one response, responses to one prompt.
 *
 * @module
 */
import type { ClusterKind } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";
import { HAS_SEQUENCE } from "./groups.ts";

/** A prompt within an iteration. */
const PROMPT = "'p' || CAST(prompt_key AS VARCHAR) || ' ' || coalesce(CAST(iteration AS VARCHAR), '')";
const RESPONSE = `CASE WHEN ${HAS_SEQUENCE} THEN 'r' || log_file || ' ' || CAST(iteration AS VARCHAR) || ' ' || CAST(batch_idx AS VARCHAR) || ' ' || coalesce(CAST(response_key AS VARCHAR), '') END`;
/** A number for each cluster, up to 2^53; null where the log names neither prompt nor response. */
const CLUSTER = `CAST(hash(coalesce(${PROMPT}, ${RESPONSE})) % 9007199254740881 AS DOUBLE)`;
const IS_KNOWN = `(prompt_key IS NOT NULL OR (${HAS_SEQUENCE}))`;

export interface ClusteredValues {
  readonly by: ClusterKind;
  readonly values: Float64Array;
  /** 1 for values in the first group. */
  readonly first: Float64Array;
  readonly clusters: Float64Array;
}

/**
 * Values with their clusters, in the order of the log; undefined if a selected record belongs to no known cluster.
 *
 * @param value SQL over `tokens`; an aggregate where `each` is a response
 * @param where SQL: which records to select
 * @param first SQL: whether a record is in the first group
 */
export async function clusteredValues(
  database: Database,
  { value, where, first }: { readonly value: string; readonly where: string; readonly first: string },
  each: "token" | { readonly key: string } = "token",
): Promise<ClusteredValues | undefined> {
  const { n, known, prompts } = await database.row<Record<"n" | "known" | "prompts", number>>(
    `SELECT count(*) AS n, count(*) FILTER (WHERE ${IS_KNOWN}) AS known, count(prompt_key) AS prompts
     FROM tokens WHERE ${where}`,
  );
  if (n === 0 || known < n) return undefined;
  const select = (column: string): string =>
    each === "token"
      ? `SELECT ${column} FROM tokens WHERE ${where} ORDER BY log_row`
      : `SELECT ${column} FROM tokens WHERE ${where} GROUP BY ${each.key} ORDER BY min(log_row)`;
  const one = (column: string): string => (each === "token" ? column : `arg_min(${column}, log_row)`);
  return {
    by: prompts === n ? "prompt" : "response",
    values: await database.numbers(select(`CAST(${value} AS DOUBLE)`)),
    first: await database.numbers(select(one(`CAST(${first} AS DOUBLE)`))),
    clusters: await database.numbers(select(one(CLUSTER))),
  };
}
