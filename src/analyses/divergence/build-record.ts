import type { DivergenceRecord, FlipType, TokenAlternative } from "../../results/divergence.ts";
import type { TokenDecoder } from "./decoder.ts";
import type { CheckedOptions } from "./options.ts";
import { pythonRepr } from "./python-repr.ts";
import { type Decoded, decoded, truncated } from "./texts.ts";
import type { IdAlternatives, TokenFacts } from "./token-facts.ts";

/** The thresholds are those of the Python implementation; all are exclusive. */
function classifyFlip(rolloutProb: number, actorProb: number): FlipType | null {
  if (rolloutProb > 0.9 && actorProb < 0.1) return "rollout_confident_actor_rejects";
  if (actorProb > 0.9 && rolloutProb < 0.1) return "actor_confident_rollout_rejects";
  return Math.abs(rolloutProb - actorProb) > 0.5 ? "large_disagreement" : null;
}

/** Builds one record of the log: what is known about a token, and its texts. */
export function buildRecord(
  facts: TokenFacts,
  place: { readonly iteration: number | null; readonly rank: number; readonly divergence: number },
  options: CheckedOptions,
): DivergenceRecord {
  const { known } = facts;
  const { tokenizer } = options;
  const rolloutProb = Math.exp(known.rollout_logprob);
  const actorProb = Math.exp(known.actor_logprob);
  const texts = decodeTexts(facts, options);
  return {
    iteration: place.iteration,
    rank: place.rank,
    batch_idx: known.batch_idx,
    position: known.position,
    position_from_end: known.sequence_length - known.position - 1,
    sequence_length: known.sequence_length,
    token_id: known.token_id,
    token_text: texts.token_text,
    token_plain: texts.token_plain,
    prob_divergence: place.divergence,
    rollout_prob: rolloutProb,
    actor_prob: actorProb,
    rollout_logprob: known.rollout_logprob,
    actor_logprob: known.actor_logprob,
    logprob_diff: Math.abs(known.rollout_logprob - known.actor_logprob),
    flip_type: classifyFlip(rolloutProb, actorProb),
    is_correct: known.is_correct,
    total_score: known.total_score,
    position_id: known.position_id,
    ...(known.position_ids && { position_ids: known.position_ids }),
    attention_mask_value: known.attention_mask_value,
    num_prompt_padding_tokens: known.num_prompt_padding_tokens,
    prompt_length_with_padding: known.prompt_length_with_padding,
    prompt_length_without_padding: known.prompt_length_without_padding,
    ...checkReencoding(facts, tokenizer),
    ...checkAlignment(known.token_id, known.input_ids_token_id, tokenizer),
    context_text: texts.context_text,
    context_start_pos: known.context_start_pos,
    context_end_pos: known.context_end_pos,
    prompt_text: texts.prompt_text,
    prompt_num_tokens: known.prompt_num_tokens,
    full_response: texts.full_response,
    response_num_tokens: known.response_num_tokens,
    ...(texts.decode_error !== undefined && { decode_error: texts.decode_error }),
    rollout_entropy: known.rollout_entropy,
    actor_entropy: known.actor_entropy,
    rollout_top5: alternatives(facts.rolloutTop, tokenizer),
    actor_top5: alternatives(facts.actorTop, tokenizer),
    advantage: known.advantage,
    reward: known.reward,
    handle: known.handle,
    file: known.file,
    record_id: formatRecordId(known),
  };
}

/**
 * Identifies the record wherever the dump is and whatever the log's settings: the token's handle, its id, and the bits
 * of both log-probs. A line that exists already is not written or counted again.
 */
function formatRecordId({
  handle,
  token_id: id,
  rollout_logprob,
  actor_logprob,
}: TokenFacts["known"]): string | null {
  if (handle === null) return null;
  return [handle, id ?? "", formatBits(rollout_logprob), formatBits(actor_logprob)].join(":");
}

/** A double as 16 hexadecimal digits. */
function formatBits(value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

interface Texts {
  readonly token_text: string | null;
  readonly token_plain: string | null;
  readonly context_text: string | null;
  readonly prompt_text: string | null;
  readonly full_response: string | null;
  readonly decode_error?: string;
}

function decodeTexts(
  facts: TokenFacts,
  { tokenizer, maxPromptChars, maxResponseChars }: CheckedOptions,
): Texts {
  const errors: string[] = [];
  const decodePlain = (ids: ArrayLike<number> | null, maxChars: number | null): string | null => {
    if (tokenizer === undefined || ids === null) return null;
    const result: Decoded = decoded(tokenizer, ids, maxChars);
    if ("text" in result) return result.text;
    errors.push(result.error);
    return null;
  };
  const decode = (ids: ArrayLike<number> | null, maxChars: number | null): string | null => {
    const text = decodePlain(ids, maxChars);
    return text === null ? null : pythonRepr(text);
  };
  const recorded = (text: string | undefined, maxChars: number | null): string | null =>
    text === undefined ? null : pythonRepr(truncated(text, maxChars));
  const id = facts.known.token_id;
  const token = id === null ? null : decodePlain([id], null);
  const texts = {
    token_text: token === null ? nameUndecoded(id, tokenizer) : pythonRepr(token),
    token_plain: token,
    context_text: decode(facts.contextIds, null),
    prompt_text: decode(facts.promptIds, maxPromptChars) ?? recorded(facts.promptText, maxPromptChars),
    full_response:
      decode(facts.responseIds, maxResponseChars) ?? recorded(facts.responseText, maxResponseChars),
  };
  return errors.length === 0 ? texts : { ...texts, decode_error: [...new Set(errors)].join("; ") };
}

function nameUndecoded(id: number | null, tokenizer: TokenDecoder | undefined): string | null {
  return id === null ? null : `<${tokenizer ? "decode_error" : "no_tokenizer"}:${id}>`;
}

function checkReencoding(
  { known: { token_id: id } }: TokenFacts,
  tokenizer: TokenDecoder | undefined,
): Pick<DivergenceRecord, "reencodes_to_same_id" | "reencoded_ids"> {
  if (tokenizer === undefined || id === null) return { reencodes_to_same_id: null };
  const result = decoded(tokenizer, [id], null);
  const ids = "text" in result ? encoded(tokenizer, result.text) : undefined;
  if (ids === undefined) return { reencodes_to_same_id: null };
  const same = ids.length === 1 && ids[0] === id;
  return same ? { reencodes_to_same_id: true } : { reencodes_to_same_id: false, reencoded_ids: [...ids] };
}

function encoded(tokenizer: TokenDecoder, text: string): readonly number[] | undefined {
  try {
    return tokenizer.encode(text);
  } catch {
    return undefined;
  }
}

function checkAlignment(
  id: number | null,
  inputId: number | null,
  tokenizer: TokenDecoder | undefined,
): Pick<DivergenceRecord, "input_ids_token_id" | "tokens_match" | "WARNING" | "input_ids_token_text"> {
  if (inputId === null || id === null) return { input_ids_token_id: inputId, tokens_match: null };
  if (id === inputId) return { input_ids_token_id: inputId, tokens_match: true };
  return {
    input_ids_token_id: inputId,
    tokens_match: false,
    WARNING: `MISMATCH! response has ${id} but input_ids has ${inputId}`,
    ...(tokenizer && { input_ids_token_text: tokenText(inputId, tokenizer) }),
  };
}

function tokenText(id: number, tokenizer: TokenDecoder): string {
  const result = decoded(tokenizer, [id], null);
  return "text" in result ? pythonRepr(result.text) : `<decode_error:${id}>`;
}

function alternatives(
  top: IdAlternatives | null,
  tokenizer: TokenDecoder | undefined,
): readonly TokenAlternative[] | null {
  if (top === null) return null;
  return top.map(({ id, logprob }) => ({
    token_id: id,
    token_text: tokenizer ? tokenText(id, tokenizer) : null,
    prob: Math.exp(logprob),
    logprob,
  }));
}
