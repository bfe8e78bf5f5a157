import type { FlipCount, IterationFigures } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";

/** Mean, maximum and count by iteration, in total and for correct and incorrect answers. */
export async function iterationFigures(database: Database): Promise<IterationFigures[]> {
  return database.rows<Record<keyof IterationFigures, never>>(
    `SELECT iteration, count(*) AS count, favg(prob_divergence) AS mean, max(prob_divergence) AS max,
       count(*) FILTER (WHERE is_correct) AS correct_count,
       favg(prob_divergence) FILTER (WHERE is_correct) AS correct_mean,
       count(*) FILTER (WHERE NOT is_correct) AS incorrect_count,
       favg(prob_divergence) FILTER (WHERE NOT is_correct) AS incorrect_mean
     FROM tokens GROUP BY iteration ORDER BY iteration NULLS LAST`,
  );
}

/** How often each kind of disagreement occurs. */
export async function flipCounts(database: Database): Promise<FlipCount[]> {
  return database.rows<Record<keyof FlipCount, never>>(
    `SELECT flip_type, count(*) AS count, count(*) FILTER (WHERE is_correct) AS correct,
       count(*) FILTER (WHERE NOT is_correct) AS incorrect, count(*) FILTER (WHERE is_correct IS NULL) AS unknown
     FROM tokens GROUP BY flip_type ORDER BY flip_type IS NULL, count DESC, flip_type`,
  );
}
