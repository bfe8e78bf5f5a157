import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import {
  alternativesAt,
  countOnes,
  type FactsOf,
  type IdAlternatives,
  idsBetween,
  maskedIds,
  type TokenFacts,
  valueAt,
} from "./token-facts.ts";

/**
 * What the record says about a token. The attention mask, the prompt's padding, the ids that the trainer saw and token
 * rewards are known only if the run was read with `keepDetails`.
 */
export function recordFacts(batch: RecordBatch, context: number): FactsOf {
  return (row, token) => {
    const from = batch.offsets[row]!;
    const to = batch.offsets[row + 1]!;
    const at = from + token;
    const start = Math.max(0, token - context);
    const end = Math.min(to - from, token + context + 1);
    const mask = batch.responseMask.subarray(from, to);
    const ids =
      batch.promptOffsets &&
      idsBetween(batch.promptTokenIds, batch.promptOffsets[row]!, batch.promptOffsets[row + 1]!);
    const prompt = ids && ids.length > 0 ? ids : null;
    const score = valueAt(batch.rewards, row);
    const known = (values: Int32Array | undefined): number | null => {
      const value = values?.[at];
      return value === undefined || value < 0 ? null : value;
    };
    return {
      known: {
        batch_idx: batch.rows[row]!,
        position: token,
        sequence_length: batch.arrays?.layout === "padded" ? batch.arrays.widths[row]! : to - from,
        token_id: known(batch.responseTokenIds),
        rollout_logprob: batch.rolloutLogprobs![at]!,
        actor_logprob: batch.trainerLogprobs![at]!,
        is_correct: isCorrect(batch, row),
        total_score: score,
        position_id: known(batch.positionIds),
        attention_mask_value: known(batch.details?.attention),
        ...readPadding(batch, row, prompt?.length ?? null),
        input_ids_token_id: known(batch.details?.inputTokenIds),
        context_start_pos: start,
        context_end_pos: end,
        prompt_num_tokens: prompt?.length ?? null,
        response_num_tokens: countOnes(mask),
        rollout_entropy: valueAt(batch.entropies.rollout, at),
        actor_entropy: valueAt(batch.entropies.trainer, at),
        advantage: valueAt(batch.advantages, at),
        reward: valueAt(batch.details?.tokenRewards, at),
        handle: formatHandle({
          step: batch.steps[row]!,
          rank: batch.ranks[row]!,
          sequence: batch.rows[row]!,
          token,
        }),
        file: batch.provenance.file,
      },
      contextIds: idsBetween(batch.responseTokenIds, from + start, from + end),
      responseIds: maskedIds(batch.responseTokenIds, mask, from, to),
      promptIds: prompt,
      promptText: batch.promptTexts[row],
      responseText: batch.responseTexts[row],
      rolloutTop: readTop(batch, "rollout", at),
      actorTop: readTop(batch, "trainer", at),
    } satisfies TokenFacts;
  };
}

/** The source's own value, else whether the reward is above 0; null if neither is known. */
export function isCorrect(batch: RecordBatch, row: number): boolean | null {
  const correct = valueAt(batch.correctness, row);
  if (correct !== null) return correct !== 0;
  const score = valueAt(batch.rewards, row);
  return score === null ? null : score > 0;
}

function readPadding(
  { details }: RecordBatch,
  row: number,
  promptLength: number | null,
): Pick<
  TokenFacts["known"],
  "num_prompt_padding_tokens" | "prompt_length_with_padding" | "prompt_length_without_padding"
> {
  const width = details?.promptWidths[row] ?? -1;
  const padding = details?.promptPadding[row] ?? -1;
  const known = width >= 0 && padding >= 0;
  return {
    num_prompt_padding_tokens: known ? padding : null,
    prompt_length_with_padding: known ? width : null,
    prompt_length_without_padding: known ? width - padding : promptLength,
  };
}

function readTop({ topK }: RecordBatch, policy: string, at: number): IdAlternatives | null {
  const top = topK[policy];
  return top === undefined ? null : alternativesAt(top.ids, top.logprobs, at * top.k, top.k);
}
