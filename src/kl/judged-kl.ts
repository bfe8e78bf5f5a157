/**
 * KL of a text by whether it is right, and around its first error.
 *
 * @module
 */
import { ERROR_WINDOW, type TextSummary } from "./summary.ts";
import type { CountedToken } from "./token-sums.ts";

/**
 * Sums of good and bad KL; NaN where it is not known whether the text is right, or no token has both log-probs.
 *
 * @param places response token of each counted one
 */
export function goodAndBad(
  counted: readonly CountedToken[],
  places: readonly number[],
  correct: boolean | undefined,
  errorToken: number | undefined,
): Pick<TextSummary, "goodKl" | "badKl"> {
  let [goodKl, badKl, judged] = [0, 0, 0];
  counted.forEach(({ kl, delta }, i) => {
    if (Number.isNaN(delta)) return;
    judged++;
    const wrong = correct === false && places[i]! >= (errorToken ?? 0);
    if (delta < 0 === wrong) goodKl += kl;
    else badKl += kl;
  });
  return correct === undefined || judged === 0
    ? { goodKl: Number.NaN, badKl: Number.NaN }
    : { goodKl, badKl };
}

/** KL of the tokens that are at most `ERROR_WINDOW` from the first error. */
export function klAround(
  errorToken: number,
  places: readonly number[],
  counted: readonly CountedToken[],
): NonNullable<TextSummary["errorKl"]> {
  const near = counted.filter((_, i) => Math.abs(places[i]! - errorToken) <= ERROR_WINDOW);
  return { sum: near.reduce((sum, { kl }) => sum + kl, 0), tokens: near.length };
}
