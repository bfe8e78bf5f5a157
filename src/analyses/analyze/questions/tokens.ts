import type { LoggedToken, Selection, ThresholdCount, TokenCount } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";

const BOTH = `count(*) FILTER (WHERE is_correct) AS correct, count(*) FILTER (WHERE NOT is_correct) AS incorrect`;

/** `value_counts` of the token texts. */
export async function commonTokens(database: Database, most: number): Promise<TokenCount[]> {
  return database.rows<Record<keyof TokenCount, never>>(
    `SELECT token_text, any_value(text) AS text, count(*) AS count,
       count(*) / (SELECT count(*) FROM tokens) AS share, favg(prob_divergence) AS mean,
       max(prob_divergence) AS max, ${BOTH}
     FROM tokens GROUP BY token_text ORDER BY count DESC, min(log_row) LIMIT ${most}`,
  );
}

const THRESHOLDS = [0.5, 0.8, 0.9, 0.95, 0.99];

export async function thresholdCounts(database: Database): Promise<ThresholdCount[]> {
  return database.rows<Record<keyof ThresholdCount, number>>(
    `SELECT threshold, count(prob_divergence) AS count,
       count(prob_divergence) / greatest(1, (SELECT count(*) FROM tokens)) AS share, ${BOTH}
     FROM (SELECT unnest([${THRESHOLDS.join(", ")}]::DOUBLE[]) AS threshold)
       LEFT JOIN tokens ON prob_divergence > threshold
     GROUP BY threshold ORDER BY threshold`,
  );
}

/** The matching records with the largest divergence; among equal ones the later first, as in jq's `max_by`. */
export async function mostDivergent(
  database: Database,
  condition: string,
  most: number,
): Promise<LoggedToken[]> {
  return database.rows<Record<keyof LoggedToken, never>>(
    `SELECT log_file AS file, log_line AS line, iteration, batch_idx, position, token_id, token_text, text,
       prob_divergence, rollout_prob, actor_prob, flip_type, is_correct, context_text
     FROM tokens WHERE ${condition} ORDER BY prob_divergence DESC, log_row DESC LIMIT ${most}`,
  );
}

const SELECTIONS: readonly Pick<Selection, "id" | "title" | "where">[] = [
  { id: "early", title: "Among the first ten tokens of a response", where: "position < 10" },
  {
    id: "digits_correct",
    title: "Digit tokens of correct answers above 0.8",
    where: "is_correct and is_digit and prob_divergence > 0.8",
  },
  {
    id: "confident_correct",
    title: "Correct answers where the rollout policy was sure and the trainer policy rejects",
    where: "is_correct and prob_divergence > 0.9 and flip_type = 'rollout_confident_actor_rejects'",
  },
];

/** The selections that the guide makes with jq. */
export async function selections(database: Database, most: number): Promise<Selection[]> {
  const found: Selection[] = [];
  for (const selection of SELECTIONS) {
    const { count } = await database.row<{ count: number }>(
      `SELECT count(*) AS count FROM tokens WHERE ${selection.where}`,
    );
    found.push({ ...selection, count, tokens: await mostDivergent(database, selection.where, most) });
  }
  return found;
}
