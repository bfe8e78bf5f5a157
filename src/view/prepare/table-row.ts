import {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_MAX,
  COUNT,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  FIELDS,
  K3_SUM,
  ROLLOUT_SUM,
} from "../../kernels/layout.ts";
import type { MismatchTable } from "../../kernels/mismatch.ts";
import type { Row } from "./sequence-of.ts";
import type { TableRow } from "./table-builder.ts";
import type { TokenFigures } from "./token-pass.ts";

/** A sequence's row of the table: the kernel's sums, so that figures are the report's, and what the tokens said. */
export function tableRow(
  { batch, row, prompt }: Row,
  { rows, rowTurns }: MismatchTable,
  figures: TokenFigures,
): TableRow {
  const at = row * FIELDS;
  const of = (field: number): number => rows[at + field]!;
  const count = of(COUNT);
  const some = (value: number): number => (count > 0 ? value : Number.NaN);
  return {
    step: batch.steps[row]!,
    rank: batch.ranks[row]!,
    row: batch.rows[row]!,
    reward: batch.rewards[row]!,
    correct: batch.correctness[row]!,
    turns: rowTurns[row]!,
    prompt_tokens: prompt.length,
    response_tokens: batch.offsets[row + 1]! - batch.offsets[row]!,
    tokens: count,
    delta_mean: some(of(DELTA_MEAN)),
    delta_abs_mean: of(ABS_DELTA_SUM) / count,
    delta_abs_max: some(Math.max(of(DELTA_MAX), -of(DELTA_MIN))),
    delta_sum: some(count * of(DELTA_MEAN)),
    k3_mean: of(K3_SUM) / count,
    prob_diff_max: some(of(ABS_PROB_DIFF_MAX)),
    rho_sum: some(figures.rhoSum),
    rho_squares: some(figures.rhoSquares),
    worst_token: figures.worst,
    rollout_logprob_mean: of(ROLLOUT_SUM) / count,
    entropy_mean: figures.entropySum / figures.entropyTokens,
    advantage: figures.advantage,
  };
}
