import { figureOfSums, SUM_COLUMNS, type SumColumn, sumImpact } from "../../../../analyses/filter/index.ts";
import type { MismatchTable } from "../../../../core/kernels/index.ts";
import { COUNT, FIELDS } from "../../../../core/kernels/index.ts";
import type { Row } from "./build-sequence.ts";
import type { TableRow } from "./table-builder.ts";
import type { TokenFigures } from "./token-pass.ts";

/** A sequence's row of the table: the kernel's sums, so that figures are the report's, and what the tokens said. */
export function tableRow(
  { batch, row, prompt }: Row,
  { rows, rowTurns }: MismatchTable,
  figures: TokenFigures,
): TableRow {
  const count = rows[row * FIELDS + COUNT]!;
  const some = (value: number): number => (count > 0 ? value : Number.NaN);
  const summed = Object.fromEntries(
    SUM_COLUMNS.map((name) => [name, figureOfSums(name, rows, row)]),
  ) as Record<SumColumn, number>;
  return {
    ...summed,
    step: batch.steps[row]!,
    rank: batch.ranks[row]!,
    row: batch.rows[row]!,
    reward: batch.rewards[row]!,
    correct: batch.correctness[row]!,
    turns: rowTurns[row]!,
    prompt_tokens: prompt.length,
    response_tokens: batch.offsets[row + 1]! - batch.offsets[row]!,
    tokens: count,
    rho_sum: some(figures.rhoSum),
    rho_squares: some(figures.rhoSquares),
    worst_token: figures.worst,
    entropy_mean: figures.entropyTokens === 0 ? Number.NaN : figures.entropySum / figures.entropyTokens,
    advantage: figures.advantage,
    impact: sumImpact(batch, row),
    cached_tokens: batch.cachedTokens?.[row] ?? Number.NaN,
  };
}
