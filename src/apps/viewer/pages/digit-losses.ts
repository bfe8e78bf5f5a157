/**
 * Number-token losses with their bounds: one table for both policies.
 *
 * @module
 */

import {
  DIGIT_LOSSES,
  type DigitLoss,
  describeCoverage,
  formatBounded,
  isRecorded,
} from "../../../render/digits/index.ts";
import type { Bounded, DigitDistribution, PageColumn, PageRow, PageTable } from "../../../results/index.ts";

/** A row per loss, a column per policy, each with the bounds that digits outside the top k leave. */
export function lossTable(
  id: string,
  title: string,
  distributions: readonly DigitDistribution[],
): PageTable[] {
  if (distributions.length === 0) return [];
  const tops = DIGIT_LOSSES.map((kind) => scaleTop(kind, distributions));
  const column = (
    { policy }: DigitDistribution,
    header: string,
    ofs: readonly (Bounded | undefined)[],
  ): PageColumn => ({
    header,
    align: "right",
    cells: ofs.map((of) => (of === undefined ? "" : formatBounded(of))),
    spans: ofs.map((of, at) => (of === undefined ? null : placesOn(tops[at]!, of))),
    color: policy === "trainer" ? "orange" : "blue",
  });
  return [
    {
      id,
      title,
      note: [
        ...distributions.map((one) => `${one.policy}: ${describeCoverage(one)}`),
        ...(distributions.every(isRecorded)
          ? []
          : [
              "In brackets and as a bar: the bounds on the mean, given that digits outside the top k are unknown. The mark is the estimate that gives them no mass.",
            ]),
      ].join(" "),
      rows: DIGIT_LOSSES.length,
      columns: [
        { header: "mean per digit", align: "left", cells: DIGIT_LOSSES.map(({ name }) => name) },
        { header: "of what", align: "left", cells: DIGIT_LOSSES.map(({ meaning }) => meaning) },
        ...distributions.map((one) =>
          column(
            one,
            one.policy,
            DIGIT_LOSSES.map(({ own }) => one[own]),
          ),
        ),
        ...distributions.map((one) =>
          column(
            one,
            `${one.policy}, not renormalized`,
            DIGIT_LOSSES.map(({ raw }) => raw && one[raw]),
          ),
        ),
      ],
      raw: lossRows(distributions),
    },
  ];
}

/** The end of a loss's scale, the same for every policy. */
function scaleTop({ own, raw, top }: DigitLoss, distributions: readonly DigitDistribution[]): number {
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
    return DIGIT_LOSSES.flatMap(({ own, raw }) => (raw === undefined ? [own] : [own, raw])).map(
      (figure): PageRow => ({ policy, against, figure, ...one[figure], ...rest }),
    );
  });
}
