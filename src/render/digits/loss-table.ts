/**
 * Number-token losses with their bounds: one table for both policies.
 *
 * @module
 */

import type { Bounded, DigitDistribution } from "../../results/digits.ts";
import type { PageRow } from "../../results/page.ts";
import { makeTable, type Table, type TableColumn, textColumn } from "../document/table.ts";
import {
  DIGIT_LOSSES,
  type DigitLoss,
  describeCoverage,
  formatBounded,
  isRecorded,
  lossTitle,
} from "./losses.ts";

const BOUNDS =
  "In brackets (and as a bar on the page): the bounds on the mean, given that digits outside the top k are unknown. The estimate gives them no mass.";

/** A row per loss, a column per policy, each with the bounds left by digits outside the top k. */
export function lossTables(
  distributions: readonly DigitDistribution[],
  against: DigitDistribution["against"],
): Table[] {
  if (distributions.length === 0) return [];
  const tops = DIGIT_LOSSES.map((kind) => scaleTop(kind, distributions));
  const column = (
    { policy }: DigitDistribution,
    header: string,
    ofs: readonly (Bounded | undefined)[],
    priority: number,
  ): TableColumn => ({
    ...textColumn(
      header,
      ofs.map((of) => (of === undefined ? "" : formatBounded(of))),
      { align: "right", priority },
    ),
    spans: ofs.map((of, at) => (of === undefined ? null : placesOn(tops[at]!, of))),
    color: policy === "trainer" ? "orange" : "blue",
  });
  const columns = [
    textColumn(
      "mean per digit",
      DIGIT_LOSSES.map(({ name }) => name),
    ),
    ...distributions.map((one) =>
      column(
        one,
        one.policy,
        DIGIT_LOSSES.map(({ own }) => one[own]),
        1,
      ),
    ),
    ...distributions.map((one) =>
      column(
        one,
        `${one.policy}, not renormalized`,
        DIGIT_LOSSES.map(({ raw }) => raw && one[raw]),
        2,
      ),
    ),
    textColumn(
      "of what",
      DIGIT_LOSSES.map(({ meaning }) => meaning),
      { priority: 3 },
    ),
  ];
  const note = [
    ...distributions.map((one) => `${one.policy}: ${describeCoverage(one)}`),
    ...(distributions.every(isRecorded) ? [] : [BOUNDS]),
  ].join(" ");
  const table = makeTable(`digit-losses-${against}`, lossTitle(against), columns, note);
  return [{ ...table, raw: () => lossRows(distributions) }];
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
