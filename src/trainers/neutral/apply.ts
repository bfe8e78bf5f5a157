/**
 * Applies a correction to packed columns in float64, step by step.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import { LengthMismatchError, SchemaError } from "../../core/base/index.ts";
import type { TokenBlock } from "../../core/kernels/index.ts";
import { checkedRows } from "../../core/kernels/index.ts";
import {
  type Bounds,
  type Correction,
  type Level,
  type Normalize,
  needsAdvantages,
  type Reject,
  type Step,
} from "./correction.ts";
import { cutSegments, logRatios, measureSegments, type Segments, segmentMeans } from "./measures.ts";
import { clamp, diverges, hasSign, isBeyond, isInside, needsWeights, readLimits } from "./rules.ts";
import { validateCorrection } from "./validate.ts";

/** Packed sequences, with advantages per token if a rule needs them. */
export interface CorrectionBlock extends TokenBlock {
  /** `[tokens]`; required if a step depends on their signs. */
  readonly advantages?: FloatArray;
}

/** What a step did. */
export interface StepOutcome {
  /** The step with this outcome. */
  readonly step: Step;
  /** For `zero`, `mask` and `veto`: the measured values, one per segment, and 1 for rejected segments. */
  readonly measured?: {
    readonly segments: Segments;
    readonly values: Float64Array;
    readonly rejected: Uint8Array;
  };
  /** For `normalize`: the divisor of the weights. */
  readonly factor?: number;
}

/** The result of applying a correction to a block. */
export interface AppliedCorrection {
  /** Importance weights `[tokens]`, 0 where the original mask is 0; absent when the correction has none. */
  readonly weights?: Float64Array;
  /** The weights before any step, bounded only by `logBound`. */
  readonly rawWeights?: Float64Array;
  /** The log-ratio behind the weights, one per segment of their level, before `logBound`. */
  readonly logWeights?: { readonly segments: Segments; readonly values: Float64Array };
  /** The response mask without rejected tokens, `[tokens]`, 0 or 1. */
  readonly mask: Uint8Array;
  /** Outcomes, one per step of the correction. */
  readonly steps: readonly StepOutcome[];
}

type StartedWeights = Pick<AppliedCorrection, "weights" | "rawWeights" | "logWeights">;

/** Values that one block cannot determine by itself. */
export interface ApplyOptions {
  /** Divisor for `normalize` steps instead of this block's mean, when the batch spans several blocks. */
  readonly factor?: number;
}

/**
 * Applies a correction to packed columns in float64, step by step. Returns the importance weights, the remaining mask,
 * and the outcome of each step.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { applyCorrection, completeSettings, presetNamed } from "logratio/corrections";
 *
 * const verl = presetNamed("verl");
 * const settings = completeSettings(verl, { rollout_is: "token", rollout_is_threshold: 2 });
 * const block = {
 *   rollout: Float32Array.of(-2, -1, -1),
 *   trainer: Float32Array.of(-1, -1, -1),
 *   mask: Uint8Array.of(1, 1, 0),
 *   offsets: Int32Array.of(0, 3),
 * };
 * const applied = applyCorrection(block, verl.correction(settings));
 * assert.deepEqual([...(applied.weights ?? [])], [2, 1, 0]); // e truncated at 2; 0 where the mask is 0
 *
 * const metrics = verl.metrics(settings);
 * metrics.add(block, applied);
 * assert.equal(metrics.finish()["rollout_corr/rollout_is_max"], 2);
 * ```
 *
 * @param block `[tokens]` log-probs (nats), mask and, if a rule needs them, advantages; offsets `[rows + 1]`
 * @returns `[tokens]` weights (ratios) and mask (0 or 1)
 * @throws UsageError when the correction contradicts itself
 * @throws LengthMismatchError when columns differ in length
 * @throws SchemaError when a rule needs advantages and the block has none
 */
export function applyCorrection(
  block: CorrectionBlock,
  correction: Correction,
  options: ApplyOptions = {},
): AppliedCorrection {
  validateCorrection(correction);
  checkedRows(block, {});
  checkAdvantages(block, correction);
  const mask = block.mask.map((bit) => (bit === 0 ? 0 : 1));
  let started: StartedWeights | undefined;
  const start = (): StartedWeights => {
    started ??= startedWeights(block, correction, mask);
    return started;
  };
  const segmentsAt = memoized((level: Level) => cutSegments(block, level));

  const steps = correction.steps.map((step): StepOutcome => {
    const weights = needsWeights(step) ? start().weights : undefined;
    if (step.action === "truncate") {
      truncate(weights!, step, block.mask);
      return { step };
    }
    if (step.action === "normalize") {
      return { step, factor: normalize(weights!, options.factor ?? meanWeight(block, weights!, step.over)) };
    }
    const segments = segmentsAt(step.measure === "weight" ? correction.weight!.level : step.measure.level);
    const values =
      step.measure === "weight"
        ? takeWeights(block, segments, weights!)
        : measureSegments(measuredBlock(block, step.measure, mask), segments, step.measure);
    if (step.action === "veto") {
      const limits = readLimits(step);
      const rejected = Uint8Array.from(values, (value) => (isBeyond(value, limits) ? 1 : 0));
      veto(mask, block.offsets, rejected);
      return { step, measured: { segments, values, rejected } };
    }
    const rejected = outside(block, segments, values, step);
    const column = step.action === "zero" ? weights! : mask;
    clear(
      column,
      segments,
      rejected,
      step.only && ((t) => diverges(block.advantages![t]!, block.trainer[t]! - block.rollout[t]!)),
    );
    return { step, measured: { segments, values, rejected } };
  });
  return { ...start(), mask, steps };
}

/** The sum and count of a `normalize` step, to be added over the blocks of a batch. */
export function normalizerSums(
  { mask, offsets }: TokenBlock,
  weights: Float64Array,
  over: Normalize["over"],
): { readonly sum: number; readonly count: number } {
  let total = 0;
  let units = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    let sum = 0;
    let count = 0;
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (mask[t] === 0) continue;
      sum += weights[t]!;
      count++;
    }
    if (count === 0) {
      if (over === "every sequence") units++;
      continue;
    }
    total += over === "token" ? sum : sum / count;
    units += over === "token" ? count : 1;
  }
  return { sum: total, count: units };
}

/** The block with the mask that `over` asks for: the current or the original one. */
function measuredBlock(
  block: CorrectionBlock,
  { level, over }: { readonly level: Level; readonly over?: "kept" },
  kept: Uint8Array,
): CorrectionBlock {
  return over === "kept" && level !== "token" ? { ...block, mask: kept } : block;
}

function startedWeights(block: CorrectionBlock, correction: Correction, kept: Uint8Array): StartedWeights {
  const start = startWeights(block, correction, kept);
  return { ...start, ...(start.rawWeights && { weights: start.rawWeights.slice() }) };
}

function startWeights(
  block: CorrectionBlock,
  { weight, steps }: Correction,
  kept: Uint8Array,
): Pick<AppliedCorrection, "rawWeights" | "logWeights"> {
  const { mask } = block;
  if (!weight) {
    if (!steps.some(({ action }) => action === "zero")) return {};
    return { rawWeights: Float64Array.from(mask, (bit) => (bit === 0 ? 0 : 1)) };
  }
  const { logBound = Number.POSITIVE_INFINITY } = weight;
  const bound = { lower: -logBound, upper: logBound };
  const segments = cutSegments(block, weight.level);
  const values = logRatios(measuredBlock(block, weight, kept), segments, weight);
  const rawWeights = new Float64Array(mask.length);
  for (let i = 0; i < values.length; i++) {
    const ratio = Math.exp(clamp(values[i]!, bound));
    for (let t = segments.starts[i]!; t < segments.ends[i]!; t++) if (mask[t] !== 0) rawWeights[t] = ratio;
  }
  return { rawWeights, logWeights: { segments, values } };
}

/** The weight that a segment's tokens share. */
function takeWeights(
  { mask }: CorrectionBlock,
  { starts, ends }: Segments,
  weights: Float64Array,
): Float64Array {
  return Float64Array.from(starts, (start, i) => {
    let t = start;
    while (t < ends[i]! && mask[t] === 0) t++;
    return t < ends[i]! ? weights[t]! : Number.NaN;
  });
}

function truncate(weights: Float64Array, bounds: Bounds, mask: Uint8Array): void {
  const limits = readLimits(bounds);
  for (let t = 0; t < weights.length; t++) {
    if (mask[t] !== 0) weights[t] = clamp(weights[t]!, limits);
  }
}

/** Divides by the mean unless it is 0, as verl does (rollout_corr_helper.py: `weights_mean > 1e-8`). */
function normalize(weights: Float64Array, mean: number): number {
  if (!(mean > 1e-8)) return 1;
  for (let t = 0; t < weights.length; t++) weights[t]! /= mean;
  return mean;
}

function meanWeight(block: CorrectionBlock, weights: Float64Array, over: Normalize["over"]): number {
  const { sum, count } = normalizerSums(block, weights, over);
  return count === 0 ? 0 : sum / count;
}

/** 1 for each segment that is outside the bounds, has a token to lose, and has an advantage that the rule covers. */
function outside(block: CorrectionBlock, segments: Segments, values: Float64Array, rule: Reject): Uint8Array {
  const { starts, ends, level } = segments;
  const advantages = rule.when && segmentMeans(block, segments, block.advantages!);
  const limits = readLimits(rule);
  const rejected = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const inside = isInside(values[i]!, limits) || (rule.nan === "kept" && Number.isNaN(values[i]!));
    if (inside || (level === "token" && block.mask[starts[i]!] === 0) || starts[i] === ends[i]) continue;
    rejected[i] = advantages && !hasSign(advantages[i]!, rule.when!) ? 0 : 1;
  }
  return rejected;
}

function clear(
  column: Float64Array | Uint8Array,
  { starts, ends }: Segments,
  rejected: Uint8Array,
  meant: ((token: number) => boolean) | undefined,
): void {
  for (let i = 0; i < rejected.length; i++) {
    if (rejected[i] === 0) continue;
    if (!meant) column.fill(0, starts[i]!, ends[i]!);
    else for (let t = starts[i]!; t < ends[i]!; t++) if (meant(t)) column[t] = 0;
  }
}

function veto(mask: Uint8Array, offsets: Int32Array, rejected: Uint8Array): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    const [start, end] = [offsets[row]!, offsets[row + 1]!];
    if (rejected.subarray(start, end).includes(1)) mask.fill(0, start, end);
  }
}

function checkAdvantages({ advantages, rollout }: CorrectionBlock, correction: Correction): void {
  if (!needsAdvantages(correction)) return;
  if (!advantages) {
    throw new SchemaError(
      "a rule of this correction looks at the sign of advantages, and the input has none",
      {
        likely: "the dump was written without advantages",
        hint: "name their column with --advantages, or choose a correction without advantage signs",
      },
    );
  }
  if (advantages.length !== rollout.length) {
    throw new LengthMismatchError(
      `cannot align the columns: ${rollout.length} rollout log-probs, ${advantages.length} advantages`,
      { found: advantages.length, expected: rollout.length },
    );
  }
}

function memoized<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key)!;
  };
}
