import type { StudyText } from "../study.ts";
import { firstWrongEquation } from "./equations.ts";

export interface FirstError {
  /** Response token that is wrong. */
  readonly token: number;
  /** Response token with which the wrong result is announced (the `=`); the same where that is not known. */
  readonly from: number;
  /** How it is known. */
  readonly how: string;
}

/**
 * The response token at which a text first goes wrong, where that can be known: what the data say (`errorToken`), else
 * the first result of an arithmetic statement that does not hold, at its first digit that is not as it must be (or at
 * what stands where a digit is missing). Tool output is never an error of the text. Errors of another kind (a wrong
 * operation, a misread problem) are not found, so the true first error may lie before this one.
 *
 * Whether the text is right is not looked at: ask only for texts that are wrong.
 */
export function findFirstError(text: StudyText): FirstError | undefined {
  if (text.errorToken !== undefined)
    return { token: text.errorToken, from: text.errorToken, how: "the data say so" };
  const starts: number[] = [];
  let length = 0;
  for (const token of text.tokens) {
    starts.push(length);
    length += token.length;
  }
  const tokenAt = (place: number): number => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= place) low = middle;
      else high = middle;
    }
    return low;
  };
  const found = firstWrongEquation(text.tokens.join(""), (place) => text.mask[tokenAt(place)] !== 0);
  if (found === undefined) return undefined;
  const token = tokenAt(Math.min(found.place, length - 1));
  const from = Math.min(tokenAt(found.announced), token);
  return text.mask[token] === 0 ? undefined : { token, from, how: found.how };
}
