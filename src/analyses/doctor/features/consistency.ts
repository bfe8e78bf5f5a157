/**
 * How consistently the same token differs within a step: different weights move a token after a given token nearly
 * alike wherever it occurs, and noise of caches and routers does not; another context moves it as that context does.
 * From step to step both sides' weights change, and the direction with them.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { KeyPlaces } from "./key-places.ts";
import { SUREST } from "./spread.ts";
import { PairSums } from "./stats.ts";

/**
 * Shares are intraclass correlations: 0 if groups explain nothing, 1 if they explain everything; NaN with too few
 * groups.
 */
export interface Consistency {
  /** Share of the variance of the signed logit gap that the token's id explains. */
  readonly byToken: number;
  /** Share that the id and the preceding id explain, each pair counted once per prompt. */
  readonly byPair: number;
  /** Share that the prompt explains. */
  readonly byPrompt: number;
  /** Pearson's r of log |gap| with that of the preceding token. */
  readonly neighbors: number;
  /** Pearson's r of log |gap| with the rollout's confidence, |logit p|. */
  readonly sureness: number;
  /** Mean |gap| of the first three tokens of later turns over that of all others; NaN if there is only one turn. */
  readonly turnStarts: number;
}

const MOST = 3;
/** A gap of 0 has no logarithm. */
const LEAST = 1e-5;
const FIRST_OF_TURN = 3;
/** Larger than any vocabulary: a pair of ids is one number. */
const IDS = 2 ** 24;

export function measureConsistency(view: View): Consistency {
  const { logits } = view;
  const [tokens, pairs, prompts] = [new Groups(), new Groups(), new Groups()];
  const seen = new Map<number, KeyPlaces>();
  const [neighbors, sureness] = [new PairSums(), new PairSums()];
  const [starts, others] = [new RunningMean(), new RunningMean()];
  for (let r = 0; r < view.rows.length; r++) {
    const { ids, group, step } = view.rows[r]!;
    const known = seen.get(group) ?? new KeyPlaces();
    seen.set(group, known);
    const [from, to] = view.span(r);
    let before = Number.NaN;
    let since = FIRST_OF_TURN;
    for (let i = from; i < to; i++) {
      since = view.isTurnStart(i) ? 0 : since + 1;
      const gap = signedGap(view, i);
      if (gap === undefined) {
        before = Number.NaN;
        continue;
      }
      prompts.add(step, group, gap);
      const id = ids?.[i - from];
      if (id !== undefined) {
        tokens.add(step, id, gap);
        const pair = (i > from ? ids![i - from - 1]! + 1 : 0) * IDS + id;
        const next = known.size;
        if (known.place(pair) === next) pairs.add(step, pair, gap);
      }
      const size = Math.log(Math.abs(gap) + LEAST);
      if (!Number.isNaN(before)) neighbors.add(before, size);
      before = size;
      sureness.add(Math.abs(logits.rollout[i]!), size);
      (since < FIRST_OF_TURN ? starts : others).add(Math.abs(gap));
    }
  }
  return {
    byToken: tokens.share,
    byPair: pairs.share,
    byPrompt: prompts.share,
    neighbors: neighbors.correlation,
    sureness: sureness.correlation,
    turnStarts: starts.count < 10 ? Number.NaN : starts.mean / (others.mean + LEAST),
  };
}

function signedGap(view: View, i: number): number | undefined {
  const a = view.a[i]!;
  const c = view.c[i]!;
  if (!view.isOwn(i) || a >= 0 || c >= 0 || (a > SUREST && c > SUREST)) return undefined;
  const { rollout, trainer } = view.logits;
  return Math.max(-MOST, Math.min(MOST, trainer[i]! - rollout[i]!));
}

class RunningMean {
  count = 0;
  #sum = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
  }

  /** NaN if empty. */
  get mean(): number {
    return this.#sum / this.count;
  }
}

const FEWEST_GROUPS = 3;
const FEWEST_WITHIN = 10;

/** One-way analysis of variance over groups with at least two values; the same key in another step is another group. */
class Groups {
  readonly #steps = new Map<number, GroupSums>();
  #step = Number.NaN;
  #open: GroupSums | undefined;

  add(step: number, key: number, value: number): void {
    if (this.#open === undefined || step !== this.#step) {
      this.#open = this.#steps.get(step) ?? new GroupSums();
      this.#steps.set(step, this.#open);
      this.#step = step;
    }
    this.#open.add(key, value);
  }

  /** (MSB − MSW) / (MSB + (n₀ − 1) MSW), with n₀ for groups of unequal size (Donner, 1986). */
  get share(): number {
    let [groups, n, sum, squares, between, sizes] = [0, 0, 0, 0, 0, 0];
    for (const { keys, table } of this.#steps.values()) {
      for (let at = 0; at < keys.size * WIDTH; at += WIDTH) {
        const count = table[at]!;
        if (count < 2) continue;
        const own = table[at + 1]!;
        groups++;
        n += count;
        sum += own;
        squares += table[at + 2]!;
        between += own ** 2 / count;
        sizes += count ** 2;
      }
    }
    if (groups < FEWEST_GROUPS || n - groups < FEWEST_WITHIN) return Number.NaN;
    const meanBetween = (between - sum ** 2 / n) / (groups - 1);
    const meanWithin = (squares - between) / (n - groups);
    const size = (n - sizes / n) / (groups - 1);
    const total = meanBetween + (size - 1) * meanWithin;
    return total > 0 ? (meanBetween - meanWithin) / total : 0;
  }
}

/** Count, sum and sum of squares of a group are adjacent, in one cache line. */
const WIDTH = 4;

/** Groups of one step, in order of first occurrence. */
class GroupSums {
  readonly keys = new KeyPlaces();
  table = new Float64Array(64 * WIDTH);

  add(key: number, value: number): void {
    const at = this.keys.place(key) * WIDTH;
    if (at === this.table.length) {
      const wider = new Float64Array(2 * at);
      wider.set(this.table);
      this.table = wider;
    }
    const { table } = this;
    table[at]!++;
    table[at + 1]! += value;
    table[at + 2]! += value * value;
  }
}
