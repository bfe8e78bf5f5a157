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
import { CONTEXT, CONTEXT_MARGIN, type TokenPlace, TopTokensBuilder } from "./top-tokens.ts";
import { OPENING, TopTurnsBuilder } from "./top-turns.ts";

/** Over the row's tokens with mask 1. */
export interface TokenFigures {
  /** Δ of those whose two log-probs are finite, in order. */
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

/** The turn that is being read: its tokens with mask 1 and a finite Δ. */
interface OpenTurn {
  /** -1: none yet. */
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

  addRow(sequence: Row): TokenFigures {
    const { batch, row, index, turnMarks } = sequence;
    const { responseMask: mask, advantages, responseTokenIds: ids } = batch;
    const [rollout, trainer] = [batch.rolloutLogprobs!, batch.trainerLogprobs!];
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    const correct = batch.correctness[row]!;
    const place: TokenPlace = {
      sequence: index,
      token: 0,
      id: -1,
      turn: -1,
      decile: 0,
      rollout: 0,
      delta: 0,
    };
    const open: OpenTurn = { turn: -1, first: 0, tokens: 0, sum: 0, largest: -1, worst: -1 };
    const deltas = new Float64Array(end - start);
    let count = 0;
    let worst = -1;
    let largest = -1;
    let rhoSum = 0;
    let rhoSquares = 0;
    let advantageSum = 0;
    let advantageCount = 0;
    for (let t = start; t < end; t++) {
      if (mask[t] === 0) continue;
      const advantage = advantages === undefined ? Number.NaN : advantages[t]!;
      if (!Number.isNaN(advantage)) {
        advantageSum += advantage;
        advantageCount++;
      }
      const delta = trainer[t]! - rollout[t]!;
      if (!Number.isFinite(delta)) continue;
      const rho = Math.exp(delta);
      deltas[count++] = delta;
      rhoSum += rho;
      rhoSquares += rho * rho;
      this.bins.add(correct, delta, rho, advantage);
      const impact = computeImpact(advantage, delta);
      if (Number.isFinite(impact)) this.impact.add(Math.abs(impact));
      place.token = t - start;
      const size = Math.abs(delta);
      if (size > largest) {
        largest = size;
        worst = place.token;
      }
      place.id = ids === undefined ? -1 : ids[t]!;
      place.turn = turnOfMark(turnMarks[place.token]!)!;
      if (place.turn !== open.turn) {
        this.#endTurn(sequence, open);
        Object.assign(open, { turn: place.turn, first: place.token, tokens: 0, sum: 0, largest: -1 });
      }
      open.tokens++;
      open.sum += size;
      if (size > open.largest) {
        open.largest = size;
        open.worst = place.token;
      }
      place.decile = Math.floor((place.token * 10) / (end - start));
      place.rollout = rollout[t]!;
      // Single precision, as the report has single tokens: ranks, ties included, are then the same.
      place.delta = Math.fround(delta);
      if (this.topTokens.offer(place)) this.#keep(sequence, place, trainer[t]!);
    }
    this.#endTurn(sequence, open);
    this.bins.endSequence(batch.rewards[row]!);
    return {
      deltas: deltas.subarray(0, count),
      rhoSum,
      rhoSquares,
      worst,
      advantage: advantageSum / advantageCount,
      ...this.#addEntropies(batch, start, end),
    };
  }

  #endTurn({ batch, row, index }: Row, { turn, first, tokens, sum, largest, worst }: OpenTurn): void {
    if (tokens === 0) return;
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

  /** Sums are the trainer policy's, else the rollout policy's; the scale is of both. */
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

  #keep({ batch, row, prompt }: Row, place: TokenPlace, trainer: number): void {
    const { sequence, token, delta, rollout, turn } = place;
    this.topTokens.keep({
      sequence,
      token,
      handle: formatRowHandle(batch, row, token),
      file: batch.provenance.file,
      ...cutContext(readIds(batch, row), prompt, token),
      delta,
      rollout,
      trainer,
      turn,
      step: orNull(batch.steps[row]!),
      correct: orNull(batch.correctness[row]!),
    });
  }
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
