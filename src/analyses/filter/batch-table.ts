/**
 * What filters see of the sequences of a batch: the viewer's table of a run, for these rows.
 *
 * @module
 */
import { COUNT, computeImpact, FIELDS, type MismatchTable, mismatchSums } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import {
  SEQUENCE_COLUMNS,
  SEQUENCE_TEXTS,
  type SequenceColumn,
  type SequenceText,
} from "../../results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../results/wire/table.ts";
import { figureOfSums, SUM_COLUMNS, type SumColumn } from "./figures-of-sums.ts";

/** Columns and texts are computed on first use: most filters need few. */
export function batchTable(batch: RecordBatch): SequenceTable {
  const makers = columnMakers(batch);
  const columns = lazily(SEQUENCE_COLUMNS, (name) => makers[name]());
  const texts = lazily(SEQUENCE_TEXTS, (name) => encodeTexts(readTexts(batch, name)));
  return { length: batch.length, columns, texts };
}

function lazily<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  const made = new Map<Name, T>();
  const get = (name: Name): T => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
  return Object.defineProperties(
    {},
    Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => get(name) }])),
  ) as Record<Name, T>;
}

function columnMakers(batch: RecordBatch): Readonly<Record<SequenceColumn, () => Float64Array>> {
  const { length, offsets, promptOffsets, promptTexts } = batch;
  let sums: MismatchTable | undefined;
  const table = (): MismatchTable => {
    sums ??= mismatchSums({
      rollout: batch.rolloutLogprobs!,
      trainer: batch.trainerLogprobs!,
      mask: batch.responseMask,
      offsets,
    });
    return sums;
  };
  const hasDeltas = batch.rolloutLogprobs !== undefined && batch.trainerLogprobs !== undefined;
  const each = (of: (row: number) => number) => (): Float64Array =>
    Float64Array.from({ length }, (_, row) => of(row));
  const summed = Object.fromEntries(
    SUM_COLUMNS.map((name) => [
      name,
      each((row) => (hasDeltas ? figureOfSums(name, table().rows, row) : Number.NaN)),
    ]),
  ) as Record<SumColumn, () => Float64Array>;
  const entropy = batch.entropies.trainer ?? batch.entropies.rollout;
  return {
    ...summed,
    step: () => batch.steps,
    rank: () => batch.ranks,
    row: () => Float64Array.from(batch.rows),
    reward: () => batch.rewards,
    correct: () => batch.correctness,
    turns: each((row) => (hasDeltas ? table().rowTurns[row]! : Number.NaN)),
    prompt_tokens: each((row) => {
      const ids = promptOffsets ? promptOffsets[row + 1]! - promptOffsets[row]! : 0;
      return ids > 0 ? ids : Number((promptTexts[row] ?? "") !== "");
    }),
    response_tokens: each((row) => offsets[row + 1]! - offsets[row]!),
    tokens: each((row) => (hasDeltas ? table().rows[row * FIELDS + COUNT]! : 0)),
    rho_sum: each((row) => sumDeltas(batch, row, Math.exp)),
    rho_squares: each((row) => sumDeltas(batch, row, (delta) => Math.exp(delta) ** 2)),
    worst_token: each((row) => worstToken(batch, row)),
    entropy_mean: each((row) => averageColumn(batch, row, entropy)),
    advantage: each((row) => averageColumn(batch, row, batch.advantages)),
    impact: each((row) => sumImpact(batch, row)),
    cached_tokens: each((row) => batch.cachedTokens?.[row] ?? Number.NaN),
  };
}

/** Tokens of the row with mask 1 and a finite Δ: indices into the batch's arrays, and Δ. */
function* iterateDeltas(batch: RecordBatch, row: number): Generator<readonly [token: number, delta: number]> {
  const { rolloutLogprobs, trainerLogprobs, responseMask, offsets } = batch;
  for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
    const delta = (trainerLogprobs?.[t] ?? Number.NaN) - (rolloutLogprobs?.[t] ?? Number.NaN);
    if (responseMask[t] !== 0 && Number.isFinite(delta)) yield [t, delta];
  }
}

function sumDeltas(batch: RecordBatch, row: number, of: (delta: number) => number): number {
  let sum = Number.NaN;
  for (const [, delta] of iterateDeltas(batch, row)) sum = (Number.isNaN(sum) ? 0 : sum) + of(delta);
  return sum;
}

/** Σ|A|·|ρ − 1| over tokens where it is finite; NaN if no token has an advantage. */
export function sumImpact(batch: RecordBatch, row: number): number {
  const { advantages } = batch;
  let sum = Number.NaN;
  if (advantages === undefined) return sum;
  for (const [t, delta] of iterateDeltas(batch, row)) {
    const impact = computeImpact(advantages[t]!, delta);
    if (Number.isFinite(impact)) sum = (Number.isNaN(sum) ? 0 : sum) + Math.abs(impact);
  }
  return sum;
}

function worstToken(batch: RecordBatch, row: number): number {
  let worst = -1;
  let largest = -1;
  for (const [token, delta] of iterateDeltas(batch, row)) {
    if (Math.abs(delta) <= largest) continue;
    largest = Math.abs(delta);
    worst = token - batch.offsets[row]!;
  }
  return worst;
}

/** Mean over tokens with mask 1 and a finite value; NaN if there are none. */
function averageColumn(
  { responseMask, offsets }: RecordBatch,
  row: number,
  column: ArrayLike<number> | undefined,
): number {
  let sum = 0;
  let count = 0;
  for (let t = offsets[row]!; column && t < offsets[row + 1]!; t++) {
    if (responseMask[t] === 0 || !Number.isFinite(column[t])) continue;
    sum += column[t]!;
    count++;
  }
  return sum / count;
}

function readTexts(batch: RecordBatch, name: SequenceText): readonly (string | undefined)[] {
  if (name === "file") return batch.sampleIds.map(() => batch.provenance.file);
  const unknown = (): undefined[] => new Array<undefined>(batch.length).fill(undefined);
  switch (name) {
    case "sample":
      return batch.sampleIds;
    case "group":
      return batch.groupIds;
    case "environment":
      return batch.environments;
    case "finish_reason":
      return batch.finishReasons ?? unknown();
    case "engine":
      return batch.engineIds ?? unknown();
    case "recorder":
      return batch.recorders ?? unknown();
  }
}

function encodeTexts(texts: readonly (string | undefined)[]): { values: string[]; codes: Int32Array } {
  const places = new Map<string, number>();
  const codes = Int32Array.from(texts, (text) => {
    if (text === undefined) return -1;
    const code = places.get(text) ?? places.size;
    places.set(text, code);
    return code;
  });
  return { values: [...places.keys()], codes };
}
