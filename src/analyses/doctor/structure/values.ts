import { formatPlain, formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { isRound, measureConstants, type RepeatedValue } from "../features/constants.ts";
import type { View } from "../sample/view.ts";
import { listHandles } from "./handles.ts";

/** Placeholders, which are unrelated to the other side, and floors below which a side has no values. */
export function examineValues(view: View): Clue[] {
  const clues: Clue[] = [];
  for (const found of measureConstants(view)) {
    if (isClamp(found)) clues.push(describeFloor(view, found));
    else if (isPlaceholder(found)) clues.push(describePlaceholder(view, found));
    else continue;
    for (const i of found.far) view.claim(i);
  }
  return clues;
}

const FEWEST = 4;

/** A round limit, or a side's lowest number where the other side has many values, all lower. */
function isClamp({ isFloor, value, different }: RepeatedValue): boolean {
  return isFloor && value !== 0 && (isRound(value) || different >= FEWEST);
}

/** Exact numbers that programs fill in. */
const USUAL = [0, 1, -1, -100, -999, -1000, -9999, -10000];

/**
 * Equal prefixes give equal numbers, so a repeated one says little by itself; a number that programs fill in, far from
 * the other side, says a lot. Certainty and truncation also write 0, but only where the other side is nearly sure too.
 */
function isPlaceholder({ value, far, share, shareOfSure, count }: RepeatedValue): boolean {
  // If truncation leaves one token, 0 is right and occurs at the surer tokens; a placeholder occurs at all alike.
  if (value === 0) return far.length >= FEWEST && share > 0.004 && shareOfSure < 2 * share + 0.1;
  if (USUAL.includes(value)) return far.length >= FEWEST;
  return isRound(value) && far.length >= 8 && far.length > 0.9 * count;
}

function describeFloor(view: View, { side, value, count, far }: RepeatedValue): Clue {
  return {
    cause: "clamped_logprobs",
    weight: hold(5 + 2 * Math.log(count)),
    sentence: `${plural(count, `${side} log-prob`)} ${count === 1 ? "is" : "are"} exactly ${formatPlain(value)} and none is lower, while the other side has lower values: the column is clamped there.`,
    figures: { side, value, tokens: count },
    handles: listHandles(view, far),
  };
}

function describePlaceholder(view: View, found: RepeatedValue): Clue {
  const { side, value, far, share, rowsWhole, rowsToEnd } = found;
  const where =
    rowsWhole > 0 && far.length > 8 * rowsWhole
      ? `, every token in ${plural(rowsWhole, "sequence")}`
      : rowsToEnd > 2
        ? `, from one token to the end in ${plural(rowsToEnd, "sequence")}`
        : "";
  return {
    cause: "sentinel_fill",
    weight: hold(4 + 2 * Math.log(far.length)),
    sentence: `${plural(far.length, `${side} log-prob`)} ${far.length === 1 ? "is" : "are"} exactly ${formatPlain(value)} where the other side is far from that (${formatShare(share)} of such tokens)${where}: the value is a placeholder.`,
    figures: { side, value, tokens: far.length, share, rows_whole: rowsWhole, rows_to_end: rowsToEnd },
    handles: listHandles(view, far),
  };
}
