import type { Bins, CorrectnessBins } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";

const POSITION_BINS = 50;
const DIVERGENCE_BINS = 30;

/** Positions in as many bins as the guide draws; null if no record has a position. */
export async function positionBins(database: Database): Promise<Bins | null> {
  const edges = await findEdges(database, "position", POSITION_BINS);
  if (edges === null) return null;
  const [counts = []] = await countsIn(database, "position", edges, ["true"]);
  return { edges, counts };
}

/** Binned divergences of correct and of incorrect answers. */
export async function divergenceBins(database: Database): Promise<CorrectnessBins | null> {
  const edges = await findEdges(database, "prob_divergence", DIVERGENCE_BINS);
  if (edges === null) return null;
  const conditions = ["is_correct", "NOT is_correct", "is_correct IS NULL"];
  const [correct = [], incorrect = [], unknown = []] = await countsIn(
    database,
    "prob_divergence",
    edges,
    conditions,
  );
  return { edges, correct, incorrect, unknown };
}

/** As `numpy.histogram_bin_edges` with a number of bins: from smallest to largest, or one half around a single value. */
async function findEdges(database: Database, column: string, bins: number): Promise<number[] | null> {
  const { low, high } = await database.row<{ low: number | null; high: number | null }>(
    `SELECT min(${column}) AS low, max(${column}) AS high FROM tokens WHERE isfinite(${column})`,
  );
  if (low === null || high === null) return null;
  const [from, to] = low === high ? [low - 0.5, high + 0.5] : [low, high];
  const step = (to - from) / bins;
  return Array.from({ length: bins + 1 }, (_, i) => (i === bins ? to : i * step + from));
}

/** Counts in each bin, for each condition. The edges decide a value's bin, not a division alone. */
async function countsIn(
  database: Database,
  column: string,
  edges: readonly number[],
  conditions: readonly string[],
): Promise<number[][]> {
  const bins = edges.length - 1;
  const low = edges[0]!;
  const scale = bins / (edges[bins]! - low);
  const edge = (index: string): string =>
    `([${edges.map((value) => `${value}::DOUBLE`).join(", ")}])[${index}]`;
  const rows = await database.rows<Record<string, number>>(
    `WITH guessed AS (
       SELECT is_correct, ${column} AS value,
         least(${bins - 1}, greatest(0, CAST(floor((${column} - $1::DOUBLE) * $2::DOUBLE) AS INTEGER))) AS guess
       FROM tokens WHERE isfinite(${column})
     ), binned AS (
       SELECT is_correct, CASE WHEN value < ${edge("guess + 1")} THEN guess - 1
         WHEN guess < ${bins - 1} AND value >= ${edge("guess + 2")} THEN guess + 1
         ELSE guess END AS bin
       FROM guessed
     )
     SELECT bin, ${conditions.map((condition, i) => `count(*) FILTER (WHERE ${condition}) AS c${i}`).join(", ")}
     FROM binned GROUP BY bin`,
    [low, scale],
  );
  const byBin = new Map(rows.map((row) => [row.bin, row]));
  return conditions.map((_, i) => Array.from({ length: bins }, (_, bin) => byBin.get(bin)?.[`c${i}`] ?? 0));
}
