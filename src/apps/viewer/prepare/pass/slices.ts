/**
 * Adds sequences, or parts of them, to their slices.
 *
 * @module
 */
import { FIELDS, mismatchSums, type RowSums } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { SequenceOutcome } from "../../../../core/summaries/index.ts";
import type { StepSeriesBuilder } from "./step-series.ts";

/** Adds a sequence to its slices by correctness, rank and environment; `deltas` are those of its counted tokens. */
export function addSlices(
  series: StepSeriesBuilder,
  batch: RecordBatch,
  row: number,
  { rows }: RowSums,
  deltas: Float64Array,
  facts: SequenceOutcome,
): void {
  const add = (by: "correct" | "rank" | "environment", value: string): void =>
    series.slice(by, value, batch.steps[row]!).add(rows, row * FIELDS, deltas, facts);
  if (!Number.isNaN(facts.correct)) add("correct", facts.correct > 0 ? "right" : "wrong");
  const rank = batch.ranks[row]!;
  if (!Number.isNaN(rank)) add("rank", String(rank));
  const environment = batch.environments[row];
  if (environment !== undefined) add("environment", environment);
}

/**
 * Adds a sequence's tokens to the slices of the weight versions that sampled them. A sequence written by several
 * versions is in the slice of each with that version's tokens; its length, reward and entropy count in each.
 */
export function addVersionSlices(
  series: StepSeriesBuilder,
  batch: RecordBatch,
  row: number,
  facts: SequenceOutcome,
): void {
  const { weightVersions, responseMask, rolloutLogprobs, trainerLogprobs } = batch;
  if (!weightVersions || !rolloutLogprobs || !trainerLogprobs) return;
  const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
  const masks = new Map<number, Uint8Array>();
  for (let t = start; t < end; t++) {
    const version = weightVersions[t]!;
    if (responseMask[t] === 0 || version < 0) continue;
    const mask = masks.get(version) ?? new Uint8Array(end - start);
    masks.set(version, mask);
    mask[t - start] = 1;
  }
  const rollout = rolloutLogprobs.subarray(start, end);
  const trainer = trainerLogprobs.subarray(start, end);
  for (const [version, mask] of masks) {
    const deltas: number[] = [];
    const { rows } = mismatchSums(
      { rollout, trainer, mask, offsets: Int32Array.of(0, end - start) },
      {
        turns: false,
        sink: ({ delta, count }) => {
          for (let i = 0; i < count; i++) deltas.push(delta[i]!);
        },
      },
    );
    series.slice("weight_version", String(version), batch.steps[row]!).add(rows, 0, deltas, facts);
  }
}
