import type { LoggedDigitFigures } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";
import { selectFigures } from "./groups.ts";

/** Tokens that match the guide's pattern for digits, in correct and in incorrect answers. */
export async function digitFigures(database: Database): Promise<LoggedDigitFigures> {
  const all = await database.row<
    Record<"count" | "dots_only" | "known" | "unknown_count" | "texts_unknown" | "correct_texts", number> &
      Record<"share" | "mean" | "not_digits_mean" | "ratio_limit", number | null>
  >(
    `SELECT count(*) FILTER (WHERE is_digit) AS count,
       count(*) FILTER (WHERE is_digit AND NOT regexp_matches(text, '\\p{Nd}')) AS dots_only,
       count(*) FILTER (WHERE is_digit AND is_correct IS NOT NULL) AS known,
       count(*) FILTER (WHERE is_digit AND is_correct IS NULL) AS unknown_count,
       count(*) FILTER (WHERE is_digit) / nullif(count(is_digit), 0) AS share,
       count(*) FILTER (WHERE is_digit IS NULL) AS texts_unknown,
       count(is_digit) FILTER (WHERE is_correct) AS correct_texts,
       favg(prob_divergence) FILTER (WHERE is_digit) AS mean,
       favg(prob_divergence) FILTER (WHERE NOT is_digit) AS not_digits_mean,
       max(prob_divergence) / nullif(min(prob_divergence), 0) AS ratio_limit
     FROM tokens`,
  );
  const { known, ...rest } = all;
  const correct = await selectFigures(database, "is_digit AND is_correct", known);
  const incorrect = await selectFigures(database, "is_digit AND NOT is_correct", known);
  const ratio =
    correct.mean !== null && incorrect.mean !== null && incorrect.mean > 0
      ? correct.mean / incorrect.mean
      : null;
  return { ...rest, correct, incorrect, ratio };
}
