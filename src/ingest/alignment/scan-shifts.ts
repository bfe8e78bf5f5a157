/**
 * Finds the entry of the trainer's column that belongs to the rollout's token t: t itself, as it should be, or one a
 * few places away.
 *
 * For each shift s, over the first masked tokens, the correlation of rollout[t] with trainer[t + s] is compared with
 * that of rollout[t] with trainer[t] at the same t. Stretches of tokens of one turn (`shift-votes.ts`) vote for the larger
 * correlation. Unrelated columns give each side half of the votes, and aligned columns give fewer to any other shift;
 * so the number of votes for s is at most binomial with ½, whatever the policy, the noise and the size of the mismatch.
 * (Mean |Δ| does not work: log-probs grow along a response, so later entries are closer to any value.) A
 * shift is found when it has more votes than chance gives once in {@link ODDS} files ({@link logTail}, a Chernoff
 * bound, over all shifts that are tried) and more than three quarters of them. The size of |Δ| does not matter.
 *
 * Turns after tool output are also scanned separately: a trainer that tokenizes again is aligned until the first one.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import { addRow, placeOf, SHIFT_SUMS } from "./shift-votes.ts";

/** Masked tokens to scan; more would not change the answer. */
export const ENOUGH_TOKENS = 20_000;
const FARTHEST = 3;
const ODDS = 1e6;
/** Halfway between unrelated (½) and aligned (1) columns. */
const LEAST_SHARE = 0.75;

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

/** ln of a bound on P(Binomial(n, ½) ≥ k) for k ≥ n/2: n (H(k/n) − ln 2), exact for k = n. */
export function logTail(k: number, n: number): number {
  if (n === 0 || 2 * k <= n) return 0;
  const share = k / n;
  const rest = 1 - share;
  return -n * (Math.LN2 + share * Math.log(share) + (rest === 0 ? 0 : rest * Math.log(rest)));
}

/** All shifts in both scopes: the number of tests per file. */
const QUESTIONS = 2 * OFFSETS.length;

export class ShiftScanner {
  /** In the layout of `shift-votes.ts`. */
  readonly #sums = new Float64Array(placeOf(OFFSETS.length, OFFSETS.length, true));

  get hasEnough(): boolean {
    return this.#sums[0]! >= ENOUGH_TOKENS;
  }

  /** Scans a batch, or its first sequences until there are enough tokens. */
  add(batch: RecordBatch): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, offsets } = batch;
    if (rollout === undefined || trainer === undefined) return;
    for (let i = 0; i < batch.length && !this.hasEnough; i++) {
      const [start, end] = [offsets[i]!, offsets[i + 1]!];
      const turns = findTurns(mask, start, end);
      addRow(this.#sums, { rollout, trainer, start, end, turns, shifts: shiftsOf(measurePadding(batch, i)) });
    }
  }

  /** All sums so far, for {@link addSums} of another scanner. */
  sums(): Float64Array {
    return this.#sums.slice();
  }

  /** Adds another scanner's sums. Sums of floats depend on the order, so files are added in the order of the run. */
  addSums(sums: ArrayLike<number>): void {
    for (let i = 0; i < sums.length; i++) this.#sums[i]! += sums[i]!;
  }

  finish(): ShiftScan {
    const [tokens, compared, inPlace] = this.#sums as unknown as readonly [number, number, number];
    const [all, later] = [this.#shifts("all"), this.#shifts("later")];
    return {
      tokens,
      deltaAbs: inPlace / compared,
      shifts: all,
      canTell: all.some(({ stretches }) => isSurprising(stretches, stretches)),
      found: findShift(all) ?? findShift(later),
    };
  }

  #shifts(scope: Scope): ScannedShift[] {
    return OFFSETS.map((offset, number) => {
      const at = placeOf(number, OFFSETS.length, scope === "later");
      const [tokens, shifted, inPlace, votes, stretches] = this.#sums.subarray(
        at,
        at + SHIFT_SUMS,
      ) as unknown as readonly [number, number, number, number, number];
      return {
        offset,
        scope,
        tokens,
        deltaAbs: shifted / tokens,
        deltaAbsInPlace: inPlace / tokens,
        votes,
        stretches,
      };
    });
  }
}

/** Interprets the sums of a scanner. */
export function readScan(sums: ArrayLike<number>): ShiftScan {
  const scanner = new ShiftScanner();
  scanner.addSums(sums);
  return scanner.finish();
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

/** The shift of each offset, by its number, in a row with this many columns of padding. */
function shiftsOf(padding: number): (number | undefined)[] {
  return OFFSETS.map((offset) => {
    if (typeof offset === "number") return offset;
    // Short paddings are covered by the shifts of a few tokens.
    if (padding <= FARTHEST) return undefined;
    return offset === "left" ? padding : -padding;
  });
}

/** The stretches of mask 1 in `[start, end)`, as pairs: the first entry, and the one after the last. */
function findTurns(mask: Uint8Array, start: number, end: number): number[] {
  const turns: number[] = [];
  for (let t = start; t < end; ) {
    while (t < end && mask[t] === 0) t++;
    const first = t;
    while (t < end && mask[t] !== 0) t++;
    turns.push(first, t);
  }
  return turns;
}
