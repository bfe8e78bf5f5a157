import { figureOfSums, type SumColumn, sumImpact } from "../../../../analyses/filter/index.ts";
import type { RowSums } from "../../../../core/kernels/index.ts";
import { COUNT, FIELDS } from "../../../../core/kernels/index.ts";
import type { Row } from "./build-sequence.ts";
import type { TableRow } from "./table-builder.ts";
import type { TokenFigures } from "./token-pass.ts";

/** A sequence's row of the table: the kernel's sums, so that figures are the report's, and what the tokens said. */
export function tableRow(
  { batch, row, prompt }: Row,
  { rows, rowTurns }: RowSums,
  figures: TokenFigures,
): TableRow {
  const count = rows[row * FIELDS + COUNT]!;
  const some = (value: number): number => (count > 0 ? value : Number.NaN);
  const figure = (name: SumColumn): number => figureOfSums(name, rows, row);
  return {
    delta_mean: figure("delta_mean"),
    delta_abs_mean: figure("delta_abs_mean"),
    delta_abs_max: figure("delta_abs_max"),
    delta_sum: figure("delta_sum"),
    k3_mean: figure("k3_mean"),
    prob_diff_max: figure("prob_diff_max"),
    ess: figure("ess"),
    rollout_logprob_mean: figure("rollout_logprob_mean"),
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
