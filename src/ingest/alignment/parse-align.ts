import { UsageError } from "../../core/base/index.ts";

/**
 * How the trainer's column is aligned with the rollout's: moved by n tokens (its entry t + n belongs to token t), by
 * the shift found in the data (`auto`), or as in the file, unchecked (`none`).
 */
export type Align = number | "auto" | "none";

/** No convention is off by more than a few tokens; a larger number is a typo. */
const LARGEST = 64;

/** @throws UsageError when it is neither a whole number nor `auto` nor `none` */
export function parseAlign(text: string | number): Align {
  const word = String(text).trim();
  if (word === "auto" || word === "none") return word;
  const shift = Number(word);
  if (word !== "" && Number.isInteger(shift) && Math.abs(shift) <= LARGEST) return shift === 0 ? 0 : shift;
  throw new UsageError(
    `--align must be a whole number from -${LARGEST} to ${LARGEST}, auto or none, not "${word}"`,
    { hint: "+1 takes the trainer's log-prob of token t from entry t + 1 of its column" },
  );
}
