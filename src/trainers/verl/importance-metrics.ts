/**
 * The metrics of importance weights: `compute_is_metrics` of verl/trainer/ppo/rollout_corr_helper.py @ 1dda039b.
 *
 * @module
 */
import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import {
  computeMaskedMean,
  type Figures,
  maskedEffectiveSize,
  maskedStd,
  rowStd,
} from "../shared/masked-figures.ts";
import { maskedMean } from "../shared/masked-mean.ts";
import { Moments } from "../shared/moments.ts";
import { VERL_BOUND, type VerlImportance } from "./settings.ts";

/**
 * Each metric uses one form of the weight, as in verl:
 *
 * ```
 *  bounded weight, not normalized  ── per token ──► mean, min, max, std, ESS
 *                                  └─ row mean ───► seq_*
 *  raw weight, before its bounds   ── per token ──► fractions outside the bounds (level token)
 *                                  └─ row mean ───► seq_fraction_*
 *  log weight of the row           ───────────────► min, max, fractions (level sequence)
 * ```
 */
export class ImportanceSums {
  readonly #importance: VerlImportance;
  readonly #low: number;
  readonly #tokens = new Moments();
  /** Means of the rows; a row without a token has the mean 0 in `#rows`, as in verl, and is not in `#validRows`. */
  readonly #rows = new Moments();
  readonly #validRows = new Moments();
  readonly #deviations = new Moments();
  readonly #logs = new Moments();
  readonly #above = { tokens: 0, rows: 0, logs: 0 };
  readonly #below = { tokens: 0, rows: 0, logs: 0 };

  constructor(importance: VerlImportance) {
    this.#importance = importance;
    this.#low = importance.lower ?? 1 / importance.upper;
  }

  add({ mask, offsets }: CorrectionBlock, applied: AppliedCorrection): void {
    const factor = applied.steps.find(({ step }) => step.action === "normalize")?.factor ?? 1;
    const weights = applied.weights!;
    const rawWeights = applied.rawWeights!;
    const low = this.#low;
    const { level, upper } = this.#importance;
    const tokens = this.#tokens;
    for (let row = 0; row + 1 < offsets.length; row++) {
      let count = 0;
      let sum = 0;
      let rawSum = 0;
      let above = 0;
      let below = 0;
      for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
        if (mask[t] === 0) continue;
        const weight = weights[t]! * factor;
        const raw = rawWeights[t]!;
        tokens.add(weight);
        count++;
        sum += weight;
        rawSum += raw;
        if (raw > upper) above++;
        if (raw < low) below++;
      }
      this.#above.tokens += above;
      this.#below.tokens += below;
      this.#addRow(sum, rawSum, count);
      if (level === "sequence") this.#addLog(applied.logWeights!.values[row]!);
    }
  }

  #addRow(sum: number, rawSum: number, count: number): void {
    const mean = maskedMean(sum, count);
    this.#rows.add(mean);
    if (count > 0) this.#validRows.add(mean);
    this.#deviations.add(Math.abs(mean - 1));
    const rawMean = maskedMean(rawSum, count);
    if (rawMean > this.#importance.upper) this.#above.rows++;
    if (rawMean < this.#low) this.#below.rows++;
  }

  /** Compares the logarithm of a row's weight, since its exponential may overflow. */
  #addLog(log: number): void {
    this.#logs.add(log);
    if (log > Math.log(this.#importance.upper)) this.#above.logs++;
    if (log < Math.log(this.#low)) this.#below.logs++;
  }

  finish(): Figures {
    const { lower, normalize, level } = this.#importance;
    const [tokens, rows, above, below] = [this.#tokens, this.#rows, this.#above, this.#below];
    const { count } = tokens;
    const size = maskedEffectiveSize(tokens);
    const norm = level === "token" ? computeMaskedMean(tokens) : this.#validRows.mean;
    return {
      rollout_is_mean: computeMaskedMean(tokens),
      ...(level === "token" ? this.#tokenExtremes() : this.#logExtremes()),
      rollout_is_std: maskedStd(tokens),
      rollout_is_eff_sample_size: size === Number.POSITIVE_INFINITY ? Number.NaN : size,
      rollout_is_seq_mean: rows.mean,
      rollout_is_seq_std: rowStd(rows),
      rollout_is_seq_max: rows.max,
      rollout_is_seq_min: rows.min,
      rollout_is_seq_max_deviation: this.#deviations.max,
      rollout_is_seq_fraction_high: above.rows / rows.count,
      rollout_is_seq_fraction_low: below.rows / rows.count,
      ...(lower !== undefined && {
        rollout_is_oob_ratio: maskedMean(above.tokens + below.tokens, count),
      }),
      ...(normalize && { rollout_is_batch_norm_factor: norm > 1e-8 ? norm : 1 }),
    };
  }

  #tokenExtremes(): Figures {
    const { max, min, count } = this.#tokens;
    return {
      rollout_is_max: max,
      rollout_is_min: min,
      rollout_is_ratio_fraction_high: maskedMean(this.#above.tokens, count),
      rollout_is_ratio_fraction_low: maskedMean(this.#below.tokens, count),
    };
  }

  #logExtremes(): Figures {
    const { max, min, count } = this.#logs;
    return {
      rollout_is_max: Math.exp(Math.min(max, VERL_BOUND)),
      rollout_is_min: Math.exp(min),
      rollout_is_ratio_fraction_high: this.#above.logs / count,
      rollout_is_ratio_fraction_low: this.#below.logs / count,
    };
  }
}
