/**
 * Chooses and orders pairs of sequences for the table.
 *
 * @module
 */

import { RUN_METRICS } from "../../../../src/results/metrics/run-metrics.ts";
import type { SequenceColumn } from "../../../../src/results/metrics/sequence-columns.ts";
import type { PairKind, SequencePairs } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import type { StepRange } from "../../state/step-range.ts";
import type { TableSort } from "../../ui/virtual-table/virtual-table.tsx";

export const HOW_TITLES: Readonly<Record<PairKind, string>> = {
  ids: "same tokens",
  prompt: "same prompt",
  group: "same group",
};

/** Figures that pairs are compared by, under their column in the table of sequences. */
export const COMPARED = [
  { key: "mean", title: RUN_METRICS.delta_abs_mean.label, column: "delta_abs_mean" },
  { key: "max", title: RUN_METRICS.delta_abs_max.label, column: "delta_abs_max" },
  { key: "k3", title: RUN_METRICS.k3.label, column: "k3_mean" },
] as const satisfies readonly { key: string; title: string; column: SequenceColumn }[];

export interface Pairs {
  readonly a: SequenceTable;
  readonly b: SequenceTable;
  readonly pairs: SequencePairs;
}

/** The figure in run A, in run B, and b − a; NaN where unknown. */
export interface PairFigure {
  readonly a: number;
  readonly b: number;
  readonly difference: number;
}

export function compareFigure({ a, b, pairs }: Pairs, at: number, column: SequenceColumn): PairFigure {
  const first = a.columns[column][pairs.a[at]!]!;
  const second = b.columns[column][pairs.b[at]!]!;
  return { a: first, b: second, difference: second - first };
}

/** The value that the table is sorted by; `gap` is the largest difference at a token. */
function sortValue(all: Pairs, key: string, at: number): number | undefined {
  const { a, pairs } = all;
  if (key === "gap") return pairs.gap_max[at] ?? Number.NaN;
  if (key === "shared") return pairs.shared[at]!;
  if (key === "step") return a.columns.step[pairs.a[at]!]!;
  if (key === "sequence") return pairs.a[at]!;
  const compared = COMPARED.find((figure) => figure.key === key);
  return compared && compareFigure(all, at, compared.column).difference;
}

const SORT_KEYS = ["sequence", "step", "shared", "gap", ...COMPARED.map(({ key }) => key)];

/** `-mean`: descending; the default shows where B is worse than A. */
export function pairSort(text: string): TableSort {
  const descending = text.startsWith("-");
  const key = descending ? text.slice(1) : text;
  return SORT_KEYS.includes(key) ? { key, descending } : { key: "mean", descending: true };
}

/** Indices of pairs, sorted; NaN comes last. `steps` are those of run A. */
export function orderedPairs(all: Pairs, sort: TableSort, steps: StepRange | null): Uint32Array {
  const { a, pairs } = all;
  const inside = pairs.a.flatMap((index, at) => {
    const step = a.columns.step[index]!;
    return steps === null || (step >= steps[0] && step <= steps[1]) ? [at] : [];
  });
  const values = new Map(inside.map((at) => [at, sortValue(all, sort.key, at) ?? Number.NaN]));
  const sign = sort.descending ? -1 : 1;
  return Uint32Array.from(
    inside.sort((one, other) => {
      const [first, second] = [values.get(one)!, values.get(other)!];
      if (Number.isNaN(first) || Number.isNaN(second))
        return Number(Number.isNaN(first)) - Number(Number.isNaN(second)) || one - other;
      return sign * (first - second) || one - other;
    }),
  );
}

/** The index of `pair=12-40`, rows in the tables of A and B; undefined if there is no such pair. */
export function findPair({ a, b }: SequencePairs, text: string): number | undefined {
  const [, first, second] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  const at = a.indexOf(Number(first));
  return at >= 0 && b[at] === Number(second) ? at : undefined;
}

export function formatPair({ a, b }: SequencePairs, at: number): string {
  return `${a[at]}-${b[at]}`;
}
