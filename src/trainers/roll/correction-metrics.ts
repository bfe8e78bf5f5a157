import { computeProbDiff } from "../../core/kernels/index.ts";
import type { CorrectionBlock } from "../neutral/apply.ts";
import { cutSegments, type Segments } from "../neutral/measures.ts";
import type { BatchMetrics, Settings } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";

const AGG_TYPES = ["token", "geometric", "sequence", "segment"] as const;

/**
 * The metrics of one call of `compute_train_infer_correction`:
 *
 * * `actor/train_infer_{ratio,diff}_{token,geometric,sequence,segment}_mean@sum`: the value of each token at that level,
 *   mean over a sequence's tokens with mask 1, then over sequences that have any; 0 when none has.
 * * `actor/is_weight_clipfrac@sum`: weights above upper_bound, over tokens with mask 1. ROLL also counts
 *   positions outside the mask, whose ratio is 1; at `geometric` and `sequence` it counts them with the sequence's own
 *   ratio, over the batch's width, which a record does not have: there, and for an upper_bound below 1, the key is left
 *   out.
 * * `actor/train_infer_final_mask_mean`: what the filters leave of the mask, when there are filters.
 *
 * `actor/train_infer_{agg}_{ratio,diff}_mask_mean@sum` count positions outside the mask as passing and are left out.
 *
 * Source: train_infer_corrections.py lines 65-174, functionals.py agg_loss, 8eb27cc2.
 */
export function rollMetrics(settings: Settings, filtered: boolean): BatchMetrics {
  const upper =
    settings["is_weight.enabled"] === true ? readNumber(settings, "is_weight.upper_bound") : undefined;
  const type = String(settings["is_weight.weight_type"]);
  const counted = upper !== undefined && upper >= 1 && (type === "token" || type === "segment");
  const sums: Record<string, number> = {};
  for (const agg of AGG_TYPES) for (const on of ["ratio", "diff"]) sums[formatKey(on, agg)] = 0;
  let sequences = 0;
  let tokens = 0;
  let kept = 0;
  let clipped = 0;
  return {
    add(block, { mask, rawWeights }) {
      sequences += addSequences(block, sums);
      for (let t = 0; t < mask.length; t++) {
        if (block.mask[t] === 0) continue;
        tokens++;
        kept += mask[t]!;
        if (counted && rawWeights![t]! > upper) clipped++;
      }
    },
    finish() {
      const metrics: Record<string, number> = {};
      for (const [key, sum] of Object.entries(sums)) metrics[key] = sum / Math.max(sequences, 1);
      if (counted) metrics["actor/is_weight_clipfrac@sum"] = clipped / Math.max(tokens, 1);
      if (filtered) metrics["actor/train_infer_final_mask_mean"] = tokens === 0 ? 0 : kept / tokens;
      return metrics;
    },
  };
}

/** Adds each sequence's means; returns how many have tokens with mask 1. */
function addSequences(block: CorrectionBlock, sums: Record<string, number>): number {
  const { rollout, trainer, mask, offsets } = block;
  const turns = cutSegments(block, "turn");
  let turn = 0;
  let sequences = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const end = offsets[row + 1]!;
    let [count, logRatio, ratio, diff] = [0, 0, 0, 0];
    for (let t = offsets[row]!; t < end; t++) {
      if (mask[t] === 0) continue;
      const delta = trainer[t]! - rollout[t]!;
      count++;
      logRatio += delta;
      ratio += Math.exp(delta);
      diff += computeProbDiff(rollout[t]!, trainer[t]!);
    }
    if (count === 0) continue;
    sequences++;
    let segments = 0;
    for (; turn < turns.starts.length && turns.starts[turn]! < end; turn++)
      segments += turnRatio(block, turns, turn);
    const of = (on: "ratio" | "diff", agg: (typeof AGG_TYPES)[number], value: number): void => {
      sums[formatKey(on, agg)]! += value;
    };
    of("ratio", "token", ratio / count);
    of("ratio", "geometric", Math.exp(logRatio / count));
    of("ratio", "sequence", Math.exp(logRatio));
    of("ratio", "segment", segments / count);
    for (const agg of ["token", "geometric", "segment"] as const) of("diff", agg, diff / count);
    of("diff", "sequence", diff);
  }
  return sequences;
}

/** The geometric mean ratio of a turn, once for each of its tokens. */
function turnRatio({ rollout, trainer }: CorrectionBlock, { starts, ends }: Segments, turn: number): number {
  const [start, end] = [starts[turn]!, ends[turn]!];
  let sum = 0;
  for (let t = start; t < end; t++) sum += trainer[t]! - rollout[t]!;
  return (end - start) * Math.exp(sum / (end - start));
}

function formatKey(on: string, agg: string): string {
  return `actor/train_infer_${on}_${agg}_mean@sum`;
}
