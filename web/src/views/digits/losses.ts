/**
 * Number-token losses with their bounds, as rows of a table.
 *
 * @module
 */
import type { Bounded, DigitDistribution } from "../../../../src/protocol/digits.ts";
import type { Row } from "../../ui/export.ts";

export interface LossKind {
  readonly name: string;
  readonly meaning: string;
  readonly own: BoundedField;
  readonly raw?: BoundedField;
  /** Where its scale ends; without one it ends with the largest value. */
  readonly top?: number;
}

type BoundedField = {
  [Field in keyof DigitDistribution]: DigitDistribution[Field] extends Bounded ? Field : never;
}[keyof DigitDistribution];

export const LOSSES: readonly LossKind[] = [
  { name: "NTL-MSE", meaning: "(E − t)²", own: "ntl_mse", raw: "raw_ntl_mse" },
  { name: "NTL-WAS", meaning: "Σ P(d)·|d − t|", own: "ntl_wasserstein", raw: "raw_ntl_wasserstein" },
  { name: "NTL-MAE", meaning: "|E − t|", own: "ntl_mae", raw: "raw_ntl_mae" },
  {
    name: "expected digit",
    meaning: "E = Σ d·P(d)",
    own: "expected_digit",
    raw: "raw_expected_digit",
    top: 9,
  },
  { name: "digit accuracy", meaning: "the likeliest digit is t", own: "digit_accuracy", top: 1 },
  { name: "mass of the ten digits", meaning: "Σ P(d) before renormalising", own: "digit_mass", top: 1 },
];

/** The end of a loss's scale, the same for every policy. */
export function scaleTop({ own, raw, top }: LossKind, distributions: readonly DigitDistribution[]): number {
  if (top !== undefined) return top;
  const highs = distributions.flatMap((one) => [
    one[own].high,
    ...(raw === undefined ? [] : [one[raw].high]),
  ]);
  return Math.max(0, ...highs.filter(Number.isFinite)) || 1;
}

/** Where an estimate and its bounds lie on a scale from 0, as shares of it. */
export function placesOn(top: number, { estimate, low, high }: Bounded): [number, number, number] {
  const share = (value: number): number => Math.min(1, Math.max(0, value / top));
  return [share(low), share(estimate), share(high)];
}

export function lossRows(distributions: readonly DigitDistribution[]): Row[] {
  return distributions.flatMap((one) =>
    LOSSES.flatMap(({ own, raw }) =>
      [own, raw].flatMap((field): Row[] =>
        field === undefined
          ? []
          : [
              {
                policy: one.policy,
                against: one.against,
                figure: field,
                ...one[field],
                k: one.k,
                positions: one.positions,
                complete: one.complete,
                unknown: one.unknown,
                unaccounted_mean: one.unaccounted_mean,
                unaccounted_max: one.unaccounted_max,
              },
            ],
      ),
    ),
  );
}
