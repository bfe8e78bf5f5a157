/**
 * How far the difference is the same whenever the same token comes again within a step: other weights move a token
 * behind a token nearly alike wherever it stands, noise of caches and routers does not; another context moves it as that
 * context does. From step to step both sides' weights change, and with them the direction.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { KeyPlaces } from "./key-places.ts";
import { SUREST } from "./spread.ts";
import { PairSums } from "./stats.ts";

/** Shares are intraclass correlations: 0 where groups say nothing, 1 where they say all; NaN where too few. */
export interface Consistency {
  /** Of the variance of the signed gap in logits, the share that the token's id explains. */
  readonly byToken: number;
  /** The share that the id and the id before it explain, each such pair once per prompt. */
  readonly byPair: number;
  /** The share that the prompt explains. */
  readonly byPrompt: number;
  /** Pearson's r of log |gap| with that of the token before. */
  readonly neighbors: number;
  /** Pearson's r of log |gap| with how sure the rollout is, |logit p|. */
  readonly sureness: number;
  /** Mean |gap| of the first three tokens of later turns over that of all others; NaN with one turn. */
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
    const { ids, group, step } = view.rows[r] as View["rows"][number];
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
        const pair = (i > from ? (ids?.[i - from - 1] as number) + 1 : 0) * IDS + id;
        const next = known.size;
        if (known.place(pair) === next) pairs.add(step, pair, gap);
      }
      const size = Math.log(Math.abs(gap) + LEAST);
      if (!Number.isNaN(before)) neighbors.add(before, size);
      before = size;
      sureness.add(Math.abs(logits.rollout[i] as number), size);
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
  return Math.max(-MOST, Math.min(MOST, (trainer[i] as number) - (rollout[i] as number)));
}

class RunningMean {
  count = 0;
  #sum = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
  }

  /** NaN of none. */
  get mean(): number {
    return this.#sum / this.count;
  }
}

const FEWEST_GROUPS = 3;
const FEWEST_WITHIN = 10;

/** One-way analysis of variance of groups with two values or more; a key of another step is another group. */
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
    for (const { keys, counts, sums, squares: ownSquares } of this.#steps.values()) {
      for (let g = 0; g < keys.size; g++) {
        const count = counts[g]!;
        if (count < 2) continue;
        const own = sums[g]!;
        groups++;
        n += count;
        sum += own;
        squares += ownSquares[g]!;
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

/** Groups of one step, in the order in which they first came. */
class GroupSums {
  readonly keys = new KeyPlaces();
  counts = new Float64Array(64);
  sums = new Float64Array(64);
  squares = new Float64Array(64);

  add(key: number, value: number): void {
    const group = this.keys.place(key);
    if (group === this.counts.length) {
      this.counts = widen(this.counts);
      this.sums = widen(this.sums);
      this.squares = widen(this.squares);
    }
    this.counts[group]!++;
    this.sums[group]! += value;
    this.squares[group]! += value * value;
  }
}

function widen(column: Float64Array): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(2 * column.length);
  wider.set(column);
  return wider;
}
