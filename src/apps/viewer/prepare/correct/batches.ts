/**
 * A run's sequences as batches of a sweep, each of one step and one group of rewards.
 *
 * Most corrections need only Δ, from the cache's file of Δ, which stays in memory if it fits. The others (turns,
 * advantages, Δp) need all columns of the tokens, decoded from the sequences.
 *
 * @module
 */
import { findRewardGroup } from "../../../../analyses/sweep/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { ValueGroup } from "../../../../results/view.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { type Correction, needsAdvantages, needsProbs } from "../../../../trainers/neutral/index.ts";
import type { DeltaBlock } from "../pass/delta-blocks.ts";

export interface SweepBatch {
  /** NaN if not known. */
  readonly step: number;
  /** -1: none. */
  readonly rewardGroup: number;
  readonly batch: RecordBatch;
}

/** False if the correction follows from the Δ of each sequence's counted tokens. */
export function needsTokens(correction: Correction): boolean {
  const { weight, steps } = correction;
  if (weight?.level === "turn" || needsAdvantages(correction)) return true;
  return steps.some(
    (step) =>
      "measure" in step &&
      step.measure !== "weight" &&
      (step.measure.level === "turn" || needsProbs(step.measure.statistic)),
  );
}

/** Shared columns are allocated once. */
export async function* deltaBatches(blocks: AsyncIterable<DeltaBlock>): AsyncGenerator<SweepBatch> {
  let zeros = new Float64Array(0);
  let ones = new Uint8Array(0);
  for await (const { step, rewardGroup, deltas, offsets, correct } of blocks) {
    if (zeros.length < deltas.length) {
      zeros = new Float64Array(deltas.length);
      ones = new Uint8Array(deltas.length).fill(1);
    }
    const [rollout, mask] = [zeros.subarray(0, deltas.length), ones.subarray(0, deltas.length)];
    yield { step, rewardGroup, batch: packBatch({ offsets, mask, rollout, trainer: deltas, correct }) };
  }
}

/** Tokens to gather before a sweep. */
const BATCH_TOKENS = 2 ** 18;

export async function* tokenBatches(
  sequences: AsyncIterable<WireSequence>,
  rewards: readonly ValueGroup[],
): AsyncGenerator<SweepBatch> {
  let parts = new Map<string, WireSequence[]>();
  let tokens = 0;
  const flush = function* (): Generator<SweepBatch> {
    for (const rows of parts.values()) {
      const { step, reward } = rows[0]!.meta;
      const rewardGroup = findRewardGroup(rewards, reward ?? Number.NaN);
      yield { step: step ?? Number.NaN, rewardGroup, batch: joinSequences(rows) };
    }
    parts = new Map();
    tokens = 0;
  };
  for await (const sequence of sequences) {
    const { step, reward } = sequence.meta;
    const key = `${step} ${findRewardGroup(rewards, reward ?? Number.NaN)}`;
    const rows = parts.get(key) ?? [];
    parts.set(key, rows);
    rows.push(sequence);
    tokens += sequence.mask.length;
    if (tokens >= BATCH_TOKENS) yield* flush();
  }
  yield* flush();
}

/** Without steps, rewards and groups. */
export function joinSequences(rows: readonly WireSequence[]): RecordBatch {
  const offsets = new Int32Array(rows.length + 1);
  for (const [at, { mask }] of rows.entries()) offsets[at + 1] = offsets[at]! + mask.length;
  const tokens = offsets[rows.length]!;
  const join = (column: (row: WireSequence) => Float32Array): Float32Array => {
    const joined = new Float32Array(tokens);
    for (const [at, row] of rows.entries()) joined.set(column(row), offsets[at]!);
    return joined;
  };
  const mask = new Uint8Array(tokens);
  for (const [at, row] of rows.entries()) mask.set(row.mask, offsets[at]!);
  return packBatch({
    offsets,
    mask,
    rollout: join(({ rollout }) => rollout),
    trainer: join(({ trainer }) => trainer),
    ...(rows.every(({ advantages }) => advantages) && { advantages: join(({ advantages }) => advantages!) }),
    correct: Float64Array.from(rows, ({ meta }) => meta.correct ?? Number.NaN),
  });
}

interface Columns {
  readonly offsets: Int32Array;
  readonly mask: Uint8Array;
  readonly rollout: Float64Array | Float32Array;
  readonly trainer: Float64Array | Float32Array;
  readonly advantages?: Float32Array;
  readonly correct: Float64Array;
}

/** Without steps and rewards: a batch has one step and one group already. */
function packBatch({ offsets, mask, rollout, trainer, advantages, correct }: Columns): RecordBatch {
  const { length } = correct;
  const unknown = new Float64Array(length).fill(Number.NaN);
  const texts = new Array<undefined>(length).fill(undefined);
  return {
    length,
    provenance: { file: "", format: "cache", trainer: "view", alignment: "token" },
    sampling: {},
    offsets,
    responseMask: mask,
    rolloutLogprobs: rollout,
    trainerLogprobs: trainer,
    ...(advantages && { advantages }),
    policyLogprobs: {},
    entropies: {},
    topK: {},
    steps: unknown,
    ranks: unknown,
    rows: new Int32Array(length),
    packs: new Int32Array(length),
    rewards: unknown,
    correctness: correct,
    sourceOffsets: unknown,
    sampleIds: texts,
    groupIds: texts,
    environments: texts,
    promptTexts: texts,
    responseTexts: texts,
  };
}
