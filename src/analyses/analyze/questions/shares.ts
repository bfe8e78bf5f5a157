/**
 * Shares of the logged tokens, next to what they would be if divergence were unrelated to correctness.
 *
 * @module
 */

import { clusteredDifference, clusteredShare } from "../../../core/statistics/clusters.ts";
import type { LogShares, ShareFigures } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";
import { clusteredValues } from "./clusters.ts";

type Baseline = Pick<ShareFigures, "baseline" | "baseline_from">;

/**
 * @param accuracy share of all responses that are correct, if the user gave it: it overrides the log
 * @param where the filter; if it selects by correctness, there is nothing to compare a share of correct answers with
 */
export async function logShares(
  database: Database,
  accuracy: number | undefined,
  where: string | undefined,
): Promise<LogShares> {
  const chosen = /is_correct|total_score/i.test(where ?? "");
  const baseline = (records: string) =>
    chosen
      ? Promise.resolve({ baseline: null, baseline_from: null })
      : correctBaseline(database, records, accuracy);
  const known = "is_correct IS NOT NULL";
  const digits = `${known} AND is_digit`;
  return {
    correct: await measureShare(database, "is_correct", known, await baseline(known)),
    digits_correct: await measureShare(database, "is_correct", digits, await baseline(digits)),
    correct_digits: await digitShare(database),
  };
}

/** The mean of the log's own field over the records, so each iteration has the weight of its logged tokens. */
async function correctBaseline(
  database: Database,
  records: string,
  accuracy: number | undefined,
): Promise<Baseline> {
  if (accuracy !== undefined) return { baseline: accuracy, baseline_from: "given" };
  const row = await database.row<Record<string, number | null>>(
    `SELECT count(*) AS n, count(iteration_correct_tokens) AS tokens, favg(iteration_correct_tokens) AS tokens_mean,
       count(iteration_accuracy) AS responses, favg(iteration_accuracy) AS responses_mean
     FROM tokens WHERE ${records}`,
  );
  for (const from of ["tokens", "responses"] as const)
    if (row.n !== 0 && row[from] === row.n) return { baseline: row[`${from}_mean`]!, baseline_from: from };
  return { baseline: null, baseline_from: null };
}

async function measureShare(
  database: Database,
  hit: string,
  where: string,
  baseline: Baseline,
): Promise<ShareFigures> {
  const { count, hits } = await database.row<{ count: number; hits: number }>(
    `SELECT count(*) AS count, count(*) FILTER (WHERE ${hit}) AS hits FROM tokens WHERE ${where}`,
  );
  const found = await clusteredValues(database, { value: hit, where, first: hit });
  const plain = { count, share: count === 0 ? null : hits / count, ...baseline };
  if (found === undefined)
    return { ...plain, interval: { low: null, high: null }, by: null, clusters: 0, against_baseline: null };
  const { interval, clusters } = clusteredShare(found.values, found.clusters);
  return { ...plain, interval, by: found.by, clusters, against_baseline: null };
}

/** Digit share of correct answers, next to incorrect ones. */
async function digitShare(database: Database): Promise<ShareFigures> {
  const texts = "is_digit IS NOT NULL AND";
  const own = await measureShare(database, "is_digit", `${texts} is_correct`, {
    baseline: null,
    baseline_from: null,
  });
  const both = await clusteredValues(database, {
    value: "is_digit",
    where: `${texts} is_correct IS NOT NULL`,
    first: "is_correct",
  });
  if (both === undefined || own.count === 0 || own.count === both.values.length) return own;
  const compared = clusteredDifference(both.values, both.first, both.clusters);
  const { low, high } = compared.interval;
  return {
    ...own,
    baseline: compared.meanB,
    baseline_from: "incorrect",
    against_baseline: Number.isNaN(low)
      ? null
      : { low, high, clusters: Math.min(compared.clustersA, compared.clustersB) },
  };
}
