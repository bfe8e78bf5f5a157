import type { AppliedCorrection, CorrectionBlock, StepOutcome } from "../neutral/apply.ts";
import type { Bounds } from "../neutral/correction.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics, Settings } from "../shared/preset.ts";
import { readNumber } from "../shared/read-setting.ts";
import { rolloutLoss } from "./losses.ts";

const LOG_CLAMP = 20;

/**
 * `policy/loss_metrics/*` of one micro-batch, and `policy/rollout_train_logprobs_abs_diff_*` of the whole batch; here
 * the micro-batch is taken to be the whole batch.
 *
 * * `is_ratio_mean`: ρ (Δ clamped to ±20 nats) over tokens with mask 1, before any correction.
 * * `is_ratio_{std,max,min}`: SkyRL takes them of ρ · mask over padding, too, which a record no longer has; these are
 *   over tokens with mask 1 (std with n − 1).
 * * `tis_token_clip_high_ratio`: share of the tokens that the outlier and token masks left; `tis_seq_clip_high_ratio`,
 *   `outlier_*` and `*_sequence_mask_*`: share of all sequences, including those without tokens.
 * * `token_mask_ratio`: share of the tokens that the outlier mask left.
 *
 * * `clip_ratio`, where the loss's ratio is against the rollout: share of tokens that the loss drops or clamps;
 *   `cispo/ratio_*`: its ratio over the same tokens, `clamped_mean` after clamping.
 *
 * Nothing else under `loss_metrics` when every correction is off. Source: off_policy_correction_utils.py, train/trainer.py
 * fwd_logprobs_values_reward, 0.4.0.
 */
export function skyrlMetrics(settings: Settings): BatchMetrics {
  const counts = new Counts();
  const ratio = new Moments();
  const difference = new Moments();
  const type = settings.tis_ratio_type;
  const cap = readNumber(settings, `${type}_tis_ratio_clip_high`) ?? Number.POSITIVE_INFINITY;
  const on = isOn(settings);
  const loss = rolloutLoss(settings);
  const clamped = new Moments();
  return {
    add(block, applied) {
      const { rollout, trainer, mask } = block;
      for (let t = 0; t < mask.length; t++) {
        if (mask[t] === 0) continue;
        const delta = trainer[t]! - rollout[t]!;
        difference.add(Math.abs(delta));
        ratio.add(Math.exp(delta < -LOG_CLAMP ? -LOG_CLAMP : Math.min(delta, LOG_CLAMP)));
      }
      if (on) addMasks(block, applied, settings, cap, counts);
      if (loss) addClipped(block, applied, counts);
      if (loss === "cispo")
        for (let t = 0; t < mask.length; t++) if (mask[t] !== 0) clamped.add(applied.weights![t]!);
    },
    finish: () => ({
      ...(on && prefixed("policy/loss_metrics/is_ratio_", ratio)),
      ...counts.shares("policy/loss_metrics/"),
      ...(loss === "cispo" && cispoRatios(ratio, clamped)),
      ...(difference.count > 0 && prefixed("policy/rollout_train_logprobs_abs_diff_", difference)),
    }),
  };
}

/** Counts of a share: how many of how many. */
class Counts {
  readonly #hits = new Map<string, { hits: number; of: number }>();

  add(key: string, hits: number, of: number): void {
    const known = this.#hits.get(key) ?? { hits: 0, of: 0 };
    this.#hits.set(key, { hits: known.hits + hits, of: known.of + of });
  }

  shares(prefix: string): Record<string, number> {
    return Object.fromEntries(
      [...this.#hits].map(([key, { hits, of }]) => [prefix + key, hits / Math.max(of, 1)]),
    );
  }
}

function isOn(settings: Settings): boolean {
  return (
    readNumber(settings, "outlier_token_is_threshold_low") !== undefined ||
    readNumber(settings, "outlier_token_is_threshold_high") !== undefined ||
    masksTokens(settings) ||
    typeof settings.tis_ratio_type === "string" ||
    typeof settings.sequence_mask_metric === "string"
  );
}

function masksTokens(settings: Settings): boolean {
  return (
    readNumber(settings, "token_mask_is_threshold_low") !== undefined &&
    readNumber(settings, "token_mask_is_threshold_high") !== undefined
  );
}

/** Follows the mask through the steps like SkyRL, each share over the mask before its own step. */
function addMasks(
  block: CorrectionBlock,
  applied: AppliedCorrection,
  settings: Settings,
  cap: number,
  counts: Counts,
): void {
  const rows = block.offsets.length - 1;
  const kept = block.mask.map((bit) => (bit === 0 ? 0 : 1));
  const { steps } = applied;
  const outlier =
    readNumber(settings, "outlier_token_is_threshold_low") ??
    readNumber(settings, "outlier_token_is_threshold_high");
  if (outlier !== undefined) {
    const veto = steps.find(({ step }) => step.action === "veto");
    addOutliers(block, veto, kept, counts);
  }
  if (masksTokens(settings)) {
    const { rejected } = steps.find(({ step }) => maskLevel(step) === "token")!.measured!;
    let masked = 0;
    let of = 0;
    for (let t = 0; t < kept.length; t++) {
      if (kept[t] === 0) continue;
      of++;
      if (rejected[t] === 0) continue;
      masked++;
      kept[t] = 0;
    }
    counts.add("token_mask_ratio", masked, of);
  }
  if (settings.tis_ratio_type === "token") {
    const capped = kept.reduce(
      (sum, bit, t) => sum + (bit !== 0 && applied.rawWeights![t]! > cap ? 1 : 0),
      0,
    );
    counts.add(
      "tis_token_clip_high_ratio",
      capped,
      kept.reduce((sum, bit) => sum + bit, 0),
    );
  }
  if (settings.tis_ratio_type === "sequence") {
    const logCap = Math.log(cap);
    const capped = applied.logWeights!.values.filter((value) => Math.min(value, LOG_CLAMP) > logCap).length;
    counts.add("tis_seq_clip_high_ratio", capped, rows);
  }
  const metric = settings.sequence_mask_metric;
  if (typeof metric !== "string") return;
  const sequence = steps.find(({ step }) => maskLevel(step) === "sequence");
  const key = metric === "geometric" ? "geo_sequence_mask" : "product_sequence_mask";
  const [high, low] = sequence ? outsideCounts(sequence) : [0, 0];
  counts.add(`${key}_masked_ratio`, high + low, rows);
  counts.add(`${key}_over_high_ratio`, high, rows);
  counts.add(`${key}_under_low_ratio`, low, rows);
}

/** Tokens of the original mask that a loss drops or clamps: a weight of its own is never 0. */
function addClipped({ mask }: CorrectionBlock, applied: AppliedCorrection, counts: Counts): void {
  const { steps, rawWeights, weights } = applied;
  const isClamped = steps.some(({ step }) => step.action === "truncate");
  for (let t = 0; t < mask.length; t++) {
    if (mask[t] === 0) continue;
    const hit = isClamped ? weights![t] !== rawWeights![t] : weights![t] === 0;
    counts.add("clip_ratio", hit ? 1 : 0, 1);
  }
}

function cispoRatios(ratio: Moments, clamped: Moments): Record<string, number> {
  const prefix = "policy/loss_metrics/cispo/ratio_";
  const { [`${prefix}std`]: _, ...ratios } = prefixed(prefix, ratio);
  return { ...ratios, [`${prefix}clamped_mean`]: clamped.mean };
}

function maskLevel(step: StepOutcome["step"]): string | undefined {
  return step.action === "mask" && step.measure !== "weight" ? step.measure.level : undefined;
}

function addOutliers(
  { offsets }: CorrectionBlock,
  veto: StepOutcome | undefined,
  kept: Uint8Array,
  counts: Counts,
): void {
  const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = (veto?.step ?? {}) as Bounds;
  const values = veto?.measured?.values ?? new Float64Array(kept.length).fill(1);
  for (let row = 0; row + 1 < offsets.length; row++) {
    const own = values.subarray(offsets[row], offsets[row + 1]);
    const high = own.some((value) => value > upper);
    const low = own.some((value) => value < lower);
    if (high || low) kept.fill(0, offsets[row], offsets[row + 1]);
    counts.add("outlier_seq_masked_ratio", high || low ? 1 : 0, 1);
    counts.add("outlier_seq_over_high_ratio", high ? 1 : 0, 1);
    counts.add("outlier_seq_under_low_ratio", low ? 1 : 0, 1);
  }
}

function outsideCounts({ step, measured }: StepOutcome): [high: number, low: number] {
  const { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY } = step as Bounds;
  const { values } = measured!;
  return [values.filter((value) => value > upper).length, values.filter((value) => value < lower).length];
}

function prefixed(prefix: string, values: Moments): Record<string, number> {
  const any = values.count > 0;
  return {
    [`${prefix}mean`]: values.mean,
    [`${prefix}std`]: Math.sqrt(values.variance(1)),
    [`${prefix}max`]: any ? values.max : 0,
    [`${prefix}min`]: any ? values.min : 0,
  };
}
