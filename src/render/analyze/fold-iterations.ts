import type { IterationFigures } from "../../results/analyze.ts";

/** The iterations from the first to the last one named, as one row. */
export interface IterationRange extends Omit<IterationFigures, "iteration"> {
  readonly from: number | null;
  readonly to: number | null;
}

/** At most `most` rows: neighbors are merged, means weighted by their counts. */
export function foldIterations(rows: readonly IterationFigures[], most: number): IterationRange[] {
  const known = rows.filter(({ iteration }) => iteration !== null);
  const rest = rows.filter(({ iteration }) => iteration === null);
  const ranges = Math.min(known.length, Math.max(1, most - rest.length));
  const folded = Array.from({ length: ranges }, (_, range) =>
    known.slice(
      Math.floor((range * known.length) / ranges),
      Math.floor(((range + 1) * known.length) / ranges),
    ),
  );
  return [...folded, ...rest.map((row) => [row])].map(joinRows);
}

function joinRows(rows: readonly IterationFigures[]): IterationRange {
  const sum = (pick: (row: IterationFigures) => number): number =>
    rows.reduce((total, row) => total + pick(row), 0);
  const mean = (
    count: (row: IterationFigures) => number,
    value: (row: IterationFigures) => number | null,
  ): number | null => {
    const total = sum(count);
    return total > 0 ? sum((row) => count(row) * (value(row) ?? 0)) / total : null;
  };
  return {
    from: rows[0]!.iteration,
    to: rows.at(-1)!.iteration,
    count: sum((row) => row.count),
    mean: mean(
      (row) => row.count,
      (row) => row.mean,
    )!,
    max: rows.reduce((most, row) => Math.max(most, row.max), 0),
    correct_count: sum((row) => row.correct_count),
    correct_mean: mean(
      (row) => row.correct_count,
      (row) => row.correct_mean,
    ),
    incorrect_count: sum((row) => row.incorrect_count),
    incorrect_mean: mean(
      (row) => row.incorrect_count,
      (row) => row.incorrect_mean,
    ),
  };
}
