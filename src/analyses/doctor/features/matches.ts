/** Whether the rollout log-probs of a row fit the trainer's of another row in its step. */
import type { View } from "../sample/view.ts";

export interface Matches {
  /** Rows whose two sides do not fit, among those long enough to judge. */
  readonly unfit: number;
  readonly rows: number;
  /** Unfit rows whose rollout column fits another row's trainer column. */
  readonly matched: number;
  /** Matched rows whose partner has the same prompt. */
  readonly sameGroup: number;
  /** Row and partner; at most five pairs. */
  readonly examples: readonly (readonly [row: number, partner: number])[];
  readonly unfitRows: readonly number[];
}

/** Mean of |Δ|, each capped at 1 nat. */
const UNFIT = 0.02;
/** How much better another trainer column must fit than the row's own. */
const BETTER = 0.25;
const FEWEST_TOKENS = 8;
/** Rows of a step that are compared with each other. */
const MOST_ROWS = 384;

export function measureMatches(view: View): Matches {
  const bySteps = new Map<number, number[]>();
  let rows = 0;
  for (let r = 0; r < view.rows.length; r++) {
    if (countOwn(view, r) < FEWEST_TOKENS) continue;
    rows++;
    const { step } = view.rows[r]!;
    const list = bySteps.get(step) ?? [];
    bySteps.set(step, list);
    if (list.length < MOST_ROWS) list.push(r);
  }
  const unfitRows: number[] = [];
  const found: [number, number][] = [];
  for (const list of bySteps.values()) {
    for (const r of list) {
      const own = compareRows(view, r, r);
      if (!(own > UNFIT)) continue;
      unfitRows.push(r);
      const partner = findPartner(view, r, list, own);
      if (partner !== undefined) found.push([r, partner]);
    }
  }
  // Partners of swapped rows were swapped too; a healthy row is only similar.
  const unfit = new Set(unfitRows);
  const pairs = found.filter(([, partner]) => unfit.has(partner));
  const group = (r: number): number => view.rows[r]!.group;
  return {
    unfit: unfitRows.length,
    rows,
    matched: pairs.length,
    sameGroup: pairs.filter(([r, partner]) => group(r) === group(partner)).length,
    examples: pairs.slice(0, 5),
    unfitRows,
  };
}

function countOwn(view: View, r: number): number {
  const [from, to] = view.span(r);
  let count = 0;
  for (let i = from; i < to; i++) if (view.isOwn(i)) count++;
  return count;
}

function findPartner(view: View, r: number, rows: readonly number[], own: number): number | undefined {
  let [best, partner]: [number, number | undefined] = [own * BETTER, undefined];
  // The row itself costs `own`, four times the limit.
  for (const q of rows) {
    const cost = compareRows(view, r, q, best);
    if (cost < best) [best, partner] = [cost, q];
  }
  return partner;
}

/** Mean |Δ| of row `r`'s rollout against row `q`'s trainer, each capped at 1; stops beyond `limit`. */
function compareRows(view: View, r: number, q: number, limit = Number.POSITIVE_INFINITY): number {
  const [from, to] = view.span(r);
  const [start, end] = view.span(q);
  const length = Math.min(to - from, end - start);
  let [sum, count] = [0, 0];
  for (let t = 0; t < length; t++) {
    if (!view.isOwn(from + t) || !view.isOwn(start + t)) continue;
    // A swapped column includes the zeros of the other row's tool tokens.
    const a = view.a[from + t]!;
    sum += Math.min(1, Math.abs(view.c[start + t]! - a));
    count++;
    if (sum > limit * (to - from)) return Number.POSITIVE_INFINITY;
  }
  const isEnough = count >= FEWEST_TOKENS && count >= 0.4 * Math.max(to - from, end - start);
  return isEnough ? sum / count : Number.POSITIVE_INFINITY;
}
