/**
 * Whether a side gives the same token in the same context the same log-prob: rows of one prompt with a common beginning
 * are scored several times.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { SUREST } from "./spread.ts";
import { logit } from "./stats.ts";

export interface Prefixes {
  /** Tokens compared with the same token in another row after the same prefix. */
  readonly pairs: number;
  /** Mean |difference| between the two rows in logits, capped at 1; for the rollout and for the trainer. */
  readonly rollout: number;
  readonly trainer: number;
  /** Mean |logit p_trainer − logit p_rollout| at the same tokens, capped at 1. */
  readonly between: number;
  readonly rolloutEqual: number;
  readonly trainerEqual: number;
}

const MOST = 1;

export function measurePrefixes(view: View): Prefixes {
  const sums = { pairs: 0, rollout: 0, trainer: 0, between: 0, rolloutEqual: 0, trainerEqual: 0 };
  const groups = new Map<number, number[]>();
  view.rows.forEach(({ group, hasPrompt, ids }, r) => {
    if (hasPrompt && ids) groups.set(group, [...(groups.get(group) ?? []), r]);
  });
  for (const rows of groups.values()) {
    // Compares each row with the previous one: every row counts once, and large groups do not outweigh small ones.
    for (let k = 1; k < rows.length; k++) addPair(view, rows[k - 1]!, rows[k]!, sums);
  }
  const per = (sum: number): number => (sums.pairs === 0 ? 0 : sum / sums.pairs);
  return {
    pairs: sums.pairs,
    rollout: per(sums.rollout),
    trainer: per(sums.trainer),
    between: per(sums.between),
    rolloutEqual: per(sums.rolloutEqual),
    trainerEqual: per(sums.trainerEqual),
  };
}

/** @param r and `q`: rows with token ids */
function addPair(view: View, r: number, q: number, sums: Record<keyof Prefixes, number>): void {
  const [ours, theirs] = [view.rows[r]!.ids!, view.rows[q]!.ids!];
  const [from, to] = view.span(r);
  const [start, end] = view.span(q);
  for (let t = 0; t < Math.min(to - from, end - start) && ours[t] === theirs[t]; t++) {
    const [i, j] = [from + t, start + t];
    if (!view.isOwn(i) || !view.isOwn(j)) continue;
    const values = [view.a[i], view.a[j], view.c[i], view.c[j]] as [number, number, number, number];
    if (values.some((value) => value > SUREST)) continue;
    const [a, b, c, d] = values.map(logit) as [number, number, number, number];
    sums.pairs++;
    sums.rollout += Math.min(MOST, Math.abs(a - b));
    sums.trainer += Math.min(MOST, Math.abs(c - d));
    sums.between += (Math.min(MOST, Math.abs(c - a)) + Math.min(MOST, Math.abs(d - b))) / 2;
    if (values[0] === values[1]) sums.rolloutEqual++;
    if (values[2] === values[3]) sums.trainerEqual++;
  }
}
