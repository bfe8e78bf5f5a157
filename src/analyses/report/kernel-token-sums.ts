/**
 * `token-sums.ts` in WebAssembly: each chunk of tokens is copied in once, and all loops over it run there.
 *
 *     piece ─► tokens, log-probs, ids copied in ─► list ──► tails, worst tokens, starved: what few tokens need, here
 *                  │
 *                  ├─ by row ─────────► addRow ────► groups by place, probability and id; the row's sums for the sample
 *                  ├─ by row and turn ► addDeltas ─► one sketch for each set of slices and turn, one of all
 *                  └──────────────────► addProbDiffs
 *     after the batch: each sketch is added to the slices and the turn that it stands for, the groups are settled
 *
 * @module
 */
import type { CountedCells, CountedGroups, MaskedTokens, TokensKernel } from "../../core/kernels/index.ts";
import { type GroupSums, THRESHOLD_WORDS } from "../../core/summaries/index.ts";
import { LargeTokenFinder } from "./large-tokens.ts";
import type { SliceSet } from "./row-slices.ts";
import type { RowSums } from "./sample-rows.ts";
import { STARVED_DELTA, starve } from "./staleness.ts";
import { BUCKET_EDGES } from "./token-groups.ts";
import {
  moveToRow,
  openTurnDeltas,
  type TokenInput,
  type TokenSums,
  type TokenTargets,
  TURNS_WITH_QUANTILES,
} from "./token-sums.ts";
import { WorstTokens } from "./worst-tokens.ts";

/** A sketch in the kernel, and what it represents. */
interface OpenSketch {
  readonly sketch: number;
  readonly set: SliceSet;
  readonly turn: number;
}

export class KernelTokenSums implements TokenSums {
  readonly #kernel: TokensKernel;
  readonly #targets: TokenTargets;
  readonly #input: TokenInput;
  readonly #worst: WorstTokens;
  readonly #large: LargeTokenFinder;
  /** By set and turn. */
  readonly #sketches = new Map<number, OpenSketch>();
  /** The row whose sums are in the kernel; -1: none. */
  #row = -1;
  /** Ids too large for the kernel; -1 for the others. */
  #largeIds = new Int32Array(0);

  constructor(kernel: TokensKernel, targets: TokenTargets, input: TokenInput) {
    this.#kernel = kernel;
    this.#targets = targets;
    this.#input = input;
    this.#worst = new WorstTokens(targets.worstTokens, input.batch);
    this.#large = new LargeTokenFinder(targets.largeTokens, input);
    kernel.edgesIn.set(BUCKET_EDGES);
    for (const [i, words] of THRESHOLD_WORDS.entries()) kernel.thresholdsIn.set(words, 2 * i);
    // Drops what a batch that ended with an error left behind.
    kernel.clearSketches();
    kernel.clearGroups();
    kernel.clearRow();
  }

  add(tokens: MaskedTokens, firstRow: number): void {
    const kernel = this.#kernel;
    const { count } = tokens;
    copyIn(kernel, tokens);
    kernel.beginPiece(count);
    this.#findGroups(tokens);
    const found = this.#list(tokens);
    kernel.addProbDiffs(count);
    const { offsets } = this.#input.batch;
    let row = firstRow;
    let next = 0;
    for (let from = 0; from < count; ) {
      row = moveToRow(offsets, row, tokens.index[from]!);
      const start = offsets[row]!;
      this.#openRow(row);
      const to = kernel.addRow(from, count, start, offsets[row + 1]! - start);
      this.#addDeltas(tokens, row, from, to);
      next = this.#addListed(tokens, row, next, found, to);
      from = to;
    }
  }

  #findGroups(tokens: MaskedTokens): void {
    const kernel = this.#kernel;
    const { count, index } = tokens;
    const { rollout, batch } = this.#input;
    const ids = batch.responseTokenIds;
    const first = kernel.firstPosition(count);
    const end = kernel.lastPosition(count) + 1;
    const isDense = rollout instanceof Float32Array && end - first <= kernel.chunk;
    if (isDense) {
      kernel.rolloutIn.set(rollout.subarray(first, end));
      if (ids) kernel.idIn.set(ids.subarray(first, end));
    } else {
      for (let i = 0; i < count; i++) kernel.rolloutIn[i] = roundToBucket(rollout[index[i] as number]!);
      for (let i = 0; ids && i < count; i++) kernel.idIn[i] = ids[index[i] as number]!;
    }
    const large = kernel.findGroups(count, isDense ? first : 0, ids ? 1 : 0, isDense ? 0 : 1);
    if (ids && large > 0) this.#addLargeIds(tokens, ids);
  }

  #addLargeIds({ count, index, delta, k3 }: MaskedTokens, ids: Int32Array): void {
    if (this.#largeIds.length < count) this.#largeIds = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const id = ids[index[i] as number]!;
      this.#largeIds[i] = id < this.#kernel.mostIds ? -1 : id;
    }
    this.#targets.groups.tokenIds.addMany(this.#largeIds, delta, k3, 0, count);
  }

  /** Passes all tokens to the tails; returns how many worst, large and starved tokens are listed. */
  #list(tokens: MaskedTokens): number {
    const { tails } = this.#targets;
    const { rollout, trainer } = this.#input;
    const { low, high } = tails.window;
    const { threshold } = this.#worst;
    const large = this.#large.window;
    const found = this.#kernel.list(
      tokens.count,
      Math.max(low, -threshold, large.low, STARVED_DELTA),
      Math.min(high, threshold, large.high),
    );
    tails.addListed(tokens, this.#kernel.listed, found, rollout, trainer);
    return found;
  }

  /** Adds the listed tokens from `next` on that precede token `to`; returns the index of the first one after them. */
  #addListed(tokens: MaskedTokens, row: number, next: number, found: number, to: number): number {
    const { listed } = this.#kernel;
    let starved = 0;
    let at = next;
    for (; at < found && listed[at]! < to; at++) {
      const i = listed[at]!;
      starved += starve(tokens.delta[i]!);
      this.#worst.consider(row, tokens, i);
      this.#large.consider(row, tokens, i);
    }
    if (starved !== 0) this.#input.slices.addStarved(row, starved);
    return at;
  }

  #addDeltas(tokens: MaskedTokens, row: number, from: number, to: number): void {
    const set = this.#input.slices.set(row);
    for (let start = from; start < to; ) {
      const end = this.#kernel.endOfTurn(start, to);
      const turn = Math.min(tokens.turn[start]!, TURNS_WITH_QUANTILES);
      const sketch = this.#openSketch(set, turn);
      this.#kernel.addDeltas(start, end, sketch);
      if (sketch === this.#kernel.sketches) this.#addPlainly(tokens, set, turn, start, end);
      start = end;
    }
  }

  #openSketch(set: SliceSet, turn: number): number {
    const key = set.number * (TURNS_WITH_QUANTILES + 1) + turn;
    const known = this.#sketches.get(key);
    if (known !== undefined) return known.sketch;
    const sketch = this.#sketches.size;
    // The last sketch is not used.
    if (sketch === this.#kernel.sketches) return sketch;
    this.#sketches.set(key, { sketch, set, turn });
    return sketch;
  }

  /** For sets of slices and turns beyond the kernel's sketches. */
  #addPlainly({ delta, count }: MaskedTokens, set: SliceSet, turn: number, from: number, to: number): void {
    const words = new Uint32Array(delta.buffer, delta.byteOffset, count);
    for (const slice of this.#input.slices.open(set)) slice.deltas.addRange(delta, words, from, to);
    if (turn < TURNS_WITH_QUANTILES)
      openTurnDeltas(this.#targets.turnDeltas, turn).addRange(delta, words, from, to);
  }

  /** Makes this row the kernel's current row. */
  #openRow(row: number): void {
    if (row === this.#row) return;
    this.#closeRow();
    this.#row = row;
    this.#kernel.clearRow();
    const known = this.#input.sampled.get(row);
    if (known !== undefined) resumeRow(this.#kernel, known);
  }

  #closeRow(): void {
    const { sampled } = this.#input;
    if (this.#row >= 0 && sampled.wants(this.#row)) sampled.put(this.#row, readRow(this.#kernel));
    this.#row = -1;
  }

  endPass(): void {
    this.#closeRow();
  }

  finish(): void {
    const kernel = this.#kernel;
    const { total, groups, turnDeltas } = this.#targets;
    for (const { sketch, set, turn } of this.#sketches.values()) {
      // For several additions in a row: the lists are valid until other cells are listed.
      const listed = kernel.wideSketches[sketch]!.list();
      const counted = { ...kernel.wideSketches[sketch]!, list: () => listed };
      for (const slice of this.#input.slices.open(set)) slice.deltas.addCounted(counted);
      if (turn < TURNS_WITH_QUANTILES) openTurnDeltas(turnDeltas, turn).addCounted(counted);
    }
    total.deltas.addCounted(this.#allDeltas());
    total.probDiffs?.addCounted(kernel.probDiffs);
    addAll(groups.deciles, kernel.takeDeciles());
    addAll(groups.buckets, kernel.takeBuckets());
    groups.tokenIds.addCounted(kernel.sortIds(), kernel.takeIds);
    // Of ids that the kernel left out.
    groups.tokenIds.settle();
  }

  #allDeltas(): CountedCells {
    const kernel = this.#kernel;
    kernel.uniteDeltaPages();
    const extremes = Float32Array.of(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    for (const sketch of kernel.wideSketches) {
      const [min, max] = sketch.extremes as unknown as readonly [number, number];
      extremes[0] = Math.min(extremes[0]!, min);
      extremes[1] = Math.max(extremes[1]!, max);
    }
    return { ...kernel.deltas, extremes };
  }
}

function copyIn(kernel: TokensKernel, { count, delta, probDiff, k3, index, turn }: MaskedTokens): void {
  kernel.deltaIn.set(delta.subarray(0, count));
  kernel.probDiffIn.set(probDiff.subarray(0, count));
  kernel.k3In.set(k3.subarray(0, count));
  kernel.indexIn.set(index.subarray(0, count));
  kernel.turnIn.set(turn.subarray(0, count));
}

/** A float32 in the same bucket as a double-precision log-prob. */
function roundToBucket(logprob: number): number {
  let bucket = 0;
  while (bucket < BUCKET_EDGES.length && logprob >= BUCKET_EDGES[bucket]!) bucket++;
  return bucket === 0 ? Number.NEGATIVE_INFINITY : BUCKET_EDGES[bucket - 1]!;
}

function readRow(kernel: TokensKernel): RowSums {
  const count = kernel.countTurns();
  // Created at its final length, not spread: the sample keeps 32,768 of them, and engines give such arrays half the
  // memory.
  const turns = new Array<number>(2 * count);
  const excess = new Array<number>(count);
  for (let turn = 0; turn < count; turn++) {
    turns[2 * turn] = kernel.rowTurns[3 * turn]!;
    turns[2 * turn + 1] = kernel.rowTurns[3 * turn + 1]!;
    excess[turn] = kernel.rowTurns[3 * turn + 2]!;
  }
  return { turns, excess, deciles: Array.from(kernel.rowDeciles), jumps: kernel.countJumps() };
}

function resumeRow(kernel: TokensKernel, { turns, excess, deciles, jumps }: RowSums): void {
  kernel.rowDeciles.set(deciles);
  for (let turn = 0; turn < excess.length; turn++) {
    kernel.rowTurns[3 * turn] = turns[2 * turn]!;
    kernel.rowTurns[3 * turn + 1] = turns[2 * turn + 1]!;
    kernel.rowTurns[3 * turn + 2] = excess[turn]!;
  }
  kernel.resumeRow(excess.length, jumps);
}

function addAll(sums: GroupSums, counted: CountedGroups): void {
  sums.addCounted(counted.groups.length, () => counted);
}
