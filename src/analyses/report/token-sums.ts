/**
 * What a run's summary needs from single tokens: sketches, groups, tails, worst tokens and the sums of sampled rows,
 * from the tokens lent by a kernel pass. This is the reference implementation; `kernel-token-sums.ts` does the same,
 * bit for bit, in WebAssembly.
 *
 * @module
 */
import type { MaskedTokens } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import {
  type LargeTokens,
  type MismatchSummary,
  type RatioTails,
  type TopList,
  ValueSketch,
} from "../../core/summaries/index.ts";
import type { WorstToken } from "../../results/worst.ts";
import { findRow } from "./batch-rows.ts";
import { LargeTokenFinder, type LargeTokensOf } from "./large-tokens.ts";
import type { RowSlices } from "./row-slices.ts";
import type { SampleRows } from "./sample-rows.ts";
import { sumStarved } from "./staleness.ts";
import type { TokenGroups } from "./token-groups.ts";
import { WorstTokens } from "./worst-tokens.ts";

/** From this turn on, turns have sums but no quantiles. */
export const TURNS_WITH_QUANTILES = 256;

/** The parts of a run's summary that tokens are added to. */
export interface TokenTargets {
  readonly total: MismatchSummary;
  readonly tails: RatioTails;
  readonly turnDeltas: ValueSketch[];
  readonly groups: TokenGroups;
  readonly worstTokens: TopList<WorstToken>;
  readonly largeTokens: LargeTokens;
}

/** A batch whose tokens are added. */
export interface TokenInput extends LargeTokensOf {
  readonly rollout: NonNullable<RecordBatch["rolloutLogprobs"]>;
  readonly trainer: NonNullable<RecordBatch["trainerLogprobs"]>;
  readonly slices: RowSlices;
  readonly sampled: SampleRows;
}

/** Adds the tokens of one batch in chunks. */
export interface TokenSums {
  /** @param firstRow first row of the pass that the tokens come from */
  add(tokens: MaskedTokens, firstRow: number): void;
  /** Ends a pass: the sums of its rows are complete. */
  endPass(): void;
  /** Ends the batch. */
  finish(): void;
}

export function openTurnDeltas(turnDeltas: ValueSketch[], turn: number): ValueSketch {
  while (turnDeltas.length <= turn) turnDeltas.push(new ValueSketch(7));
  return turnDeltas[turn]!;
}

/**
 * The row of token `first`, starting from a nearby row: tokens ascend, except for the extreme ones at the end of a
 * chunk.
 */
export function moveToRow(offsets: Int32Array, row: number, first: number): number {
  let at = first < offsets[row]! ? findRow(offsets, first) : row;
  while (offsets[at + 1]! <= first) at++;
  return at;
}

/** The reference implementation: one plain loop after another. */
export class PlainTokenSums implements TokenSums {
  readonly #targets: TokenTargets;
  readonly #input: TokenInput;
  readonly #worst: WorstTokens;
  readonly #large: LargeTokenFinder;

  constructor(targets: TokenTargets, input: TokenInput) {
    this.#targets = targets;
    this.#input = input;
    this.#worst = new WorstTokens(targets.worstTokens, input.batch);
    this.#large = new LargeTokenFinder(targets.largeTokens, input);
  }

  add(tokens: MaskedTokens, firstRow: number): void {
    const { batch, rollout, trainer, slices, sampled } = this.#input;
    const { tails, total, groups } = this.#targets;
    tails.addTokens(tokens, rollout, trainer);
    total.addTokens(tokens);
    this.#addTurnQuantiles(tokens);
    const { index, count, delta } = tokens;
    const words = new Uint32Array(delta.buffer, delta.byteOffset, count);
    let row = firstRow;
    for (let from = 0; from < count; ) {
      const first = index[from]!;
      row = moveToRow(batch.offsets, row, first);
      const end = batch.offsets[row + 1]!;
      let to = from + 1;
      for (; to < count; to++) {
        const next = index[to]!;
        if (next >= end || next < first) break;
      }
      for (const slice of slices.of(row)) slice.deltas.addRange(delta, words, from, to);
      groups.add(batch, row, tokens, from, to);
      sampled.add(row, tokens, from, to);
      for (let i = from; i < to; i++) {
        this.#worst.consider(row, tokens, i);
        this.#large.consider(row, tokens, i);
      }
      slices.addStarved(row, sumStarved(delta, from, to));
      from = to;
    }
  }

  #addTurnQuantiles({ turn, delta, count }: MaskedTokens): void {
    const words = new Uint32Array(delta.buffer, delta.byteOffset, count);
    for (let from = 0; from < count; ) {
      const of = turn[from]!;
      let to = from + 1;
      while (to < count && turn[to] === of) to++;
      if (of < TURNS_WITH_QUANTILES)
        openTurnDeltas(this.#targets.turnDeltas, of).addRange(delta, words, from, to);
      from = to;
    }
  }

  endPass(): void {}

  finish(): void {
    this.#targets.groups.settle();
  }
}
