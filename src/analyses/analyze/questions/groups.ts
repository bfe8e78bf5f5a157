import type { DivergenceFigures } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";

/**
 * What identifies a response: its tokens share file, iteration and place in the batch, are all correct or all
 * incorrect, and share a handle if the log has handles.
 */
export const SEQUENCE_KEY = "(log_file, iteration, batch_idx, response_key, is_correct)";
/** Holds if the log tells responses apart. */
export const HAS_SEQUENCE = "batch_idx IS NOT NULL AND iteration IS NOT NULL";

type Row = Readonly<Record<"count" | "named" | "sequences", number>> &
  Readonly<Record<"mean" | "std" | "p50" | "min" | "max", number | null>>;

/** Figures of the records that meet a condition. `of` is the denominator of the share; 0 gives no share. */
export async function selectFigures(
  database: Database,
  condition: string,
  of: number,
): Promise<DivergenceFigures> {
  const { named, ...row } = await database.row<Row>(
    `SELECT count(*) AS count, count(*) FILTER (WHERE ${HAS_SEQUENCE}) AS named,
       count(DISTINCT ${SEQUENCE_KEY}) FILTER (WHERE ${HAS_SEQUENCE}) AS sequences,
       favg(prob_divergence) AS mean, stddev_samp(prob_divergence) AS std,
       quantile_cont(prob_divergence, 0.5) AS p50, min(prob_divergence) AS min, max(prob_divergence) AS max
     FROM tokens WHERE ${condition}`,
  );
  return {
    ...row,
    share: of > 0 ? row.count / of : null,
    sequences: row.count > 0 && named === row.count ? row.sequences : null,
  };
}
