/**
 * One column of A next to one of B: their bits, and the figures of Δ = B − A.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import { orNull } from "../../core/base/index.ts";
import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import type { DifferingToken } from "../../results/compare.ts";
import { clusterKeys } from "../report/cluster-keys.ts";
import { RunSummary } from "../report/run-summary.ts";
import { UlpSums } from "./bits.ts";
import { DifferenceProfile } from "./profile.ts";

/** Two columns of the same tokens, laid out like the batch of A. */
export interface PairedColumns {
  readonly batch: RecordBatch;
  readonly a: FloatArray;
  readonly b: FloatArray;
  /** 1 where both sides count the token. */
  readonly mask: Uint8Array;
}

/** Orders tokens by step, rank, pack, row and place; unknown values come last. */
type Order = readonly number[];

export interface ColumnCounts {
  tokens: number;
  sequences: number;
  unequal: number;
  unequalSequences: number;
  signedZeros: number;
  oneSided: number;
  missingBoth: number;
}

export class ColumnSums {
  readonly counts: ColumnCounts = {
    tokens: 0,
    sequences: 0,
    unequal: 0,
    unequalSequences: 0,
    signedZeros: 0,
    oneSided: 0,
    missingBoth: 0,
  };
  readonly ulps = new UlpSums();
  readonly profile = new DifferenceProfile();
  /** Figures of Δ: A takes the rollout's place in a report, B the trainer's. */
  readonly summary = new RunSummary();
  #first: { readonly order: Order; readonly token: DifferingToken } | undefined;

  /** The first token that differs, regardless of the order of batches. */
  get first(): DifferingToken | null {
    return this.#first?.token ?? null;
  }

  add({ batch, a, b, mask }: PairedColumns): void {
    for (let row = 0; row < batch.length; row++) this.#addRow({ batch, a, b, mask }, row);
    const { topK: _, policyLogprobs: __, entropies: ___, ...rest } = batch;
    // Tokens in only one side's mask count nowhere, yet turns are those of A. Without such tokens the mask itself shows
    // the turns, and the kernel, which knows no others, can sum them.
    const turnMask = batch.turnMask ?? (areEqual(mask, batch.responseMask) ? undefined : batch.responseMask);
    this.summary.add(
      {
        ...rest,
        topK: {},
        policyLogprobs: {},
        entropies: {},
        rolloutLogprobs: a,
        trainerLogprobs: b,
        responseMask: mask,
        ...(turnMask && { turnMask }),
      },
      clusterKeys(batch),
    );
  }

  #addRow({ batch, a, b, mask }: PairedColumns, row: number): void {
    const { counts, ulps } = this;
    const turns = batch.turnMask ?? batch.responseMask;
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    const step = batch.steps[row]!;
    let [turn, compared, unequal] = [-1, 0, 0];
    for (let t = start; t < end; t++) {
      if (turns[t] !== 0 && (t === start || turns[t - 1] === 0)) turn++;
      if (mask[t] === 0) continue;
      const [x, y] = [a[t]!, b[t]!];
      if (Number.isNaN(x) && Number.isNaN(y)) {
        counts.missingBoth++;
        continue;
      }
      compared++;
      // 0 equals −0, and an infinity equals itself.
      const isEqual = x === y;
      const areFinite = Number.isFinite(x) && Number.isFinite(y);
      if (areFinite) ulps.see(x, y);
      if (!isEqual) {
        unequal++;
        if (areFinite) ulps.count(x, y);
        else counts.oneSided++;
        this.#considerFirst(batch, row, t - start, turn, x, y);
      } else if (x === 0 && !Object.is(x, y)) counts.signedZeros++;
      this.profile.add(step, turn, t - start, !isEqual, areFinite ? y - x : Number.NaN);
    }
    counts.tokens += compared;
    counts.unequal += unequal;
    if (compared > 0) counts.sequences++;
    if (unequal > 0) counts.unequalSequences++;
  }

  #considerFirst(batch: RecordBatch, row: number, token: number, turn: number, a: number, b: number): void {
    const place = (value: number): number => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value);
    const [step, rank] = [batch.steps[row]!, batch.ranks[row]!];
    const order = [place(step), place(rank), batch.packs[row]!, batch.rows[row]!, token];
    if (this.#first !== undefined && !isBefore(order, this.#first.order)) return;
    const id = batch.responseTokenIds?.[batch.offsets[row]! + token] ?? -1;
    this.#first = {
      order,
      token: {
        handle: formatHandle({ step, rank, sequence: batch.rows[row]!, token }),
        file: batch.provenance.file,
        token_id: id < 0 ? null : id,
        turn,
        a: orNull(a),
        b: orNull(b),
        delta: orNull(b - a),
      },
    };
  }
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  // Not every(), which calls a function per token.
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

function isBefore(a: Order, b: Order): boolean {
  for (const [at, value] of a.entries()) if (value !== b[at]) return value < b[at]!;
  return false;
}
