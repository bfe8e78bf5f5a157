import { MismatchSummary } from "../../core/summaries/index.ts";
import {
  type PaddedBatch,
  packPadded,
  verlDebugMetrics,
  verlOffpolicyMetrics,
  verlPerRoundMetrics,
} from "../../trainers/index.ts";
import { encoded, type Fields, numbers, paddedBatch, type Runner } from "./case.ts";

export const mismatchRunners: Readonly<Record<string, Runner>> = {
  "verl.debug_metrics": (inputs) => ({ metrics: encoded(verlDebugMetrics(summarizeInputs(inputs))) }),
  "verl.per_round": (inputs) => ({ metrics: encoded(verlPerRoundMetrics(summarizeInputs(inputs))) }),
  "verl.offpolicy": (inputs) => ({ offpolicy: encoded(verlOffpolicyMetrics(summarizeInputs(inputs))) }),
  merge: (inputs) => {
    const merged = mergedShards(paddedBatch(inputs), numbers(inputs.shard_sizes));
    return { debug: encoded(verlDebugMetrics(merged)), offpolicy: encoded(verlOffpolicyMetrics(merged)) };
  },
};

function summarizeInputs(inputs: Fields): MismatchSummary {
  return MismatchSummary.of(packPadded(paddedBatch(inputs)));
}

/**
 * Summaries of consecutive rows, each sent through JSON as if between machines, merged as a tree from the last shard
 * on.
 */
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
      const left = shards[i]!;
      const right = shards[i + 1];
      if (right) left.merge(right);
      next.push(left);
    }
    shards = next;
  }
  return shards[0] ?? new MismatchSummary();
}
