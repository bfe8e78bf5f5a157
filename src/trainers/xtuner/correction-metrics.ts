/**
 * xtuner's `mismatch/*` metrics of one pack: `compute_is_metrics`, `compute_mismatch_metrics` and the mask figures of
 * `compute_rollout_importance_weights` (InternLM/xtuner xtuner/v1/rl/rollout_is.py @ b934f462). All are over the
 * original response mask, and those about weights are before any step.
 *
 * @module
 */
import { emptySums, mergeSums, mismatchSums, sumsLayout } from "../../core/kernels/index.ts";
import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import {
  computeMaskedMean,
  type Figures,
  maskedEffectiveSize,
  maskedStd,
  prefixed,
  rowStd,
} from "../shared/masked-figures.ts";
import { maskedMean } from "../shared/masked-mean.ts";
import { Moments } from "../shared/moments.ts";
import type { BatchMetrics } from "../shared/preset.ts";
import { xtunerMismatchMetrics } from "./mismatch-metrics.ts";
import { XTUNER_BOUND, type XtunerPlan } from "./settings.ts";

/** Sums of one or several packs; see {@link xtunerFigures}. */
export interface XtunerSums {
  /** Over tokens with mask 1: raw weights, and those clamped to the thresholds. */
  readonly tokens: Moments;
  readonly clamped: Moments;
  /** Over sequences with mask 1 somewhere: means of raw weights, and |mean − 1|. */
  readonly rows: Moments;
  readonly deviations: Moments;
  /** Over sequences with mask 1 somewhere: log-ratios behind the weights; not at token level. */
  readonly logs: Moments;
  /** Sequences without a token of mask 1. */
  empty: number;
  readonly above: Units;
  readonly below: Units;
  /** Tokens rejected by the mask of modes mask and both. */
  readonly masked: Units;
  /** Outside the veto's bounds: tokens, and sequences with any such token. */
  readonly vetoed: Units;
}

/** Counts of tokens with mask 1, of sequences by the mean of their weights, and of sequences by their log-ratio. */
interface Units {
  tokens: number;
  rows: number;
  logs: number;
}

export function emptyXtunerSums(): XtunerSums {
  const units = (): Units => ({ tokens: 0, rows: 0, logs: 0 });
  return {
    tokens: new Moments(),
    clamped: new Moments(),
    rows: new Moments(),
    deviations: new Moments(),
    logs: new Moments(),
    empty: 0,
    above: units(),
    below: units(),
    masked: units(),
    vetoed: units(),
  };
}

/** Adds whole sequences. */
export function addToXtunerSums(
  sums: XtunerSums,
  plan: XtunerPlan,
  { mask, offsets }: CorrectionBlock,
  applied: AppliedCorrection,
): void {
  const { lower, upper } = plan.bounds;
  const [logLow, logHigh] = [Math.log(lower), Math.log(upper)];
  const rejected = measuredBy(applied, "mask");
  const vetoed = measuredBy(applied, "veto");
  const perSequence = plan.level !== "token";
  for (let row = 0; row + 1 < offsets.length; row++) {
    let count = 0;
    let sum = 0;
    let lost = false;
    let catastrophic = false;
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      if (mask[t] === 0) continue;
      const weight = applied.rawWeights![t]!;
      count++;
      sum += weight;
      sums.tokens.add(weight);
      sums.clamped.add(weight < lower ? lower : Math.min(weight, upper));
      if (!perSequence && weight > upper) sums.above.tokens++;
      if (!perSequence && weight < lower) sums.below.tokens++;
      if (rejected?.[perSequence ? row : t] === 1) {
        sums.masked.tokens++;
        lost = true;
      }
      if (vetoed?.[t] === 1) {
        sums.vetoed.tokens++;
        catastrophic = true;
      }
    }
    if (count === 0) {
      sums.empty++;
      continue;
    }
    if (lost) sums.masked.rows++;
    if (catastrophic) sums.vetoed.rows++;
    const mean = maskedMean(sum, count);
    sums.rows.add(mean);
    sums.deviations.add(Math.abs(mean - 1));
    if (mean > upper) sums.above.rows++;
    if (mean < lower) sums.below.rows++;
    if (!perSequence) continue;
    const log = applied.logWeights!.values[row]!;
    sums.logs.add(log);
    if (log > logHigh) {
      sums.above.logs++;
      sums.above.tokens += count;
    }
    if (log < logLow) {
      sums.below.logs++;
      sums.below.tokens += count;
    }
  }
}

/** xtuner's metrics of the pack, without `mismatch/`. */
function xtunerFigures(sums: XtunerSums, { level, mode, bounds, maskBounds }: XtunerPlan): Figures {
  const { tokens, clamped, rows, deviations, empty, above, below, masked, vetoed } = sums;
  const allRows = rows.count + empty;
  const ofToken = (units: Units): number => maskedMean(units.tokens, tokens.count);
  const ofRow = (count: number): number => (rows.count > 0 ? count / rows.count : 0);
  // In xtuner a sequence without a token of mask 1 has log-ratio 0 and weight 1, and counts.
  const zero = (isOutside: boolean): number => (empty > 0 && isOutside ? empty : 0);
  const logs = new Moments();
  logs.merge(sums.logs);
  logs.add(0, empty);
  const outsideMask = !(1 >= maskBounds.lower && 1 <= maskBounds.upper);
  const ratioFractions =
    level === "sequence"
      ? [
          (above.logs + zero(Math.log(bounds.upper) < 0)) / allRows,
          (below.logs + zero(Math.log(bounds.lower) > 0)) / allRows,
        ]
      : [ofToken(above), ofToken(below)];
  return {
    rollout_is_veto_fraction: maskedMean(vetoed.rows, rows.count),
    rollout_is_catastrophic_token_fraction: ofToken(vetoed),
    rollout_is_mean: computeMaskedMean(tokens),
    rollout_is_max: level === "token" ? tokens.max : Math.exp(Math.min(logs.max, XTUNER_BOUND)),
    rollout_is_min: level === "token" ? tokens.min : Math.exp(logs.min),
    rollout_is_ratio_fraction_high: ratioFractions[0]!,
    rollout_is_ratio_fraction_low: ratioFractions[1]!,
    rollout_is_std: maskedStd(clamped),
    rollout_is_eff_sample_size: maskedEffectiveSize(clamped),
    rollout_is_seq_mean: rows.mean,
    rollout_is_seq_std: rowStd(rows),
    rollout_is_seq_max: rows.count > 0 ? rows.max : 0,
    rollout_is_seq_min: rows.count > 0 ? rows.min : 0,
    rollout_is_seq_max_deviation: rows.count > 0 ? deviations.max : 0,
    rollout_is_seq_fraction_high: ofRow(above.rows),
    rollout_is_seq_fraction_low: ofRow(below.rows),
    ...(mode !== "truncate" && {
      rollout_is_masked_fraction: ofToken(masked),
      rollout_is_seq_masked_fraction: (masked.rows + zero(level !== "token" && outsideMask)) / allRows,
    }),
  };
}

/**
 * Sums one pack, in the order of its sequences: `mismatch/mismatch_*` always, `mismatch/rollout_is_*` unless
 * `rollout_is_threshold` is None.
 */
export function xtunerPackMetrics(plan: XtunerPlan | undefined): BatchMetrics {
  const pack = emptySums();
  const sums = emptyXtunerSums();
  return {
    add(block, applied) {
      const { rows } = mismatchSums(block, { turns: false });
      for (let at = 0; at < rows.length; at += sumsLayout.FIELDS) mergeSums(pack, rows, at);
      if (plan) addToXtunerSums(sums, plan, block, applied);
    },
    finish: () => ({
      ...xtunerMismatchMetrics(pack),
      ...(plan && prefixed("mismatch/", xtunerFigures(sums, plan))),
    }),
  };
}

function measuredBy({ steps }: AppliedCorrection, action: "mask" | "veto"): Uint8Array | undefined {
  return steps.find(({ step }) => step.action === action)?.measured?.rejected;
}
