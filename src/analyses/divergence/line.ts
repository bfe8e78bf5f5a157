import type { DivergenceRecord, LeanDivergenceRecord } from "../../results/divergence.ts";

/**
 * A record as a line of JSONL, without the line end. JSON writes null for values that are not finite. `record_id` comes
 * last, so that a truncated line has none.
 */
export function divergenceLine(whole: DivergenceRecord, { lean = false }: LineOptions = {}): string {
  const { record_id, ...record } = lean ? toLean(whole) : whole;
  return JSON.stringify({ ...record, record_id });
}

export interface LineOptions {
  /** Writes only known values of {@link LEAN_FIELDS}. Default false. */
  readonly lean?: boolean;
}

/**
 * The fields of the guide's own example with its flip type, those that locate the token, those that `analyze` compares
 * shares with, and errors.
 */
const LEAN_FIELDS: readonly (keyof DivergenceRecord)[] = [
  "iteration",
  "rank",
  "batch_idx",
  "position",
  "position_from_end",
  "sequence_length",
  "token_id",
  "token_text",
  "prob_divergence",
  "rollout_prob",
  "actor_prob",
  "rollout_logprob",
  "actor_logprob",
  "logprob_diff",
  "flip_type",
  "is_correct",
  "total_score",
  "WARNING",
  "context_text",
  "context_start_pos",
  "context_end_pos",
  "prompt_text",
  "prompt_num_tokens",
  "full_response",
  "response_num_tokens",
  "decode_error",
  "handle",
  "file",
  "iteration_responses",
  "iteration_accuracy",
  "iteration_correct_tokens",
  "record_id",
];

function toLean(record: DivergenceRecord): LeanDivergenceRecord {
  const known = LEAN_FIELDS.flatMap((field) => {
    const value = record[field];
    return value === null || value === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(known) as LeanDivergenceRecord;
}

const RECORD_ID = /"record_id":"([^"\\]+)"\}$/;

/**
 * The `record_id` of a line of the log, its last field; undefined if the line has none or is truncated.
 */
export function lineIdentity(line: string): string | undefined {
  return RECORD_ID.exec(line)?.[1];
}

/** Fills `{iteration}` in a path; `none` if the iteration is not known. */
export function fillIteration(path: string, iteration: number | null): string {
  return path.replaceAll("{iteration}", String(iteration ?? "none"));
}
