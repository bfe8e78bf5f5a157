/**
 * KL of a text by whether the text is right, and around its first error.
 *
 * @module
 */
import { type ErrorSpan, isAtError } from "./error-span.ts";
import type { TextSummary } from "./summary.ts";
import type { CountedToken } from "./token-sums.ts";

/**
 * Sums of good and bad KL; NaN if it is unknown whether the text is right, or if no token has both log-probs.
 *
 * @param places the response token of each counted value
 */
export function goodAndBad(
  counted: readonly CountedToken[],
  places: readonly number[],
  correct: boolean | undefined,
  errorFrom: number | undefined,
): Pick<TextSummary, "goodKl" | "badKl"> {
  let [goodKl, badKl, judged] = [0, 0, 0];
  counted.forEach(({ kl, delta }, i) => {
    if (Number.isNaN(delta)) return;
    judged++;
    const wrong = correct === false && places[i]! >= (errorFrom ?? 0);
    if (delta < 0 === wrong) goodKl += kl;
    else badKl += kl;
  });
  return correct === undefined || judged === 0
    ? { goodKl: Number.NaN, badKl: Number.NaN }
    : { goodKl, badKl };
}

/** KL of the tokens that are at the first error. */
export function klAround(
  error: ErrorSpan,
  places: readonly number[],
  counted: readonly CountedToken[],
): NonNullable<TextSummary["errorKl"]> {
  const near = counted.filter((_, i) => isAtError(places[i]!, error));
  return { sum: near.reduce((sum, { kl }) => sum + kl, 0), tokens: near.length };
}
