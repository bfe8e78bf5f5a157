/**
 * One pass over a batch, before any correction is considered: sums everything that all of them treat alike.
 *
 * ```
 *  a turn's tokens with mask 1
 *        │  is Δ finite? ── no ──► excluded: counted by reason, then as if its mask were 0
 *        ▼
 *  inside every bound of every token-level rule (the core region)?
 *        │ yes                        │ no
 *        ▼                            ▼
 *  CoreSums of the turn         TailTokens, one by one
 *        └────────────┬───────────────┘
 *                     ▼
 *  Prepared ──► MeasuredBatch ──► Evaluator, per correction ──► accumulate ──► CorrectionSums
 *               (measures.ts      (apply.ts on sums)           (figures.ts)
 *                on sums)
 * ```
 *
 * Few tokens are in the tail (beyond some threshold of the grid), so the cost of a correction grows with the number of
 * turns, not of tokens: that is why two hundred cost little more than one.
 *
 * @module
 */
import { checkedRows, computeK3, computeProbDiff } from "../../core/kernels/index.ts";
import {
  binaryKlBound,
  type CorrectionBlock,
  diverges,
  type Figure,
  tokenStatistic,
} from "../../trainers/neutral/index.ts";
import type { CoreRegion } from "./core-region.ts";
import type { CoreSums, ExcludedCounts, Prepared } from "./prepared.ts";
import { TailBuilder } from "./tail-builder.ts";

/**
 * Sums the core of each turn (a contiguous run of mask 1), and keeps the tail token by token. Tokens whose Δ is not
 * finite are counted and left out as if their mask were 0; they do not split a turn.
 *
 * @throws LengthMismatchError if columns differ in length.
 */
export function prepare(block: CorrectionBlock, region: CoreRegion): Prepared {
  checkedRows(block, {});
  return new BatchPass(block, region).run();
}

class BatchPass {
  readonly #block: CorrectionBlock;
  readonly #region: CoreRegion;
  readonly #looksAtDiffs: boolean;
  readonly #looksAtProbs: boolean;
  /** The smallest of the binary KLs' upper bounds, and whether any of them has a shift. */
  readonly #leastKl: number;
  readonly #isKlShifted: boolean;
  /** Up to this |Δ| a token's Δp is certainly inside, unless a log-prob is positive: then |Δp| ≤ |Δ|. */
  readonly #surelyInside: number;
  readonly #core: CoreSums;
  /** The sums that some rule needs; k3 is always summed, since it costs almost nothing. */
  readonly #extras: readonly (readonly [Figure, Float64Array])[];
  readonly #wantsProbDiff: boolean;
  readonly #tail = new TailBuilder();
  readonly #tailStarts: Int32Array;
  readonly #turnIndex: Int32Array;
  readonly #turnLengths: Int32Array;
  readonly #startsInTail: Uint8Array;
  readonly #advantages: Float64Array;
  readonly #excluded = { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0 };
  #turns = 0;

  constructor(block: CorrectionBlock, region: CoreRegion) {
    this.#block = block;
    this.#region = region;
    const { low, high } = region.probDiff;
    this.#looksAtDiffs = Number.isFinite(low) || Number.isFinite(high);
    this.#looksAtProbs = this.#looksAtDiffs || region.binaryKls.length > 0;
    this.#leastKl = Math.min(...region.binaryKls.map(({ upper }) => upper));
    this.#isKlShifted = region.binaryKls.some(({ figure }) => figure.restShift !== undefined);
    this.#surelyInside = Math.min(-low, high);
    // Turns are counted first: growing arrays would be copied, and most runs have few turns.
    const room = countTurns(block.mask, block.offsets);
    this.#core = emptyCore(room, region.sums.keys());
    this.#extras = [...region.sums].flatMap(([key, figure]) =>
      figure.statistic === "k3" ? [] : [[figure, this.#core.extra.get(key)!] as const],
    );
    this.#wantsProbDiff = region.sums.has("prob_diff") || region.sums.has("abs_prob_diff");
    this.#tailStarts = new Int32Array(room + 1);
    this.#turnIndex = new Int32Array(room);
    this.#turnLengths = new Int32Array(room);
    this.#startsInTail = new Uint8Array(room);
    this.#advantages = new Float64Array(room);
  }

  run(): Prepared {
    const count = this.#block.offsets.length - 1;
    const turnStarts = new Int32Array(count + 1);
    const rows = new Int32Array(count);
    const lengths = new Int32Array(count);
    const emptyRows: number[] = [];
    let sequences = 0;
    for (let row = 0; row < count; row++) {
      const length = this.#addSequence(row);
      // Rows without a counted token are recorded separately: `normalize` over every sequence counts them.
      if (length === 0) {
        emptyRows.push(row);
        continue;
      }
      rows[sequences] = row;
      lengths[sequences] = length;
      sequences++;
      turnStarts[sequences] = this.#turns;
    }
    return {
      sequences,
      turnStarts,
      rows,
      lengths,
      turns: this.#turns,
      tailStarts: this.#tailStarts,
      turnIndex: this.#turnIndex,
      turnLengths: this.#turnLengths,
      startsInTail: this.#startsInTail,
      advantages: this.#advantages,
      core: this.#core,
      tail: this.#tail.finish(),
      emptyRows,
      excluded: this.#excluded,
    };
  }

  /** Adds the turns of a row; returns how many of its tokens count. */
  #addSequence(row: number): number {
    const { mask, offsets } = this.#block;
    const end = offsets[row + 1]!;
    let length = 0;
    let turn = 0;
    for (let t = offsets[row]!; t < end; turn++) {
      while (t < end && mask[t] === 0) t++;
      const start = t;
      while (t < end && mask[t] !== 0) t++;
      if (start === t) break;
      const tokens = this.#addTurn(start, t);
      // A turn that contains only excluded tokens is dropped, but still numbered: turns keep their numbers from the
      // data.
      if (tokens === 0) continue;
      this.#turnIndex[this.#turns] = turn;
      this.#turnLengths[this.#turns] = tokens;
      this.#turns++;
      this.#tailStarts[this.#turns] = this.#tail.count;
      length += tokens;
    }
    return length;
  }

  /**
   * Adds the tokens `[start, end)` as the turn at `#turns`; returns how many count. This loop sees every token of the
   * run: its sums are local variables because fields and array elements would be written once per token.
   */
  #addTurn(start: number, end: number): number {
    const { rollout, trainer, advantages } = this.#block;
    const { divergingInTail } = this.#region;
    const { low, high } = this.#region.delta;
    const tail = this.#tail;
    const k3Sums = this.#core.extra.get("k3");
    const wantsK3 = k3Sums !== undefined;
    const tailBefore = tail.count;
    let count = 0;
    let deltaSum = 0;
    let deltaSquare = 0;
    let deltaMin = Number.POSITIVE_INFINITY;
    let deltaMax = Number.NEGATIVE_INFINITY;
    let ratioSum = 0;
    let ratioSquare = 0;
    let k3 = 0;
    let positive = 0;
    let negative = 0;
    let advantageSum = 0;
    for (let t = start; t < end; t++) {
      const a = rollout[t]!;
      const b = trainer[t]!;
      const delta = b - a;
      // Only for a finite number is the difference from itself 0.
      if (delta - delta !== 0) {
        this.#excluded[findReason(a, b)]++;
        continue;
      }
      const advantage = advantages === undefined ? Number.NaN : advantages[t]!;
      advantageSum += advantage;
      const inside = delta >= low && delta <= high && (!this.#looksAtProbs || this.#areProbsInside(a, b));
      if (!inside || (divergingInTail && diverges(advantage, delta))) {
        this.#addToTail(a, b, advantage, count === 0 && tail.count === tailBefore);
        continue;
      }
      const ratio = Math.exp(delta);
      count++;
      deltaSum += delta;
      deltaSquare += delta * delta;
      if (delta < deltaMin) deltaMin = delta;
      if (delta > deltaMax) deltaMax = delta;
      ratioSum += ratio;
      ratioSquare += ratio * ratio;
      if (advantage > 0) positive++;
      else if (advantage < 0) negative++;
      if (wantsK3) k3 += computeK3(delta, ratio - 1);
      if (this.#extras.length > 0) this.#addExtras(a, b);
    }
    const core = this.#core;
    const turn = this.#turns;
    // Only excluded tokens: nothing was written, and the next turn takes this place.
    if (count === 0 && tail.count === tailBefore) return 0;
    core.count[turn] = count;
    core.delta[turn] = deltaSum;
    core.deltaSquare[turn] = deltaSquare;
    core.deltaMin[turn] = deltaMin;
    core.deltaMax[turn] = deltaMax;
    core.ratio[turn] = ratioSum;
    core.ratioSquare[turn] = ratioSquare;
    if (k3Sums) k3Sums[turn] = k3;
    core.positive[turn] = positive;
    core.negative[turn] = negative;
    this.#advantages[turn] = advantageSum;
    return count + tail.count - tailBefore;
  }

  /** @param isFirst of its turn: a rule on a turn's weight reads it from that token, so its place must be known */
  #addToTail(a: number, b: number, advantage: number, isFirst: boolean): void {
    if (isFirst) this.#startsInTail[this.#turns] = 1;
    this.#tail.push(a, b, advantage);
  }

  #areProbsInside(a: number, b: number): boolean {
    if (this.#looksAtDiffs && !this.#isDiffInside(a, b)) return false;
    // Few tokens need their binary KLs computed.
    if (binaryKlBound(a, b, this.#isKlShifted) < this.#leastKl) return true;
    return this.#region.binaryKls.every(({ figure, upper }) => tokenStatistic(figure, a, b) <= upper);
  }

  /** Few tokens need their Δp computed: two exponentials. */
  #isDiffInside(a: number, b: number): boolean {
    if (a <= 0 && b <= 0 && Math.abs(b - a) <= this.#surelyInside) return true;
    const { low, high } = this.#region.probDiff;
    const diff = computeProbDiff(a, b);
    return diff >= low && diff <= high;
  }

  /** Sums that some turn or sequence rule needs; rare, so they may be slow. */
  #addExtras(a: number, b: number): void {
    for (const [figure, sums] of this.#extras) sums[this.#turns]! += tokenStatistic(figure, a, b);
    if (!this.#wantsProbDiff) return;
    const { probDiffMin, probDiffMax } = this.#core;
    const diff = computeProbDiff(a, b);
    if (diff < probDiffMin[this.#turns]!) probDiffMin[this.#turns] = diff;
    if (diff > probDiffMax[this.#turns]!) probDiffMax[this.#turns] = diff;
  }
}

function countTurns(mask: Uint8Array, offsets: Int32Array): number {
  let turns = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    let before = 0;
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      const bit = mask[t]!;
      if (bit !== 0 && before === 0) turns++;
      before = bit;
    }
  }
  return turns;
}

/** As the kernel counts them: −∞ on one side only gives an infinite Δ, everything else is missing. */
function findReason(rollout: number, trainer: number): keyof ExcludedCounts {
  if (Number.isFinite(rollout) && trainer === Number.NEGATIVE_INFINITY) return "delta_negative_infinite";
  if (Number.isFinite(trainer) && rollout === Number.NEGATIVE_INFINITY) return "delta_positive_infinite";
  return "missing";
}

function emptyCore(turns: number, extra: Iterable<string>): CoreSums {
  const sums = (): Float64Array => new Float64Array(turns);
  return {
    count: new Int32Array(turns),
    delta: sums(),
    deltaSquare: sums(),
    deltaMin: sums(),
    deltaMax: sums(),
    ratio: sums(),
    ratioSquare: sums(),
    extra: new Map([...extra].map((key) => [key, sums()])),
    probDiffMin: sums().fill(Number.POSITIVE_INFINITY),
    probDiffMax: sums().fill(Number.NEGATIVE_INFINITY),
    positive: new Int32Array(turns),
    negative: new Int32Array(turns),
  };
}
