import type { MaskedTokens } from "../../core/kernels/index.ts";
import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import { SAMPLE_DECILES, type SequenceSample } from "../../core/summaries/index.ts";
import type { ClusterKeys } from "./cluster-keys.ts";
import { splitByStaleness, uniformStaleness } from "./staleness.ts";

/** Threshold of |Δp|: beyond it, one policy all but rules out what the other all but writes. */
export const JUMP = 0.5;

/** Turns beyond this one are not separate in the sample. */
const MOST_TURNS = 256;

/** Sums of a row's tokens by turn and place; see `SampledSequence`. */
export interface RowSums {
  readonly turns: number[];
  readonly excess: number[];
  readonly deciles: number[];
  jumps: number;
}

/** Sums by turn and place of the rows that the sample may keep, then the rows themselves. */
export class SampleRows {
  readonly #sample: SequenceSample;
  readonly #batch: RecordBatch;
  readonly #clusters: ClusterKeys;
  readonly #rows = new Map<number, RowSums>();

  constructor(sample: SequenceSample, batch: RecordBatch, clusters: ClusterKeys) {
    this.#sample = sample;
    this.#batch = batch;
    this.#clusters = clusters;
  }

  /** Whether the sample may keep a row; the sums of other rows are not needed. */
  wants(row: number): boolean {
    return this.#sample.wants(this.#clusters.keys[row]!);
  }

  /** Adds tokens `[from, to)` of a kernel pass, all of one row. */
  add(row: number, tokens: MaskedTokens, from: number, to: number): void {
    if (!this.wants(row)) return;
    const start = this.#batch.offsets[row]!;
    const length = this.#batch.offsets[row + 1]! - start;
    addRowTokens(this.#open(row), tokens, from, to, start, length);
  }

  /** Sets the sums of a row's tokens so far. */
  put(row: number, sums: RowSums): void {
    this.#rows.set(row, sums);
  }

  get(row: number): RowSums | undefined {
    return this.#rows.get(row);
  }

  #open(row: number): RowSums {
    const known = this.#rows.get(row);
    if (known) return known;
    const sums = { turns: [], excess: [], deciles: new Array<number>(2 * SAMPLE_DECILES).fill(0), jumps: 0 };
    this.#rows.set(row, sums);
    return sums;
  }

  /** Passes on a row whose tokens were all added. Rows without tokens are not evidence. */
  finish(row: number): void {
    const sums = this.#rows.get(row);
    if (sums === undefined) return;
    this.#rows.delete(row);
    const { turns, excess, deciles, jumps } = sums;
    const { steps, ranks, rows, correctness, environments, engineIds, finishReasons, rewards, offsets } =
      this.#batch;
    const step = steps[row]!;
    const rank = ranks[row]!;
    this.#sample.add(this.#clusters.keys[row]!, this.#clusters.arePrompts[row] === 1, {
      handle: formatHandle({ step, rank, sequence: rows[row]! }),
      step,
      rank,
      correct: correctness[row]!,
      environment: environments[row] ?? null,
      engine: engineIds?.[row] ?? null,
      finish: finishReasons?.[row] ?? null,
      staleness: uniformStaleness(splitByStaleness(this.#batch, row)),
      // Named, not spread: engines would keep spread properties in another array.
      turns,
      excess,
      deciles,
      jumps,
      reward: rewards[row]!,
      tokens: offsets[row + 1]! - offsets[row]!,
    });
  }
}

/** Adds tokens `[from, to)` of a kernel pass to the sums of their row, whose `length` tokens begin at `start` of the block. */
function addRowTokens(
  sums: RowSums,
  { index, delta, probDiff, k3, turn }: MaskedTokens,
  from: number,
  to: number,
  start: number,
  length: number,
): void {
  const { turns, excess, deciles } = sums;
  for (let i = from; i < to; i++) {
    const abs = Math.abs(delta[i]!);
    const ofTurn = 2 * Math.min(turn[i]!, MOST_TURNS - 1);
    while (turns.length < ofTurn + 2) {
      turns.push(0, 0);
      excess.push(0);
    }
    turns[ofTurn] = turns[ofTurn]! + 1;
    turns[ofTurn + 1] = turns[ofTurn + 1]! + abs;
    // ρ − 1 = k3 + Δ.
    excess[ofTurn / 2] = excess[ofTurn / 2]! + k3[i]! + delta[i]!;
    const ofPlace = 2 * Math.floor(((index[i]! - start) * SAMPLE_DECILES) / length);
    deciles[ofPlace] = deciles[ofPlace]! + 1;
    deciles[ofPlace + 1] = deciles[ofPlace + 1]! + abs;
    if (Math.abs(probDiff[i]!) > JUMP) sums.jumps++;
  }
}
