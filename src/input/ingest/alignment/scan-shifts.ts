/**
 * Finds the entry of the trainer's column that is about the rollout's token t: t itself, as it should be, or one a few
 * places away.
 *
 * For each shift s, over the first masked tokens, the correlation of rollout[t] with trainer[t + s] is compared with
 * that of rollout[t] with trainer[t] at the same t. Stretches of at least {@link STRETCH} tokens of one turn vote for
 * the larger correlation. Unrelated columns give each side half of the votes, and aligned columns give fewer to any
 * other shift; so the number of votes for s is at most binomial with ½, whatever the policy, the noise and the size of
 * the mismatch. (Mean |Δ| does not work: log-probs grow along a response, so later entries are closer to any value.) A
 * shift is found when it has more votes than chance gives once in {@link ODDS} files ({@link logTail}, a Chernoff
 * bound, over all shifts that are tried) and more than three quarters of them. The size of |Δ| does not matter.
 *
 * Turns after tool output are also scanned separately: a trainer that tokenizes again is aligned until the first one.
 *
 * @module
 */
import type { FloatArray } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";

/** Masked tokens to scan; more would not change the answer. */
export const ENOUGH_TOKENS = 20_000;
const FARTHEST = 3;
/** Tokens that vote together: neighbors are alike, so single tokens would not be independent votes. */
const STRETCH = 16;
const ODDS = 1e6;
/** Halfway between unrelated (½) and aligned (1) columns. */
const LEAST_SHARE = 0.75;
/** vLLM's -inf, and values that cannot be log-probs: left out of the scan. */
const LOWEST = -9999;
const HIGHEST = 1e-3;

/**
 * A number of tokens, the same for all rows; or, in a padded array, each row's padding: `left` if only the trainer's
 * values are at the right end of their rows, `right` if only the rollout's are.
 */
export type Offset = number | "left" | "right";

/** All turns, or those after the first of each response. */
export type Scope = "all" | "later";

const OFFSETS: readonly Offset[] = [
  ...Array.from({ length: 2 * FARTHEST + 1 }, (_, i) => i - FARTHEST).filter((shift) => shift !== 0),
  "left",
  "right",
];

export interface ScannedShift {
  readonly offset: Offset;
  readonly scope: Scope;
  /** Tokens with a log-prob on both sides under this shift. */
  readonly tokens: number;
  /** Mean |Δ| under this shift, nats; NaN without a token. */
  readonly deltaAbs: number;
  /** Mean |Δ| of the same tokens in place, nats. */
  readonly deltaAbsInPlace: number;
  /** Stretches that correlate better under this shift, out of those that vote. */
  readonly votes: number;
  readonly stretches: number;
}

export interface ShiftScan {
  /** Masked tokens that were scanned. */
  readonly tokens: number;
  /** Mean |Δ| in place, nats. */
  readonly deltaAbs: number;
  readonly shifts: readonly ScannedShift[];
  /** Whether there were enough stretches to find any shift at all. */
  readonly canTell: boolean;
  /** The shift under which the columns agree; undefined when they are aligned, or undecidable. */
  readonly found: ScannedShift | undefined;
}

interface Sums {
  tokens: number;
  shifted: number;
  inPlace: number;
  votes: number;
  stretches: number;
}

const FIELDS = ["tokens", "shifted", "inPlace", "votes", "stretches"] as const satisfies (keyof Sums)[];

/** ln of a bound on P(Binomial(n, ½) ≥ k) for k ≥ n/2: n (H(k/n) − ln 2), exact for k = n. */
export function logTail(k: number, n: number): number {
  if (n === 0 || 2 * k <= n) return 0;
  const share = k / n;
  const rest = 1 - share;
  return -n * (Math.LN2 + share * Math.log(share) + (rest === 0 ? 0 : rest * Math.log(rest)));
}

function isLogprob(value: number): boolean {
  return value <= HIGHEST && value > LOWEST;
}

/** All shifts in both scopes: the number of tests per file. */
const QUESTIONS = 2 * OFFSETS.length;

export class ShiftScanner {
  readonly #sums = new Map<Scope, Map<Offset, Sums>>([
    ["all", emptySums()],
    ["later", emptySums()],
  ]);
  #tokens = 0;
  #compared = 0;
  #inPlace = 0;

  get hasEnough(): boolean {
    return this.#tokens >= ENOUGH_TOKENS;
  }

  /** Scans a batch, or its first sequences until there are enough tokens. */
  add(batch: RecordBatch): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, offsets } = batch;
    if (rollout === undefined || trainer === undefined) return;
    for (let i = 0; i < batch.length && !this.hasEnough; i++) {
      const [start, end] = [offsets[i]!, offsets[i + 1]!];
      this.#compareInPlace(rollout, trainer, mask, start, end);
      const padding = measurePadding(batch, i);
      for (const offset of OFFSETS) {
        const shift = typeof offset === "number" ? offset : offset === "left" ? padding : -padding;
        // Short paddings are covered by the shifts of a few tokens.
        if (typeof offset === "string" && padding <= FARTHEST) continue;
        let turn = 0;
        for (let t = start; t < end; turn++) {
          while (t < end && mask[t] === 0) t++;
          const first = t;
          while (t < end && mask[t] !== 0) t++;
          const sums = [this.#sums.get("all")!.get(offset)!];
          if (turn > 0) sums.push(this.#sums.get("later")!.get(offset)!);
          vote({ rollout, trainer, start: first, end: t }, shift, sums);
        }
      }
    }
  }

  #compareInPlace(
    rollout: FloatArray,
    trainer: FloatArray,
    mask: Uint8Array,
    start: number,
    end: number,
  ): void {
    for (let t = start; t < end; t++) {
      if (mask[t] === 0) continue;
      this.#tokens++;
      if (!isLogprob(rollout[t]!) || !isLogprob(trainer[t]!)) continue;
      this.#compared++;
      this.#inPlace += Math.abs(rollout[t]! - trainer[t]!);
    }
  }

  /** All sums so far, for {@link addSums} of another scanner. */
  sums(): Float64Array {
    const sums = [...this.#sums.values()].flatMap((byOffset) => [...byOffset.values()]);
    return Float64Array.from([
      this.#tokens,
      this.#compared,
      this.#inPlace,
      ...sums.flatMap((of) => FIELDS.map((field) => of[field])),
    ]);
  }

  /** Adds another scanner's sums. Sums of floats depend on the order, so files are added in the order of the run. */
  addSums(sums: ArrayLike<number>): void {
    let at = 0;
    this.#tokens += sums[at++]!;
    this.#compared += sums[at++]!;
    this.#inPlace += sums[at++]!;
    for (const byOffset of this.#sums.values())
      for (const of of byOffset.values()) for (const field of FIELDS) of[field] += sums[at++]!;
  }

  finish(): ShiftScan {
    const [all, later] = (["all", "later"] as const).map((scope) =>
      [...this.#sums.get(scope)!].map(
        ([offset, { tokens, shifted, inPlace, votes, stretches }]): ScannedShift => ({
          offset,
          scope,
          tokens,
          deltaAbs: shifted / tokens,
          deltaAbsInPlace: inPlace / tokens,
          votes,
          stretches,
        }),
      ),
    ) as [ScannedShift[], ScannedShift[]];
    return {
      tokens: this.#tokens,
      deltaAbs: this.#inPlace / this.#compared,
      shifts: all,
      canTell: all.some(({ stretches }) => isSurprising(stretches, stretches)),
      found: findShift(all) ?? findShift(later),
    };
  }
}

function emptySums(): Map<Offset, Sums> {
  return new Map(
    OFFSETS.map((offset) => [offset, { tokens: 0, shifted: 0, inPlace: 0, votes: 0, stretches: 0 }]),
  );
}

function isSurprising(votes: number, stretches: number): boolean {
  return Math.log(QUESTIONS) + logTail(votes, stretches) <= -Math.log(ODDS);
}

function findShift(shifts: readonly ScannedShift[]): ScannedShift | undefined {
  return shifts
    .filter(({ votes, stretches }) => votes >= LEAST_SHARE * stretches && isSurprising(votes, stretches))
    .sort((a, b) => b.votes / b.stretches - a.votes / a.stretches || a.deltaAbs - b.deltaAbs)[0];
}

/** Columns of padding in a sequence's row; 0 when the source has none. */
function measurePadding({ arrays, offsets }: RecordBatch, i: number): number {
  if (arrays === undefined || arrays.layout !== "padded") return 0;
  return arrays.widths[i]! - (offsets[i + 1]! - offsets[i]!);
}

interface Turn {
  readonly rollout: FloatArray;
  readonly trainer: FloatArray;
  readonly start: number;
  readonly end: number;
}

/**
 * Adds the votes of one turn for a shift. The last stretch takes the remaining tokens; a short turn is one stretch.
 */
function vote({ rollout, trainer, start, end }: Turn, shift: number, sums: readonly Sums[]): void {
  const from = Math.max(start, start - shift);
  const to = Math.min(end, end - shift);
  for (let t = from; t < to; ) {
    const stop = to - t < 2 * STRETCH ? to : t + STRETCH;
    const pairs = compareStretch(rollout, trainer, t, stop, shift);
    for (const sum of sums) {
      sum.tokens += pairs.tokens;
      sum.shifted += pairs.shifted;
      sum.inPlace += pairs.inPlace;
      // If either side is constant, there is no correlation, and the stretch does not vote.
      if (pairs.gain > 0) sum.votes++;
      if (pairs.gain !== 0 && !Number.isNaN(pairs.gain)) sum.stretches++;
    }
    t = stop;
  }
}

interface Compared {
  readonly tokens: number;
  /** Σ|Δ| under the shift and in place, nats. */
  readonly shifted: number;
  readonly inPlace: number;
  /** Correlation under the shift minus that in place; NaN when one does not exist. */
  readonly gain: number;
}

/** The pairs of a stretch, in memory that all stretches share: a file has tens of thousands of them. */
const stretch = {
  rollout: new Float64Array(2 * STRETCH),
  here: new Float64Array(2 * STRETCH),
  there: new Float64Array(2 * STRETCH),
};

function compareStretch(
  rollout: FloatArray,
  trainer: FloatArray,
  from: number,
  to: number,
  shift: number,
): Compared {
  let [tokens, shifted, inPlace] = [0, 0, 0];
  for (let t = from; t < to; t++) {
    const own = rollout[t]!;
    const here = trainer[t]!;
    const there = trainer[t + shift]!;
    if (!isLogprob(own) || !isLogprob(here) || !isLogprob(there)) continue;
    stretch.rollout[tokens] = own;
    stretch.here[tokens] = here;
    stretch.there[tokens] = there;
    tokens++;
    inPlace += Math.abs(own - here);
    shifted += Math.abs(own - there);
  }
  const gain =
    correlate(stretch.rollout, stretch.there, tokens) - correlate(stretch.rollout, stretch.here, tokens);
  return { tokens, shifted, inPlace, gain };
}

/** Pearson's r of the first `count` numbers of two arrays; NaN when one of them does not vary. */
function correlate(xs: Float64Array, ys: Float64Array, count: number): number {
  let [a, b] = [0, 0];
  for (let i = 0; i < count; i++) {
    a += xs[i]!;
    b += ys[i]!;
  }
  a /= count;
  b /= count;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const x = xs[i]! - a;
    const y = ys[i]! - b;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? Number.NaN : ab / Math.sqrt(aa * bb);
}
