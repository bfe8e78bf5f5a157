import type { StudyText } from "../study.ts";
import { firstWrongEquation } from "./equations.ts";

export interface FirstError {
  /** The first wrong response token. */
  readonly token: number;
  /** Response token that announces the wrong result (the `=`); equal to `token` if unknown. */
  readonly from: number;
  /** How the error was found. */
  readonly how: string;
}

/**
 * The response token at which a text first goes wrong, if that can be known: the one given in the data (`errorToken`),
 * else the first result of an arithmetic statement that does not hold, at its first wrong digit (or at whatever stands
 * where a digit is missing). Tool output is never an error of the text. Errors of another kind (a wrong operation, a
 * misread problem) are not found, so the true first error may be earlier.
 *
 * Whether the text is right is not checked: call this only for wrong texts.
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
