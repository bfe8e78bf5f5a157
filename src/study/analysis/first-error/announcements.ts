import type { StudyText } from "../study.ts";

/** A number or a bracket, `=`, and a number: `12 * 3 = 36`, `= \$ 36`, `(4) = {36}`. */
const RESULT =
  /(?<=[\d)}\]%][ \t]*)=(?=[ \t]*[-−+]?[ \t]*(?:\\?\$|[({[]|\\[a-z]+\{?|<[a-z]+>)?[ \t]*[-−]?\d)/gi;

/**
 * The text's own response tokens that announce a result of arithmetic (the `=`): its error could have been at any of
 * them. Whether a result is right is not checked.
 */
export function announcements({ tokens, mask }: Pick<StudyText, "tokens" | "mask">): number[] {
  const ends: number[] = [];
  let length = 0;
  for (const token of tokens) {
    length += token.length;
    ends.push(length);
  }
  const found: number[] = [];
  let at = 0;
  for (const { index } of tokens.join("").matchAll(RESULT)) {
    while (ends[at]! <= index) at++;
    if (mask[at] !== 0 && found.at(-1) !== at) found.push(at);
  }
  return found;
}
