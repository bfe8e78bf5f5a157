import { LengthMismatchError } from "../../core/base/index.ts";
import type { PaddedBatch } from "../../trainers/shared/index.ts";
import {
  alternativesAt,
  countOnes,
  type FactsOf,
  idsBetween,
  maskedIds,
  type TokenFacts,
  valueAt,
} from "./token-facts.ts";

type Rows = readonly ArrayLike<number>[];

/**
 * verl's batch as nested arrays under its names: prompts padded on the left to P columns, responses on the right to T.
 * Everything but the log-probs is optional; record fields that need a missing column are null.
 */
export interface DebugBatch extends PaddedBatch {
  /** `[B][T]` token ids. */
  readonly responses?: Rows;
  /** `[B][P + T]`. */
  readonly input_ids?: Rows;
  /** `[B][P + T]`, or `[B][dimensions][P + T]` if positions have several dimensions. */
  readonly position_ids?: Rows | readonly Rows[];
  /** `[B][T]`; their sum is the total score. */
  readonly token_level_scores?: Rows;
  /** `[B][T]`: scores after penalties. */
  readonly token_level_rewards?: Rows;
  /** `[B]`: whether the answer is right. */
  readonly acc?: ArrayLike<number | boolean>;
  /** `[B][T]`. */
  readonly advantages?: Rows;
  /** `[B][T]`, nats. */
  readonly rollout_entropy?: Rows;
  /** `[B][T]` of the trainer policy, nats. */
  readonly old_entropy?: Rows;
  /** `[B][T][k]`, most probable first. */
  readonly rollout_top_ids?: readonly Rows[];
  /** `[B][T][k]` of `rollout_top_ids`, nats. */
  readonly rollout_top_log_probs?: readonly Rows[];
  /** `[B][T][k]` of the trainer policy, most probable first. */
  readonly old_top_ids?: readonly Rows[];
  /** `[B][T][k]` of `old_top_ids`, nats. */
  readonly old_top_log_probs?: readonly Rows[];
}

/** What the padded batch says about a token; `mask` is the packed mask of its rows, concatenated. */
export function paddedFacts(
  batch: DebugBatch,
  mask: Uint8Array,
  offsets: Int32Array,
  context: number,
): FactsOf {
  return (row, token) => {
    const width = offsets[row + 1]! - offsets[row]!;
    const start = Math.max(0, token - context);
    const end = Math.min(width, token + context + 1);
    const responses = ofWidth(batch.responses?.[row], width, "responses", row);
    const inputIds = batch.input_ids?.[row];
    const rowMask = mask.subarray(offsets[row], offsets[row + 1]);
    const scores = batch.token_level_scores?.[row];
    const totalScore =
      scores === undefined ? null : Array.from(scores).reduce((sum, score) => sum + score, 0);
    const correct = batch.acc?.[row] ?? (totalScore === null ? undefined : totalScore > 0);
    const prompt = readPrompt(inputIds, batch.attention_mask?.[row], width);
    return {
      known: {
        batch_idx: row,
        position: token,
        sequence_length: width,
        token_id: valueAt(responses, token),
        rollout_logprob: batch.rollout_log_probs[row]![token]!,
        actor_logprob: batch.old_log_probs[row]![token]!,
        is_correct: correct === undefined ? null : Boolean(correct),
        total_score: totalScore,
        ...readPositions(batch.position_ids?.[row], width, token),
        ...readAttention(batch.attention_mask?.[row], width, token),
        input_ids_token_id:
          inputIds === undefined ? null : valueAt(inputIds, inputIds.length - width + token),
        context_start_pos: start,
        context_end_pos: end,
        prompt_num_tokens: prompt?.length ?? null,
        response_num_tokens: countOnes(rowMask),
        rollout_entropy: valueAt(batch.rollout_entropy?.[row], token),
        actor_entropy: valueAt(batch.old_entropy?.[row], token),
        advantage: valueAt(batch.advantages?.[row], token),
        reward: valueAt(batch.token_level_rewards?.[row] ?? scores, token),
        handle: null,
        file: null,
      },
      contextIds: idsBetween(responses, start, end),
      responseIds: maskedIds(responses, rowMask, 0, width),
      promptIds: prompt,
      promptText: undefined,
      responseText: undefined,
      rolloutTop: readTop(batch.rollout_top_ids, batch.rollout_top_log_probs, row, token),
      actorTop: readTop(batch.old_top_ids, batch.old_top_log_probs, row, token),
    } satisfies TokenFacts;
  };
}

function ofWidth<A extends ArrayLike<number> | undefined>(
  values: A,
  width: number,
  name: string,
  row: number,
): A {
  if (values !== undefined && values.length !== width) {
    throw new LengthMismatchError(
      `cannot tell which token is which: ${name} has ${values.length} tokens, the log-probs have ${width}`,
      {
        found: values.length,
        expected: width,
        at: { row },
        hint: "give one token id per log-prob, padding included",
      },
    );
  }
  return values;
}

/** Tokens before the response, without left padding: everything before the first 1 of the attention mask. */
function readPrompt(
  inputIds: ArrayLike<number> | undefined,
  attention: ArrayLike<number> | undefined,
  width: number,
): Int32Array | null {
  if (inputIds === undefined) return null;
  const start = attention === undefined ? 0 : Array.from(attention).indexOf(1);
  const end = inputIds.length - width;
  return start >= 0 && start < end ? idsBetween(inputIds, start, end) : null;
}

function readPositions(
  positions: ArrayLike<number> | Rows | undefined,
  width: number,
  token: number,
): { position_id: number | null; position_ids?: readonly number[] } {
  if (positions === undefined) return { position_id: null };
  const at = (row: ArrayLike<number>): number | null => valueAt(row, row.length - width + token);
  if (!isNested(positions)) return { position_id: at(positions) };
  const ids = positions.map(at).filter((id) => id !== null);
  return ids.length === positions.length ? { position_id: null, position_ids: ids } : { position_id: null };
}

function isNested(positions: ArrayLike<number> | Rows): positions is Rows {
  return typeof positions[0] === "object";
}

interface Attention {
  readonly attention_mask_value: number | null;
  readonly num_prompt_padding_tokens: number | null;
  readonly prompt_length_with_padding: number | null;
  readonly prompt_length_without_padding: number | null;
}

function readAttention(attention: ArrayLike<number> | undefined, width: number, token: number): Attention {
  const promptLength = (attention?.length ?? 0) - width;
  let padding = 0;
  for (let i = 0; i < promptLength; i++) if (attention![i] === 0) padding++;
  const known = promptLength > 0;
  return {
    attention_mask_value: valueAt(attention, promptLength + token),
    num_prompt_padding_tokens: known ? padding : null,
    prompt_length_with_padding: known ? promptLength : null,
    prompt_length_without_padding: known ? promptLength - padding : null,
  };
}

function readTop(
  ids: readonly Rows[] | undefined,
  logprobs: readonly Rows[] | undefined,
  row: number,
  token: number,
): TokenFacts["rolloutTop"] {
  const at = ids?.[row]?.[token];
  return alternativesAt(at, logprobs?.[row]?.[token], 0, at?.length ?? 0);
}
