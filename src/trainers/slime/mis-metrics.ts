import { computeK3 } from "../../core/kernels/index.ts";
import type { AppliedCorrection, CorrectionBlock, StepOutcome } from "../neutral/apply.ts";
import type { BatchMetrics, Settings } from "../shared/preset.ts";
import { SampleMeans } from "../shared/sample-means.ts";

const SAFETY_BOUND = 20;

/** Bounds of the weight; a null lower bound is 1 / upper. */
export interface WeightBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * `train/mis_*` of one batch, beside slime's own `train/train_rollout_logprob_abs_diff`. Each value belongs to a token or
 * is spread over a sequence's tokens, then slime takes the mean over the tokens with mask 1 before rejection, then over
 * sequences; a sequence without any counts as 0 everywhere, perplexities included.
 *
 * * `chi2_token`: mean ρ² − 1 of each sequence (Δ clamped to ±20 nats); `chi2_seq`: exp(2 ΣΔ) − 1, ΣΔ clamped likewise.
 * * `is_ratio_{mean,min,max}_final`: means over sequences of a sequence's mean, least and largest weight.
 * * `is_ratio_mean_after_tis_rs`: weights after their bounds; rejection does not show in it.
 * * `train_rollout_logprob_abs_diff`: |Δ| over what rejection left, divided by the tokens before it.
 *
 * Source: mis.py, loss.py lines 1136-1171, 624b824a.
 */
export function slimeMisMetrics(settings: Settings, bounds: WeightBounds): BatchMetrics {
  const means = new SampleMeans();
  const absDiff = new SampleMeans();
  return {
    add(block, applied) {
      const { rollout, trainer, offsets } = block;
      means.addRows(offsets.length - 1);
      absDiff.addRows(offsets.length - 1);
      absDiff.add(
        "train_rollout_logprob_abs_diff",
        block,
        (t) => Math.abs(trainer[t]! - rollout[t]!),
        applied.mask,
      );
      addMismatch(block, means);
      if (settings.use_tis === true) addWeights(block, applied, settings, bounds, means);
    },
    finish: () => ({ ...absDiff.finish("train/"), ...means.finish("train/mis_") }),
  };
}

function addMismatch(block: CorrectionBlock, means: SampleMeans): void {
  const { rollout, trainer } = block;
  means.add("kl", block, (t) => rollout[t]! - trainer[t]!);
  means.add("k3_kl", block, (t) => computeK3(trainer[t]! - rollout[t]!));
  for (const { count, ...figures } of sequenceFigures(block)) {
    if (count === 0) continue;
    for (const [key, value] of Object.entries(figures)) means.addSum(key, value);
  }
  for (const key of SEQUENCE_KEYS) means.addSum(key, 0);
}

const SEQUENCE_KEYS = [
  "training_log_ppl",
  "training_ppl",
  "rollout_log_ppl",
  "rollout_ppl",
  "log_ppl_diff",
  "log_ppl_abs_diff",
  "ppl_ratio",
  "chi2_token",
  "chi2_seq",
] as const;

type SequenceFigures = Readonly<Record<(typeof SEQUENCE_KEYS)[number], number>> & { readonly count: number };

function* sequenceFigures({ rollout, trainer, mask, offsets }: CorrectionBlock): Generator<SequenceFigures> {
  for (let row = 0; row + 1 < offsets.length; row++) {
    let [count, trained, sampled, delta, squares] = [0, 0, 0, 0, 0];
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (mask[t] === 0) continue;
      const difference = trainer[t]! - rollout[t]!;
      count++;
      trained += trainer[t]!;
      sampled += rollout[t]!;
      delta += difference;
      squares += Math.expm1(2 * clamped(difference));
    }
    const gap = -delta / count;
    yield {
      count,
      training_log_ppl: -trained / count,
      training_ppl: Math.exp(-trained / count),
      rollout_log_ppl: -sampled / count,
      rollout_ppl: Math.exp(-sampled / count),
      log_ppl_diff: gap,
      log_ppl_abs_diff: Math.abs(gap),
      ppl_ratio: Math.exp(gap),
      chi2_token: squares / count,
      chi2_seq: Math.expm1(2 * clamped(delta)),
    };
  }
}

function addWeights(
  block: CorrectionBlock,
  applied: AppliedCorrection,
  settings: Settings,
  { lower, upper }: WeightBounds,
  means: SampleMeans,
): void {
  const raw = applied.rawWeights!;
  const weights = applied.weights!;
  const factor = applied.steps.find((step) => step.factor !== undefined)?.factor ?? 1;
  const share = (key: string, is: (t: number) => boolean): void =>
    means.add(key, block, (t) => (is(t) ? 1 : 0));
  means.add("tis_weight_before_bound", block, (t) => raw[t]!);
  means.add("tis_weight_after_bound", block, (t) => weights[t]! * factor);
  if (settings.tis_mode === "truncate") share("tis_truncate_fraction", (t) => raw[t]! > upper);
  else {
    share(`tis_${settings.tis_mode}_fraction_low`, (t) => raw[t]! < lower);
    share(`tis_${settings.tis_mode}_fraction_high`, (t) => raw[t]! > upper);
  }
  if (settings.use_rs === true) addRejections(block, applied, settings, share);
  means.add("is_ratio_mean_after_tis_rs", block, (t) => weights[t]! * factor);
  if (settings.tis_batch_normalize === true) means.add("batch_norm_factor", block, () => factor);
  addFinal(block, weights, means);
}

function addRejections(
  block: CorrectionBlock,
  { steps }: AppliedCorrection,
  settings: Settings,
  share: (key: string, is: (token: number) => boolean) => void,
): void {
  const ratio = steps.find(({ step }) => step.action === "mask" && step.measure !== "weight");
  const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } =
    ratio?.step.action === "mask" ? ratio.step : {};
  const valueAt = ratio ? spread(block, ratio) : () => 1;
  share("rs_mask_fraction_low", (t) => valueAt(t) < lower);
  share("rs_mask_fraction_high", (t) => valueAt(t) > upper);
  if (settings.rs_veto_threshold === null) return;
  const { rejected } = steps.find(({ step }) => step.action === "veto")!.measured!;
  const vetoed = new Uint8Array(rejected.length);
  for (let row = 0; row + 1 < block.offsets.length; row++) {
    const [start, end] = [block.offsets[row]!, block.offsets[row + 1]!];
    if (rejected.subarray(start, end).includes(1)) vetoed.fill(1, start, end);
  }
  share("rs_catastrophic_token_fraction", (t) => rejected[t] === 1);
  share("rs_catastrophic_seq_fraction", (t) => vetoed[t] === 1);
}

/** The measured values, by token. */
function spread({ rollout }: CorrectionBlock, { measured }: StepOutcome): (token: number) => number {
  const { segments, values } = measured!;
  if (segments.level === "token") return (t) => values[t]!;
  const byToken = new Float64Array(rollout.length);
  values.forEach((value, i) => {
    byToken.fill(value, segments.starts[i]!, segments.ends[i]!);
  });
  return (t) => byToken[t]!;
}

function addFinal({ mask, offsets }: CorrectionBlock, weights: Float64Array, means: SampleMeans): void {
  for (let row = 0; row + 1 < offsets.length; row++) {
    let [count, sum, least, most] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (mask[t] === 0) continue;
      count++;
      sum += weights[t]!;
      least = Math.min(least, weights[t]!);
      most = Math.max(most, weights[t]!);
    }
    means.addSum("is_ratio_mean_final", count === 0 ? 0 : sum / count);
    means.addSum("is_ratio_min_final", count === 0 ? 0 : least);
    means.addSum("is_ratio_max_final", count === 0 ? 0 : most);
  }
}

function clamped(delta: number): number {
  return delta < -SAFETY_BOUND ? -SAFETY_BOUND : Math.min(delta, SAFETY_BOUND);
}
