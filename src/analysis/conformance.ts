/**
 * Runs golden cases through the public functions: what a case file gives in, what the reference implementation gave
 * out, is compared elsewhere.
 *
 * @module
 */
import { isLogratioError, SchemaError } from "../base/errors.ts";
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

type Runner = (inputs: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

const RUNNERS: Readonly<Record<string, Runner>> = {
  "verl.debug_metrics": (inputs) => ({ metrics: encoded(verlDebugMetrics(summaryOf(inputs))) }),
  "verl.per_round": (inputs) => ({ metrics: encoded(verlPerRoundMetrics(summaryOf(inputs))) }),
  "verl.offpolicy": (inputs) => ({ offpolicy: encoded(verlOffpolicyMetrics(summaryOf(inputs))) }),
  merge: (inputs) => {
    const merged = mergedShards(paddedBatch(inputs), numbers(inputs.shard_sizes));
    return { debug: encoded(verlDebugMetrics(merged)), offpolicy: encoded(verlOffpolicyMetrics(merged)) };
  },
};

/** Runs one case; a kind that is not in reach is skipped, a refused input is an `error` in `actual`. */
export function runConformanceCase(given: ConformanceCase): ConformanceResult {
  const run = RUNNERS[given.kind];
  if (!run) return { id: given.id, skipped: true };
  try {
    return { id: given.id, actual: run(given.inputs) };
  } catch (error) {
    if (isLogratioError(error)) return { id: given.id, actual: { error: error.message } };
    throw error;
  }
}

function summaryOf(inputs: Readonly<Record<string, unknown>>): MismatchSummary {
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

function paddedBatch(inputs: Readonly<Record<string, unknown>>): PaddedBatch {
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
  return Object.fromEntries(
    Object.entries(metrics).map(([key, value]) => [key, Number.isFinite(value) ? value : String(value)]),
  );
}
