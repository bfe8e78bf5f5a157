/**
 * KL by kind of token.
 *
 * @module
 */
import { LengthMismatchError } from "../../../core/base/index.ts";
import { meanAndStd } from "../spikes/series-statistics.ts";
import { type Category, DEFAULT_CATEGORIES, OTHER, tokenClassifier } from "./categories.ts";

/** Nats; all 0 if the category has no token. */
export interface CategoryStatistics {
  readonly count: number;
  readonly meanKl: number;
  /** Standard deviation of the population. */
  readonly stdKl: number;
  readonly maxKl: number;
  readonly minKl: number;
}

/**
 * Figures of each category and of `other`, in the categories' order. A NaN makes its category's figures NaN.
 *
 * @param tokens texts of the tokens
 * @param kl one value per token
 */
export function categoryStatistics(
  tokens: readonly string[],
  kl: ArrayLike<number>,
  categories: readonly Category[] = DEFAULT_CATEGORIES,
): Readonly<Record<string, CategoryStatistics>> {
  if (tokens.length !== kl.length)
    throw new LengthMismatchError(`expected one KL value per token, got ${kl.length} for ${tokens.length}`, {
      found: kl.length,
      expected: tokens.length,
    });
  const values = new Map<string, number[]>();
  for (const { name } of categories) values.set(name, []);
  values.set(OTHER, []);
  const classify = tokenClassifier(categories);
  tokens.forEach((token, t) => {
    values.get(classify(token))?.push(kl[t]!);
  });
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, computeStatistics(Float64Array.from(list))]),
  );
}

function computeStatistics(values: Float64Array): CategoryStatistics {
  if (values.length === 0) return { count: 0, meanKl: 0, stdKl: 0, maxKl: 0, minKl: 0 };
  const { mean, std } = meanAndStd(values);
  const maxKl = values.reduce((a, b) => Math.max(a, b));
  const minKl = values.reduce((a, b) => Math.min(a, b));
  return { count: values.length, meanKl: mean, stdKl: std, maxKl, minKl };
}
