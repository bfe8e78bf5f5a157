/**
 * Places from which a forced text is continued.
 *
 * @module
 */

import { UsageError } from "../../../core/base/index.ts";
import { findFirstError } from "../../analysis/first-error/first-error.ts";
import type { PreparedText } from "../texts/prepare-text.ts";

/** Number of a text's response tokens that are forced. */
type Prefix = (text: PreparedText) => number | undefined;

const NAMED: Readonly<Record<string, Prefix>> = {
  start: () => 0,
  before_error: (text) => findFirstError(text)?.from,
  after_error: (text) => {
    const error = findFirstError(text);
    return error === undefined ? undefined : error.token + 1;
  },
};

/** @throws UsageError when it is neither a name nor a share of the response */
export function checkPlace(place: string): string {
  const share = Number(place);
  if (place in NAMED || (place.trim() !== "" && share > 0 && share < 1)) return place;
  throw new UsageError(
    `texts can be continued from ${Object.keys(NAMED).join(", ")} or a share of the response between 0 and 1, not from "${place}"`,
  );
}

/**
 * How many response tokens are forced before a policy continues freely. A policy never has to write tool output, so a
 * place within it moves to its end.
 *
 * @returns undefined if the place is unknown, or is the end of the text
 */
export function forcedTokens(place: string, text: PreparedText): number | undefined {
  const { mask } = text;
  let position = (NAMED[place] ?? (() => Math.floor(Number(place) * mask.length)))(text);
  while (position !== undefined && mask[position] === 0) position++;
  return position === undefined || position >= mask.length ? undefined : position;
}
