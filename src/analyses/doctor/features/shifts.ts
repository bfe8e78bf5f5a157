/**
 * Whether one column fits the other better when shifted by some tokens, over the whole response or after its first
 * turn.
 */
import { LEFT_OUT, type View } from "../sample/view.ts";

export interface ShiftScan {
  /**
   * By lag, from {@link FARTHEST} down: mean of |Δ|, each capped at 1 nat, with the trainer's column shifted by the
   * lag.
   */
  readonly lags: readonly number[];
  readonly cost: readonly number[];
  readonly best: number;
  readonly costInPlace: number;
  readonly costAtBest: number;
  readonly tokens: number;
  /** Rows that fit better at the best lag, and rows with enough tokens to judge. */
  readonly rowsFor: number;
  readonly rowsAsked: number;
}

export interface Shifts {
  readonly all: ShiftScan;
  /** Scans of the tokens after the first gap in the mask, and up to it. */
  readonly later: ShiftScan;
  readonly before: ShiftScan;
}

export const FARTHEST = 3;
const LAGS = Array.from({ length: 2 * FARTHEST + 1 }, (_, k) => k - FARTHEST);
/** One token that is far off must not outweigh many that fit. */
const MOST_COST = 1;
const FEWEST_TOKENS = 8;

/** Costs of each row summed by lag, and its number of tokens. */
interface RowCosts {
  readonly sums: Float64Array[];
  readonly tokens: Float64Array;
}

export function measureShifts(view: View): Shifts {
  const [all, later, before] = [newCosts(view), newCosts(view), newCosts(view)];
  for (let r = 0; r < view.rows.length; r++) scanRow(view, r, { all, later, before });
  return { all: judge(all), later: judge(later), before: judge(before) };
}

function newCosts(view: View): RowCosts {
  const { length } = view.rows;
  return { sums: LAGS.map(() => new Float64Array(length)), tokens: new Float64Array(length) };
}

/** Infinity for a row without gaps. */
function findFirstGap(view: View, r: number): number {
  const [from, to] = view.span(r);
  let seen = false;
  for (let i = from; i < to; i++) {
    if (view.left[i] !== LEFT_OUT.masked) seen = true;
    else if (seen) return i;
  }
  return Number.POSITIVE_INFINITY;
}

/** Uses only tokens whose neighbors within reach are all own tokens, so that every lag is judged on the same tokens. */
function scanRow(
  view: View,
  r: number,
  { all, later, before }: { readonly all: RowCosts; readonly later: RowCosts; readonly before: RowCosts },
): void {
  const [from, to] = view.span(r);
  const gap = findFirstGap(view, r);
  /** Number of consecutive own tokens up to `last`. */
  let own = 0;
  for (let last = from; last < to; last++) {
    own = view.isOwn(last) ? own + 1 : 0;
    if (own < LAGS.length) continue;
    const i = last - FARTHEST;
    const part = i > gap ? later : before;
    all.tokens[r]!++;
    part.tokens[r]!++;
    const rollout = view.a[i]!;
    for (let k = 0; k < LAGS.length; k++) {
      const cost = Math.min(Math.abs(view.c[i + k - FARTHEST]! - rollout), MOST_COST);
      all.sums[k]![r]! += cost;
      part.sums[k]![r]! += cost;
    }
  }
}

function judge({ sums, tokens }: RowCosts): ShiftScan {
  const total = tokens.reduce((sum, count) => sum + count, 0);
  const cost = sums.map((byRow) => (total === 0 ? 0 : byRow.reduce((sum, one) => sum + one, 0) / total));
  const best = cost.indexOf(Math.min(...cost));
  const inPlace = FARTHEST;
  let [rowsFor, rowsAsked] = [0, 0];
  for (let r = 0; r < tokens.length; r++) {
    if (tokens[r]! < FEWEST_TOKENS) continue;
    rowsAsked++;
    if (sums[best]![r]! < sums[inPlace]![r]!) rowsFor++;
  }
  return {
    lags: LAGS,
    cost,
    best: LAGS[best]!,
    costInPlace: cost[inPlace]!,
    costAtBest: cost[best]!,
    tokens: total,
    rowsFor,
    rowsAsked,
  };
}
