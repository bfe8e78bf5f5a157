/**
 * The tails of importance ratios, which show whether their means can be trusted.
 *
 * @module
 */
import type { FloatArray } from "../base/arrays.ts";
import { COUNT, DELTA_MEAN } from "../kernels/layout.ts";
import type { MaskedTokens } from "../kernels/mismatch.ts";
import { weightTailIndex } from "../statistics/generalized-pareto.ts";
import { LARGEST_KEPT, LargestValues } from "./largest-values.ts";
import { layoutOf, part } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";

/** Pareto k̂ of each kind of ratio; NaN for fewer than 25 of them, Infinity if the tail has no shape. */
export interface TailIndices {
  /** k̂ of ρ: whether means of ρ, and so TIS and ESS, can be trusted. */
  readonly ratio: number;
  /** k̂ of 1/ρ: a heavy tail hints at tokens that the trainer finds likely and the rollout engine hardly ever samples. */
  readonly inverse: number;
  /** k̂ of a sequence's product of ρ. */
  readonly sequence: number;
}

/**
 * The largest Δ, −Δ (of tokens with mask 1 and both log-probs finite) and ΣΔ (of sequences with such a token), nats. A
 * token's Δ is formed in float64 from its two log-probs.
 */
export class RatioTails extends Sums {
  static readonly layout = layoutOf<RatioTails>({
    ratio: part(LargestValues.layout, (tails) => tails.ratio),
    inverse: part(LargestValues.layout, (tails) => tails.inverse),
    sequence: part(LargestValues.layout, (tails) => tails.sequence),
  });
  readonly ratio: LargestValues;
  readonly inverse: LargestValues;
  readonly sequence: LargestValues;

  /** @param kept number of values kept per tail */
  constructor(kept = LARGEST_KEPT) {
    super();
    this.ratio = new LargestValues(kept);
    this.inverse = new LargestValues(kept);
    this.sequence = new LargestValues(kept);
  }

  /** Tokens whose Δ (rounded to float32) is strictly between these two are in no tail. */
  get window(): { readonly low: number; readonly high: number } {
    // Rounding keeps the order, so no token that exceeds a bound is below its rounded value.
    return { low: -Math.fround(this.inverse.bound), high: Math.fround(this.ratio.bound) };
  }

  /** Adds the tokens of a kernel pass over these columns. */
  addTokens(
    tokens: Pick<MaskedTokens, "count" | "delta" | "index">,
    rollout: FloatArray,
    trainer: FloatArray,
  ): void {
    this.addListed(tokens, undefined, tokens.count, rollout, trainer);
  }

  /** Like {@link addTokens}, given the positions of the tokens that may be in a tail, `listed[0, count)`. */
  addListed(
    tokens: Pick<MaskedTokens, "count" | "delta" | "index">,
    listed: Int32Array | undefined,
    listedCount: number,
    rollout: FloatArray,
    trainer: FloatArray,
  ): void {
    const { ratio, inverse } = this;
    const { count, delta, index } = tokens;
    let { low, high } = this.window;
    let [above, below] = [0, 0];
    for (let k = 0; k < listedCount; k++) {
      const i = listed === undefined ? k : listed[k]!;
      const rounded = delta[i]!;
      if (rounded < high && rounded > low) continue;
      const value = trainer[index[i]!]! - rollout[index[i]!]!;
      if (rounded >= high) {
        ratio.add(value);
        above++;
        high = Math.fround(ratio.bound);
      }
      if (rounded <= low) {
        inverse.add(-value);
        below++;
        low = -Math.fround(inverse.bound);
      }
    }
    ratio.skip(count - above);
    inverse.skip(count - below);
  }

  /** Adds a sequence by its kernel sums. */
  addSequence(rows: Float64Array, offset: number): void {
    const n = rows[offset + COUNT]!;
    if (n > 0) this.sequence.add(n * rows[offset + DELTA_MEAN]!);
  }

  indices(): TailIndices {
    const index = (values: LargestValues): number => weightTailIndex(values.list(), values.count);
    return { ratio: index(this.ratio), inverse: index(this.inverse), sequence: index(this.sequence) };
  }
}
