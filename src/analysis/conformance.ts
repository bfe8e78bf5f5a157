/**
 * Runs golden cases through the public functions: what a case file gives in, what the reference implementation gave
 * out, is compared elsewhere.
 *
 * @module
 */
import { compactFloats } from "../base/arrays.ts";
import { isLogratioError, LengthMismatchError, SchemaError } from "../base/errors.ts";
import { type AppliedCorrection, applyCorrection, type CorrectionBlock } from "../corrections/apply.ts";
import type { BatchMetrics, Settings } from "../corrections/presets/preset.ts";
import { completeSettings } from "../corrections/presets/settings.ts";
import { verl } from "../corrections/presets/verl.ts";
import { xtuner } from "../corrections/presets/xtuner.ts";
import { xtunerPackMetrics } from "../corrections/presets/xtuner-metrics.ts";
import { readXtunerSettings } from "../corrections/presets/xtuner-settings.ts";
import {
  type Metrics,
  type PaddedBatch,
  packPadded,
  verlDebugMetrics,
  verlOffpolicyMetrics,
  verlPerRoundMetrics,
} from "../parity/index.ts";
import { MismatchSummary } from "../summaries/mismatch-summary.ts";

/** One case: which function, with what. Arrays are nested lists; non-finite numbers are the strings of their names. */
export interface ConformanceCase {
  readonly id: string;
  readonly kind: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

export type ConformanceResult =
  | { readonly id: string; readonly actual: Readonly<Record<string, unknown>> }
  | { readonly id: string; readonly skipped: true };

type Fields = Readonly<Record<string, unknown>>;
type Runner = (inputs: Fields, config: Fields) => Fields;

const RUNNERS: Readonly<Record<string, Runner>> = {
  "verl.debug_metrics": (inputs) => ({ metrics: encoded(verlDebugMetrics(summaryOf(inputs))) }),
  "verl.per_round": (inputs) => ({ metrics: encoded(verlPerRoundMetrics(summaryOf(inputs))) }),
  "verl.offpolicy": (inputs) => ({ offpolicy: encoded(verlOffpolicyMetrics(summaryOf(inputs))) }),
  merge: (inputs) => {
    const merged = mergedShards(paddedBatch(inputs), numbers(inputs.shard_sizes));
    return { debug: encoded(verlDebugMetrics(merged)), offpolicy: encoded(verlOffpolicyMetrics(merged)) };
  },
  "verl.rollout_corr": verlCorrection,
  "xtuner.rollout_is": xtunerCorrection,
};

/** Runs one case; a kind that is not in reach is skipped, a refused input is an `error` in `actual`. */
export function runConformanceCase(given: ConformanceCase): ConformanceResult {
  const run = RUNNERS[given.kind];
  if (!run) return { id: given.id, skipped: true };
  try {
    return { id: given.id, actual: run(given.inputs, given.config ?? {}) };
  } catch (error) {
    if (isLogratioError(error)) return { id: given.id, actual: { error: error.message } };
    throw error;
  }
}

/** @throws SchemaError where verl stops with ZeroDivisionError: every weight is 0, and it divides by their mean square. */
function verlCorrection(inputs: Fields, config: Fields): Fields {
  const settings = completeSettings(verl, config as Settings);
  const preset = verl.correction(settings);
  const block = packPadded(paddedBatch(inputs));
  const applied = applyCorrection(block, preset);
  const metrics = metricsOf(verl.metrics(settings), block, applied);
  if (applied.weights?.every((weight) => weight === 0)) {
    throw new SchemaError("float division by zero: the effective sample size of weights that are all 0");
  }
  const rows = (column: Float64Array | Uint8Array): unknown[] =>
    Array.from(block.offsets.subarray(1), (end, row) => values(column.subarray(block.offsets[row], end)));
  return {
    metrics: encoded(metrics),
    weights: applied.weights ? rows(applied.weights) : null,
    modified_response_mask: rows(applied.mask),
  };
}

function xtunerCorrection(inputs: Fields, config: Fields): Fields {
  const settings = completeSettings(xtuner, config as Settings);
  const correction = xtuner.correction(settings);
  const block = packOf(inputs);
  const applied = applyCorrection(block, correction);
  const { "mismatch/valid": valid, ...metrics } = encoded(
    metricsOf(xtunerPackMetrics(readXtunerSettings(settings)), block, applied),
  );
  const group = (prefix: string): Fields => ({
    "mismatch/valid": valid === 1,
    ...Object.fromEntries(Object.entries(metrics).filter(([key]) => key.startsWith(prefix))),
  });
  return {
    mismatch_metrics: group("mismatch/mismatch_"),
    is_metrics: applied.weights ? group("mismatch/rollout_is_") : {},
    weights: applied.weights ? values(applied.weights) : null,
    modified_response_mask: values(applied.mask),
  };
}

function metricsOf(metrics: BatchMetrics, block: CorrectionBlock, applied: AppliedCorrection): Metrics {
  metrics.add(block, applied);
  return metrics.finish();
}

/** A packed batch: columns over all tokens, `num_tokens` of each sequence. */
function packOf(inputs: Fields): CorrectionBlock {
  const [trainer, rollout, mask, lengths] = [
    inputs.old_log_prob,
    inputs.rollout_log_prob,
    inputs.response_mask,
    inputs.num_tokens,
  ].map(numbers) as [number[], number[], number[], number[]];
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, row) => {
    offsets[row + 1] = offsets[row]! + length;
  });
  if (offsets[lengths.length] !== trainer.length) {
    throw new LengthMismatchError(
      `Cannot unpack the batch: num_tokens adds up to ${offsets[lengths.length]}, old_log_prob has ${trainer.length} tokens`,
    );
  }
  return {
    trainer: compactFloats(trainer),
    rollout: compactFloats(rollout),
    mask: Uint8Array.from(mask, (bit) => (bit === 0 ? 0 : 1)),
    offsets,
  };
}

function summaryOf(inputs: Fields): MismatchSummary {
  return MismatchSummary.of(packPadded(paddedBatch(inputs)));
}

/** Summaries of consecutive rows, each sent through JSON as between machines, merged as a tree from the last shard on. */
function mergedShards(batch: PaddedBatch, sizes: readonly number[]): MismatchSummary {
  let start = 0;
  let shards = sizes.map((size) => {
    const rows = <T>(column: readonly T[]): readonly T[] => column.slice(start, start + size);
    const shard = MismatchSummary.of(
      packPadded({
        old_log_probs: rows(batch.old_log_probs),
        rollout_log_probs: rows(batch.rollout_log_probs),
        ...(batch.response_mask && { response_mask: rows(batch.response_mask) }),
        ...(batch.attention_mask && { attention_mask: rows(batch.attention_mask) }),
      }),
    );
    start += size;
    return MismatchSummary.fromJSON(JSON.parse(JSON.stringify(shard)));
  });
  shards.reverse();
  while (shards.length > 1) {
    const next: MismatchSummary[] = [];
    for (let i = 0; i < shards.length; i += 2) {
      const left = shards[i] as MismatchSummary;
      const right = shards[i + 1];
      if (right) left.merge(right);
      next.push(left);
    }
    shards = next;
  }
  return shards[0] ?? new MismatchSummary();
}

function paddedBatch(inputs: Fields): PaddedBatch {
  const rows = (name: string): number[][] => {
    const value = inputs[name];
    if (!Array.isArray(value))
      throw new SchemaError(`Cannot run the case: inputs.${name} is missing or no list of rows`);
    return value.map(numbers);
  };
  return {
    old_log_probs: rows("old_log_probs"),
    rollout_log_probs: rows("rollout_log_probs"),
    ...(inputs.response_mask !== undefined && { response_mask: rows("response_mask") }),
    ...(inputs.attention_mask !== undefined && { attention_mask: rows("attention_mask") }),
  };
}

function numbers(value: unknown): number[] {
  if (!Array.isArray(value)) throw new SchemaError("Cannot run the case: a list of numbers was expected");
  return value.map(Number);
}

/** Non-finite numbers by name, as the case files spell them. */
function encoded(metrics: Metrics): Readonly<Record<string, number | string>> {
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, encodedNumber(value)]));
}

function values(column: Float64Array | Uint8Array): (number | string)[] {
  return Array.from(column, encodedNumber);
}

function encodedNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
