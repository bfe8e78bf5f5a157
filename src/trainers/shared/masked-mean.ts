/**
 * verl and xtuner divide masked sums by (Σ mask + 1e-8): verl/utils/torch_functional.py `masked_mean`, copied to
 * xtuner/v1/data_proto/utils.py. In float32 the epsilon vanishes for n ≥ 1; in float64, in which parity is checked, it
 * shows when 1 is subtracted from a mean.
 */
export const MASKED_MEAN_EPSILON = 1e-8;

export function maskedMean(sum: number, count: number): number {
  return sum / (count + MASKED_MEAN_EPSILON);
}
