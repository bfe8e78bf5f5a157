/**
 * Number-token losses in words: their names, what they were computed from, and how bounds are written, for tables in
 * terminals and on the page.
 *
 * @module
 */

import { formatCount, formatNumber, formatShare, plural } from "../../core/text/index.ts";
import { type Bounded, type DigitDistribution, RECORDED_DISTRIBUTIONS } from "../../results/digits.ts";

type BoundedField = {
  [Field in keyof DigitDistribution]: DigitDistribution[Field] extends Bounded ? Field : never;
}[keyof DigitDistribution];

export interface DigitLoss {
  readonly name: string;
  readonly meaning: string;
  readonly own: BoundedField;
  /** The same before the ten digits' probabilities are made to sum to 1. */
  readonly raw?: BoundedField;
  /** The end of its scale; without one, the scale ends at the largest value. */
  readonly top?: number;
}

export const DIGIT_LOSSES: readonly DigitLoss[] = [
  {
    name: "expected digit",
    meaning: "E = Σ d·P(d)",
    own: "expected_digit",
    raw: "raw_expected_digit",
    top: 9,
  },
  { name: "NTL-MSE", meaning: "(E − t)²", own: "ntl_mse", raw: "raw_ntl_mse" },
  { name: "NTL-WAS", meaning: "Σ P(d)·|d − t|", own: "ntl_wasserstein", raw: "raw_ntl_wasserstein" },
  { name: "NTL-MAE", meaning: "|E − t|", own: "ntl_mae", raw: "raw_ntl_mae" },
  { name: "digit accuracy", meaning: "the most likely digit is t", own: "digit_accuracy", top: 1 },
  { name: "mass of the ten digits", meaning: "Σ P(d) before renormalizing", own: "digit_mass", top: 1 },
];

/** `Number-token loss against the sampled digit`. */
export function lossTitle(against: DigitDistribution["against"]): string {
  return `Number-token loss against ${against === "sampled" ? "the sampled digit" : "ground truth"}`;
}

/** Whether the files have a distribution over only the digits, rather than a policy's top-k lists. */
export function isRecorded({ policy }: DigitDistribution): boolean {
  return policy === RECORDED_DISTRIBUTIONS;
}

/** The positions that the means cover, and what is unknown about their distributions; ends with a full stop. */
export function describeCoverage(one: DigitDistribution): string {
  const { k, positions, complete, unaccounted_mean: mean, unaccounted_max: most, unknown } = one;
  const known = isRecorded(one)
    ? `the distributions over the ten digits at ${plural(positions, "digit position")}.`
    : `the top ${k} of ${plural(positions, "digit position")}, of which ${formatShare(complete / positions)} are fully known; ` +
      `${formatShare(mean)} of the probability is outside (at most ${formatShare(most)}).`;
  const without = unknown === 0 ? "" : ` ${formatCount(unknown)} more positions have no digit at all.`;
  return known + without;
}

/** `0.123 [0.120, 0.140]`; a single figure if the bounds are equal. */
export function formatBounded({ estimate, low, high }: Bounded): string {
  const [value, from, to] = [estimate, low, high].map((figure) => formatNumber(figure));
  return from === value && to === value ? value! : `${value} [${from}, ${to}]`;
}
