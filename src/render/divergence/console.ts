import { formatFixed } from "../../core/text/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import { toAscii } from "../terminal/ascii.ts";

export interface ConsoleOptions {
  /** False: every character is ASCII. */
  readonly unicode: boolean;
}

const RULE = "=".repeat(80);

/**
 * The records of one iteration in the form in which the Python implementation logs them: probabilities with six
 * decimals, log-probs and divergences with four, unknown values left out.
 */
export function renderDivergentTokens(
  records: readonly DivergenceRecord[],
  { unicode }: ConsoleOptions,
): string {
  if (records.length === 0) return "";
  const lines = [
    RULE,
    `High Divergence Tokens (Top ${records.length}):`,
    RULE,
    ...records.flatMap((record) => tokenLines(record, unicode)),
    RULE,
  ];
  const text = lines.map((line) => `${line}\n`).join("");
  return unicode ? text : toAscii(text);
}

function tokenLines(record: DivergenceRecord, unicode: boolean): string[] {
  const [yes, no] = unicode ? ["✓ ", "✗ "] : ["", ""];
  const { is_correct, total_score, flip_type, tokens_match, WARNING, decode_error } = record;
  const { context_start_pos, context_end_pos, prompt_num_tokens, response_num_tokens } = record;
  return [
    "",
    `[Rank ${record.rank}] Divergence: ${formatFixed(record.prob_divergence, 4)}`,
    `  Token: ${record.token_text ?? "N/A"} (ID: ${record.token_id ?? "N/A"})`,
    `  Position: ${record.position}/${record.sequence_length} (from end: ${record.position_from_end})`,
    `  Batch Index: ${record.batch_idx}`,
    ...writeLine(
      is_correct,
      (correct) => `Answer Correctness: ${correct ? `${yes}CORRECT` : `${no}INCORRECT`}`,
    ),
    ...writeLine(total_score, (score) => `Total Score: ${formatFixed(score, 4)}`),
    `  Rollout: prob=${formatFixed(record.rollout_prob, 6)}, logprob=${formatFixed(record.rollout_logprob, 4)}`,
    `  Actor:   prob=${formatFixed(record.actor_prob, 6)}, logprob=${formatFixed(record.actor_logprob, 4)}`,
    `  LogProb Diff: ${formatFixed(record.logprob_diff, 4)}`,
    ...writeLine(flip_type, (type) => `Flip Type: ${type}`),
    ...writeLine(tokens_match, (match) =>
      match
        ? `Token Alignment: ${yes}MATCH (response token matches input_ids)`
        : `Token Alignment: ${no}MISMATCH!`,
    ),
    ...(tokens_match === false ? mismatchLines(record) : []),
    ...writeLine(WARNING, (warning) => `WARNING: ${warning}`),
    ...placeLines(record),
    ...futureLines(record),
    ...writeLine(record.context_text, (text) => `Context [${context_start_pos}:${context_end_pos}]: ${text}`),
    ...writeLine(record.prompt_text, (text) => `Prompt (${prompt_num_tokens ?? "?"} tokens): ${text}`),
    ...writeLine(record.full_response, (text) => `Response (${response_num_tokens} tokens): ${text}`),
    ...writeLine(decode_error, (error) => `Decode Error: ${error}`),
  ];
}

function mismatchLines(record: DivergenceRecord): string[] {
  const { token_text, token_id, input_ids_token_text, input_ids_token_id } = record;
  return [
    `    Response token: ${token_text ?? "N/A"} (ID: ${token_id ?? "N/A"})`,
    `    Input_ids token: ${input_ids_token_text ?? "N/A"} (ID: ${input_ids_token_id ?? "N/A"})`,
  ];
}

function placeLines(record: DivergenceRecord): string[] {
  const {
    num_prompt_padding_tokens: padding,
    prompt_length_with_padding,
    prompt_length_without_padding,
  } = record;
  return [
    ...writeLine(record.handle, (handle) => `Handle: ${handle}`),
    ...writeLine(record.position_id, (id) => `Position ID: ${id}`),
    ...writeLine(record.position_ids, (ids) => `Position IDs (mrope): [${ids.join(", ")}]`),
    ...writeLine(record.attention_mask_value, (value) => `Attention Mask: ${value}`),
    ...writeLine(
      padding,
      (count) =>
        `Prompt Padding: ${count} padding tokens (prompt length: ${prompt_length_without_padding} → ${prompt_length_with_padding} with padding)`,
    ),
  ];
}

/** Fields that the Python implementation names as extensions but does not log. */
function futureLines(record: DivergenceRecord): string[] {
  const { rollout_entropy: rollout, actor_entropy: actor } = record;
  const entropies = [
    ...(rollout === null ? [] : [`rollout=${formatFixed(rollout, 4)}`]),
    ...(actor === null ? [] : [`actor=${formatFixed(actor, 4)}`]),
  ];
  const top = (alternatives: DivergenceRecord["rollout_top5"]): string | null =>
    alternatives
      ?.map(({ token_text, token_id, prob }) => `${token_text ?? token_id} ${formatFixed(prob, 4)}`)
      .join(", ") ?? null;
  return [
    ...(entropies.length > 0 ? [`  Entropy: ${entropies.join(", ")}`] : []),
    ...writeLine(top(record.rollout_top5), (list) => `Rollout Top 5: ${list}`),
    ...writeLine(top(record.actor_top5), (list) => `Actor Top 5:   ${list}`),
    ...writeLine(record.advantage, (advantage) => `Advantage: ${formatFixed(advantage, 4)}`),
    ...writeLine(record.reward, (reward) => `Token Reward: ${formatFixed(reward, 4)}`),
  ];
}

function writeLine<T>(value: T | null | undefined, write: (value: T) => string): string[] {
  return value === null || value === undefined ? [] : [`  ${write(value)}`];
}
