/**
 * Token by token over the sequences of a run: bins for corrections, the worst tokens, the spread of entropies.
 *
 * @module
 */

import { orNull } from "../../../../core/base/index.ts";
import { computeImpact, turnOfMark } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import { ValueSketch } from "../../../../core/summaries/index.ts";
import { BinBuilder } from "../correct/bins.ts";
import { formatRowHandle, type Row } from "./build-sequence.ts";
import { PackedTokens } from "./packed-tokens.ts";
import { CONTEXT, CONTEXT_MARGIN, TopTokensBuilder } from "./top-tokens.ts";
import { OPENING, TopTurnsBuilder } from "./top-turns.ts";

/** Figures over the row's tokens with mask 1. */
export interface TokenFigures {
  /** Δ of those whose two log-probs are finite, in order, in memory that the next row uses again. */
  readonly deltas: Float64Array;
  readonly rhoSum: number;
  readonly rhoSquares: number;
  /** Response token with the largest |Δ|; -1 without one. */
  readonly worst: number;
  /** Mean; NaN where there are none. */
  readonly advantage: number;
  readonly entropySum: number;
  readonly entropyTokens: number;
}

/** The current turn: its tokens with mask 1 and a finite Δ. */
interface OpenTurn {
  turn: number;
  /** Response token with which it begins. */
  first: number;
  tokens: number;
  sum: number;
  largest: number;
  worst: number;
}

export class TokenPass {
  readonly topTokens = new TopTokensBuilder();
  readonly topTurns = new TopTurnsBuilder();
  readonly bins = new BinBuilder();
  readonly entropy = new ValueSketch(10);
  /** |A|·|ρ − 1| of the tokens with an advantage. */
  readonly impact = new ValueSketch(10);

  readonly #packed = new PackedTokens();

  /** Begins a batch whose rows follow; `first` is the place of the first one in the table of sequences. */
  beginBatch(batch: RecordBatch, first: number): void {
    this.topTokens.offerIds(batch, first);
  }

  addRow(sequence: Row): TokenFigures {
    const { batch, row } = sequence;
    const { responseMask: mask, advantages } = batch;
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    const packed = this.#packed;
    packed.take(batch, start, end);
    const { deltas, rhos, count } = packed;
    let rhoSum = 0;
    let rhoSquares = 0;
    for (let i = 0; i < count; i++) {
      const rho = rhos[i]!;
      rhoSum += rho;
      rhoSquares += rho * rho;
    }
    const known = advantages && packed.pick(advantages, start);
    this.bins.addTokens(batch.correctness[row]!, packed, known);
    this.bins.endSequence(batch.rewards[row]!);
    if (known) this.#addImpacts(known);
    this.#offerTokens(sequence, start, end);
    const worst = this.#offerTurns(sequence);
    return {
      deltas: deltas.subarray(0, count),
      rhoSum,
      rhoSquares,
      worst,
      advantage: averageKnown(advantages, mask, start, end),
      ...this.#addEntropies(batch, start, end),
    };
  }

  #addImpacts(advantages: Float32Array): void {
    const { deltas, count } = this.#packed;
    for (let i = 0; i < count; i++) {
      const impact = computeImpact(advantages[i]!, deltas[i]!);
      if (Number.isFinite(impact)) this.impact.add(Math.abs(impact));
    }
  }

  #offerTokens(sequence: Row, start: number, end: number): void {
    const { batch, index } = sequence;
    const packed = this.#packed;
    const { topTokens } = this;
    topTokens.offerTokens(index, { packed, batch, start, end });
    const { sizes, places, count } = packed;
    let { threshold } = topTokens;
    for (let i = 0; i < count; i++) {
      if (sizes[i]! < threshold || sizes[i] === 0) continue;
      this.#keep(sequence, places[i]!, packed.deltas[i]!);
      threshold = topTokens.threshold;
    }
  }

  /** Returns the response token with the largest |Δ|; -1 without one. */
  #offerTurns(sequence: Row): number {
    const { turnMarks, index } = sequence;
    const { deltas, sizes, places, count } = this.#packed;
    let worst = -1;
    let largest = -1;
    for (let from = 0; from < count; ) {
      const first = places[from]!;
      const mark = turnMarks[first]!;
      const open = { turn: turnOfMark(mark)!, first, tokens: 0, sum: 0, largest: -1, worst: -1 };
      let rounded = -1;
      let worstRounded = -1;
      let to = from;
      for (; to < count && turnMarks[places[to]!] === mark; to++) {
        const size = Math.abs(deltas[to]!);
        open.sum += size;
        if (size > open.largest) {
          open.largest = size;
          open.worst = places[to]!;
        }
        if (sizes[to]! > rounded) {
          rounded = sizes[to]!;
          worstRounded = places[to]!;
        }
      }
      open.tokens = to - from;
      this.#endTurn(sequence, open);
      this.topTokens.offerTurn(open.turn, rounded, index, worstRounded);
      if (open.largest > largest) {
        largest = open.largest;
        worst = open.worst;
      }
      from = to;
    }
    return worst;
  }

  #endTurn({ batch, row, index }: Row, { turn, first, tokens, sum, largest, worst }: OpenTurn): void {
    this.topTurns.offer(tokens, sum / tokens, largest, () => ({
      sequence: index,
      handle: formatRowHandle(batch, row),
      file: batch.provenance.file,
      ids: readIds(batch, row).slice(first, first + Math.min(tokens, OPENING)),
      turn,
      first,
      tokens,
      delta_abs_mean: sum / tokens,
      delta_abs_max: largest,
      worst,
      step: orNull(batch.steps[row]!),
      correct: orNull(batch.correctness[row]!),
    }));
  }

  /** Sums are of the trainer policy, else of the rollout policy; the scale covers both. */
  #addEntropies(
    { entropies, responseMask: mask }: RecordBatch,
    start: number,
    end: number,
  ): { entropySum: number; entropyTokens: number } {
    const columns = [entropies.trainer, entropies.rollout].filter((column) => column !== undefined);
    let entropySum = 0;
    let entropyTokens = 0;
    columns.forEach((column, i) => {
      for (let t = start; t < end; t++) {
        const value = column[t]!;
        if (mask[t] === 0 || !Number.isFinite(value)) continue;
        this.entropy.add(value);
        if (i > 0) continue;
        entropySum += value;
        entropyTokens++;
      }
    });
    return { entropySum, entropyTokens };
  }

  #keep({ batch, row, prompt, index, turnMarks }: Row, token: number, delta: number): void {
    const at = batch.offsets[row]! + token;
    this.topTokens.keep({
      sequence: index,
      token,
      handle: formatRowHandle(batch, row, token),
      file: batch.provenance.file,
      ...cutContext(readIds(batch, row), prompt, token),
      delta: Math.fround(delta),
      rollout: batch.rolloutLogprobs![at]!,
      trainer: batch.trainerLogprobs![at]!,
      turn: turnOfMark(turnMarks[token]!)!,
      step: orNull(batch.steps[row]!),
      correct: orNull(batch.correctness[row]!),
    });
  }
}

/** Over tokens with mask 1 that have a value; NaN without any. */
function averageKnown(
  values: Float32Array | undefined,
  mask: Uint8Array,
  start: number,
  end: number,
): number {
  let sum = 0;
  let count = 0;
  for (let t = start; values !== undefined && t < end; t++) {
    const value = values[t]!;
    if (mask[t] === 0 || Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  // 0 / 0 may be a NaN with another sign in compiled code, and caches must be equal byte for byte.
  return count === 0 ? Number.NaN : sum / count;
}

/** Ids of a row's response; -1 where they are not known. */
function readIds({ offsets, responseTokenIds }: RecordBatch, row: number): Int32Array {
  const [start, end] = [offsets[row]!, offsets[row + 1]!];
  return responseTokenIds?.subarray(start, end) ?? new Int32Array(end - start).fill(-1);
}

/** Ids around a token of the response: those of the prompt too where it is near, and the token's place among them. */
function cutContext(ids: Int32Array, prompt: Int32Array, token: number): { ids: Int32Array; at: number } {
  const reach = CONTEXT + CONTEXT_MARGIN;
  const from = Math.max(0, token - reach);
  const own = ids.subarray(from, Math.min(ids.length, token + 1 + reach));
  const lead = prompt.subarray(Math.max(0, prompt.length - Math.max(0, reach - token)));
  const joined = new Int32Array(lead.length + own.length);
  joined.set(lead);
  joined.set(own, lead.length);
  return { ids: joined, at: lead.length + token - from };
}
