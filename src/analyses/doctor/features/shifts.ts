/** Whether one column fits the other better some tokens later or earlier, over all of a response or after its first turn. */
import { LEFT_OUT, type View } from "../sample/view.ts";

export interface ShiftScan {
  /** Entries from {@link FARTHEST} down: mean of |Δ|, each held to 1 nat, with the trainer's column taken so much later. */
  readonly lags: readonly number[];
  readonly cost: readonly number[];
  readonly best: number;
  readonly costInPlace: number;
  readonly costAtBest: number;
  readonly tokens: number;
  /** Rows that fit better at the best lag, and rows with enough tokens to say. */
  readonly rowsFor: number;
  readonly rowsAsked: number;
}

export interface Shifts {
  readonly all: ShiftScan;
  /** Tokens after the first gap in the mask, and up to it. */
  readonly later: ShiftScan;
  readonly before: ShiftScan;
}

export const FARTHEST = 3;
const LAGS = Array.from({ length: 2 * FARTHEST + 1 }, (_, k) => k - FARTHEST);
/** One token far off must not outweigh many that fit. */
const MOST_COST = 1;
const FEWEST_TOKENS = 8;

export function measureShifts(view: View): Shifts {
  const gapAt = view.rows.map((_, r) => findFirstGap(view, r));
  return {
    all: scan(view, () => true),
    later: scan(view, (i, r) => i > (gapAt[r] as number)),
    before: scan(view, (i, r) => i <= (gapAt[r] as number)),
  };
}

/** Infinity for a row without a gap. */
function findFirstGap(view: View, r: number): number {
  const [from, to] = view.span(r);
  let seen = false;
  for (let i = from; i < to; i++) {
    if (view.left[i] !== LEFT_OUT.masked) seen = true;
    else if (seen) return i;
  }
  return Number.POSITIVE_INFINITY;
}

function scan(view: View, isIn: (i: number, r: number) => boolean): ShiftScan {
  const sums = LAGS.map(() => 0);
  let tokens = 0;
  const perRow: { sums: number[]; tokens: number }[] = [];
  for (let r = 0; r < view.rows.length; r++) {
    const row = scanRow(view, r, (i) => isIn(i, r));
    tokens += row.tokens;
    row.sums.forEach((sum, k) => {
      sums[k] = (sums[k] as number) + sum;
    });
    if (row.tokens >= FEWEST_TOKENS) perRow.push(row);
  }
  const cost = sums.map((sum) => (tokens === 0 ? 0 : sum / tokens));
  const best = cost.indexOf(Math.min(...cost));
  const inPlace = FARTHEST;
  const rowsFor = perRow.filter(({ sums }) => (sums[best] as number) < (sums[inPlace] as number)).length;
  return {
    lags: LAGS,
    cost,
    best: LAGS[best] as number,
    costInPlace: cost[inPlace] as number,
    costAtBest: cost[best] as number,
    tokens,
    rowsFor,
    rowsAsked: perRow.length,
  };
}

/** Only tokens all of whose neighbors within reach are own ones, so that every lag is judged by the same tokens. */
function scanRow(view: View, r: number, isIn: (i: number) => boolean): { sums: number[]; tokens: number } {
  const [from, to] = view.span(r);
  const sums = LAGS.map(() => 0);
  let tokens = 0;
  for (let i = from + FARTHEST; i < to - FARTHEST; i++) {
    if (!isIn(i) || !hasOwnNeighbors(view, i)) continue;
    tokens++;
    for (let k = 0; k < LAGS.length; k++) {
      const distance = Math.abs((view.c[i + (LAGS[k] as number)] as number) - (view.a[i] as number));
      sums[k] = (sums[k] as number) + Math.min(distance, MOST_COST);
    }
  }
  return { sums, tokens };
}

function hasOwnNeighbors(view: View, i: number): boolean {
  for (let k = i - FARTHEST; k <= i + FARTHEST; k++) if (!view.isOwn(k)) return false;
  return true;
}
