/**
 * Whether Δ depends on whether a token occurred earlier in the prompt or the response, as repetition penalties cause.
 */
import type { View } from "../sample/view.ts";
import { SeenIds } from "./seen-ids.ts";
import { SUREST } from "./spread.ts";

export interface Repeats {
  /** Mean of logit p_trainer − logit p_rollout (clamped to ±3) at repeated and at new tokens, nats. */
  readonly repeated: number;
  readonly fresh: number;
  readonly repeatedTokens: number;
  readonly freshTokens: number;
  /** Difference over its standard error, clustered by group. */
  readonly z: number;
  /** What "earlier" covers: the response alone, or also the prompt. */
  readonly scope: "response" | "prompt";
  /** Share of Σ|Δ| at repeated tokens. */
  readonly explained: number;
}

const MOST = 3;

/** The scope that separates better; null without token ids. */
export function measureRepeats(view: View): Repeats | null {
  if (view.rows.every(({ ids }) => ids === undefined)) return null;
  const [response, prompt] = [compare(view, "response"), compare(view, "prompt")];
  return Math.abs(prompt.z) > 1.15 * Math.abs(response.z) ? prompt : response;
}

function compare(view: View, scope: "response" | "prompt"): Repeats {
  const all = [newSums(), newSums()] as const;
  const groups = new Map<number, readonly [Sums, Sums]>();
  const gaps = new Float64Array(view.tokens);
  const kinds = new Uint8Array(view.tokens);
  const seen = new SeenIds();
  let count = 0;
  for (let r = 0; r < view.rows.length; r++) {
    const { ids, prompt, group } = view.rows[r]!;
    if (ids === undefined) continue;
    seen.clear();
    if (scope === "prompt" && prompt !== undefined) seen.addAll(prompt);
    const first = count;
    count = listGaps(view, r, ids, seen, { gaps, kinds, count });
    if (count === first) continue;
    const own = groups.get(group) ?? ([newSums(), newSums()] as const);
    groups.set(group, own);
    for (let k = first; k < count; k++) {
      addGap(all[kinds[k] as 0 | 1], gaps[k]!);
      addGap(own[kinds[k] as 0 | 1], gaps[k]!);
    }
  }
  const means = all.map(({ n, sum }) => (n === 0 ? 0 : sum / n)) as [number, number];
  let total = 0;
  let residual = 0;
  for (let k = 0; k < count; k++) {
    const gap = gaps[k]!;
    total += gap * gap;
    residual += (gap - means[kinds[k] as 0 | 1]) ** 2;
  }
  return {
    fresh: means[0],
    repeated: means[1],
    freshTokens: all[0].n,
    repeatedTokens: all[1].n,
    z: differenceZ(groups, all, means),
    scope,
    explained: total === 0 ? 0 : 1 - residual / total,
  };
}

/** Appends the gap of each token that has one, and 1 if its id was seen before; returns the new count. */
function listGaps(
  view: View,
  r: number,
  ids: Int32Array,
  seen: SeenIds,
  { gaps, kinds, count }: { gaps: Float64Array; kinds: Uint8Array; count: number },
): number {
  const { rollout, trainer } = view.logits;
  const [from, to] = view.span(r);
  let listed = count;
  for (let i = from; i < to; i++) {
    const id = ids[i - from]!;
    const kind = seen.has(id) ? 1 : 0;
    seen.add(id);
    if (!view.isOwn(i) || !(view.a[i]! < SUREST && view.c[i]! < SUREST)) continue;
    kinds[listed] = kind;
    gaps[listed++] = Math.max(-MOST, Math.min(MOST, trainer[i]! - rollout[i]!));
  }
  return listed;
}

interface Sums {
  n: number;
  sum: number;
}

function addGap(sums: Sums, gap: number): void {
  sums.n++;
  sums.sum += gap;
}

function newSums(): Sums {
  return { n: 0, sum: 0 };
}

/** z of the difference of two ratio estimates over the same clusters, from their summed influence per cluster. */
function differenceZ(
  groups: ReadonlyMap<number, readonly [Sums, Sums]>,
  all: readonly [Sums, Sums],
  means: readonly [number, number],
): number {
  if (all[0].n < 10 || all[1].n < 10) return 0;
  let squares = 0;
  for (const [fresh, repeated] of groups.values()) {
    const influence =
      (repeated.sum - means[1] * repeated.n) / all[1].n - (fresh.sum - means[0] * fresh.n) / all[0].n;
    squares += influence * influence;
  }
  return squares === 0 ? 0 : (means[1] - means[0]) / Math.sqrt(squares);
}
