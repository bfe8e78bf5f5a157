/**
 * The metrics of rejected tokens and sequences: `compute_rs_metrics` of verl/trainer/ppo/rollout_corr_helper.py @
 * 1dda039b.
 *
 * @module
 */
import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import { computeMaskedMean, type Figures, maskedStd, prefixed, rowStd } from "../shared/masked-figures.ts";
import { maskedMean } from "../shared/masked-mean.ts";
import { Moments } from "../shared/moments.ts";
import type { VerlRejection } from "./settings.ts";

/** Sums of what all options reject together, and the figures of each option. */
export class RejectionSums {
  readonly #options: readonly OptionSums[];
  readonly #rejectedTokens = new Moments();
  #rows = 0;
  #rejectedRows = 0;

  constructor(rejections: readonly VerlRejection[]) {
    this.#options = rejections.map((rejection) => new OptionSums(rejection));
  }

  add(block: CorrectionBlock, applied: AppliedCorrection): void {
    // The masking steps correspond to the options, in order.
    const masks = applied.steps.filter(({ step }) => step.action === "mask");
    for (const [i, option] of this.#options.entries()) option.add(block, masks[i]!.measured!);
    const { mask, offsets } = block;
    for (let row = 0; row + 1 < offsets.length; row++) {
      let lost = false;
      for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
        if (mask[t] === 0) continue;
        const rejected = applied.mask[t] === 0 ? 1 : 0;
        this.#rejectedTokens.add(rejected);
        if (rejected) lost = true;
      }
      this.#rows++;
      if (lost) this.#rejectedRows++;
    }
  }

  finish(): Figures {
    return {
      ...Object.assign({}, ...this.#options.map((option) => option.finish())),
      rollout_rs_masked_fraction: computeMaskedMean(this.#rejectedTokens),
      rollout_rs_seq_masked_fraction: this.#rejectedRows / this.#rows,
    };
  }
}

/** What a rule measured and rejected, per token, or per row if its level is the sequence. */
interface Measured {
  readonly values: Float64Array;
  readonly rejected: Uint8Array;
}

/** Sums of one option, such as `seq_mean_k3`: its statistic over tokens, and over rows. */
class OptionSums {
  readonly #rejection: VerlRejection;
  readonly #tokens = new Moments();
  /** Values clamped to the bounds, from which verl computes `std`. */
  readonly #clamped = new Moments();
  readonly #rows = new Moments();
  readonly #sizes = new Moments();
  readonly #above = { tokens: 0, rows: 0 };
  readonly #below = { tokens: 0, rows: 0 };
  readonly #rejected = { tokens: 0, rows: 0 };

  constructor(rejection: VerlRejection) {
    this.#rejection = rejection;
  }

  add({ mask, offsets }: CorrectionBlock, { values, rejected }: Measured): void {
    const { level, aggregation } = this.#rejection;
    for (let row = 0; row + 1 < offsets.length; row++) {
      let count = 0;
      let sum = 0;
      let lost = false;
      for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
        if (mask[t] === 0) continue;
        count++;
        if (level === "sequence") continue;
        sum += values[t]!;
        if (rejected[t] === 1) lost = true;
        this.#addToken(values[t]!, 1, rejected[t] === 1);
      }
      if (count === 0) continue;
      if (level === "sequence") {
        // Our mean divides by the count, verl's by count + 1e-8. Each token of the row has the row's value.
        const value = values[row]! * (aggregation === "mean" ? maskedMean(count, count) : 1);
        this.#addToken(value, count, rejected[row] === 1);
        this.#addRow(value, rejected[row] === 1);
      } else this.#addRow(maskedMean(sum, count), lost);
    }
  }

  /** @param weight how many tokens have this value */
  #addToken(value: number, weight: number, rejected: boolean): void {
    const { lower, upper } = this.#rejection;
    const floor = lower ?? 0;
    this.#tokens.add(value, weight);
    this.#clamped.add(value < floor ? floor : Math.min(value, upper), weight);
    if (value > upper) this.#above.tokens += weight;
    if (lower !== undefined && value < lower) this.#below.tokens += weight;
    if (rejected) this.#rejected.tokens += weight;
  }

  #addRow(value: number, lost: boolean): void {
    const { lower, upper } = this.#rejection;
    this.#rows.add(value);
    this.#sizes.add(Math.abs(value));
    if (value > upper) this.#above.rows++;
    if (lower !== undefined && value < lower) this.#below.rows++;
    if (lost) this.#rejected.rows++;
  }

  finish(): Figures {
    const { option, statistic, level } = this.#rejection;
    const [tokens, rows, above, below] = [this.#tokens, this.#rows, this.#above, this.#below];
    const extremes = level === "token" ? tokens : rows;
    const share = (of: { readonly tokens: number; readonly rows: number }): number =>
      level === "token" ? maskedMean(of.tokens, tokens.count) : of.rows / rows.count;
    const figures: Figures = {
      mean: computeMaskedMean(tokens),
      max: extremes.max,
      min: extremes.min,
      fraction_high: share(above),
      fraction_low: share(below),
      std: maskedStd(this.#clamped),
      seq_mean: rows.mean,
      seq_std: rowStd(rows),
      seq_max: rows.max,
      seq_min: rows.min,
      seq_max_deviation: this.#sizes.max,
      seq_fraction_high: above.rows / rows.count,
      ...(statistic === "k1" && { seq_fraction_low: below.rows / rows.count }),
      masked_fraction: maskedMean(this.#rejected.tokens, tokens.count),
      seq_masked_fraction: this.#rejected.rows / rows.count,
    };
    return prefixed(`rollout_rs_${option}_`, figures);
  }
}
