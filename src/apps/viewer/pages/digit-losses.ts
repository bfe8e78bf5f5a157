/**
 * Number-token losses with their bounds: one table for both policies.
 *
 * @module
 */

import { formatBounded } from "../../../render/digits/index.ts";
import { formatCount, formatShare } from "../../../render/text/index.ts";
import type { Bounded, DigitDistribution, PageColumn, PageRow, PageTable } from "../../../results/index.ts";

interface LossKind {
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

const LOSSES: readonly LossKind[] = [
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
  { name: "digit accuracy", meaning: "the most likely digit is t", own: "digit_accuracy", top: 1 },
  { name: "mass of the ten digits", meaning: "Σ P(d) before renormalising", own: "digit_mass", top: 1 },
];

/** A row per loss, a column per policy, each with the interval that the digits outside the top k leave. */
export function lossTable(
  id: string,
  title: string,
  distributions: readonly DigitDistribution[],
): PageTable[] {
  if (distributions.length === 0) return [];
  const tops = LOSSES.map((kind) => scaleTop(kind, distributions));
  const column = (
    { policy }: DigitDistribution,
    header: string,
    ofs: readonly (Bounded | undefined)[],
  ): PageColumn => ({
    header,
    align: "right",
    cells: ofs.map((of) => (of === undefined ? "" : formatBounded(of))),
    spans: ofs.map((of, at) => (of === undefined ? null : placesOn(tops[at]!, of))),
    colour: policy === "trainer" ? "orange" : "blue",
  });
  return [
    {
      id,
      title,
      note: [
        ...distributions.map(sayCoverage),
        "In brackets and as a bar: the bounds on the mean, given that digits outside the top k are unknown. The mark is the estimate that gives them no mass.",
      ].join(" "),
      rows: LOSSES.length,
      columns: [
        { header: "mean per digit", align: "left", cells: LOSSES.map(({ name }) => name) },
        { header: "of what", align: "left", cells: LOSSES.map(({ meaning }) => meaning) },
        ...distributions.map((one) =>
          column(
            one,
            one.policy,
            LOSSES.map(({ own }) => one[own]),
          ),
        ),
        ...distributions.map((one) =>
          column(
            one,
            `${one.policy}, not renormalised`,
            LOSSES.map(({ raw }) => raw && one[raw]),
          ),
        ),
      ],
      raw: lossRows(distributions),
    },
  ];
}

/** The end of a loss's scale, the same for every policy. */
function scaleTop({ own, raw, top }: LossKind, distributions: readonly DigitDistribution[]): number {
  if (top !== undefined) return top;
  const highs = distributions.flatMap((one) => [
    one[own].high,
    ...(raw === undefined ? [] : [one[raw].high]),
  ]);
  return Math.max(0, ...highs.filter(Number.isFinite)) || 1;
}

/** Where an estimate and its bounds lie on a scale from 0, as shares of it. */
function placesOn(top: number, { estimate, low, high }: Bounded): readonly [number, number, number] {
  const share = (value: number): number => Math.min(1, Math.max(0, value / top));
  return [share(low), share(estimate), share(high)];
}

function lossRows(distributions: readonly DigitDistribution[]): PageRow[] {
  return distributions.flatMap((one) => {
    const { policy, against, k, positions, complete, unknown, unaccounted_mean, unaccounted_max } = one;
    const rest = { k, positions, complete, unknown, unaccounted_mean, unaccounted_max };
    return LOSSES.flatMap(({ own, raw }) => (raw === undefined ? [own] : [own, raw])).map(
      (figure): PageRow => ({ policy, against, figure, ...one[figure], ...rest }),
    );
  });
}

function sayCoverage(one: DigitDistribution): string {
  const unknown = one.unknown > 0 ? ` ${formatCount(one.unknown)} more contain no digit.` : "";
  return (
    `${one.policy}: top ${one.k} of ${formatCount(one.positions)} digit positions, ` +
    `${formatShare(one.complete / one.positions)} of them fully known; ${formatShare(one.unaccounted_mean)} of the ` +
    `probability is outside (at most ${formatShare(one.unaccounted_max)}).${unknown}`
  );
}
