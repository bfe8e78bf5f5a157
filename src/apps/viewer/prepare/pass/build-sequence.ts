/**
 * Encodes one row of a batch for the page.
 *
 * @module
 */

import { type FloatArray, TOKEN_FLAGS } from "../../../../core/base/index.ts";
import { formatHandle, type RecordBatch, rowFacts } from "../../../../core/schema/index.ts";
import type { TokenTexts } from "../../../../input/tokens/index.ts";
import type { SequenceMeta, UnspelledSequence, WireSequence } from "../../../../results/wire/sequence.ts";

export interface SequenceOptions {
  readonly texts: TokenTexts;
  /** Whether tokens have texts of their own. */
  readonly hasTexts: boolean;
  /** Whether texts that the source has may be shown. */
  readonly showsTexts: boolean;
}

/** A row of a batch with facts about its tokens. */
export interface Row {
  readonly batch: RecordBatch;
  readonly row: number;
  /** Place in the table of sequences. */
  readonly index: number;
  /** `[tokens]`, as `kernels/turns.ts` makes them. */
  readonly turnMarks: Uint16Array;
  readonly prompt: Int32Array;
}

/** Prompt tokens of a row as the page counts them: its ids, or one for a prompt known only as text. */
export function readPrompt(batch: RecordBatch, row: number, { showsTexts }: SequenceOptions): Int32Array {
  const { promptOffsets, promptTokenIds } = batch;
  if (promptOffsets && promptTokenIds) {
    const ids = promptTokenIds.subarray(promptOffsets[row], promptOffsets[row + 1]);
    if (ids.length > 0) return ids;
  }
  return showsTexts && (batch.promptTexts[row] ?? "") !== "" ? Int32Array.of(-1) : new Int32Array(0);
}

export function buildSequence(
  { batch, row, index, turnMarks, prompt }: Row,
  options: SequenceOptions,
): UnspelledSequence {
  const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
  const part = (column: FloatArray): Float32Array =>
    column instanceof Float32Array
      ? column.subarray(start, end)
      : Float32Array.from(column.subarray(start, end));
  const ids = new Int32Array(prompt.length + end - start).fill(-1);
  ids.set(prompt);
  if (batch.responseTokenIds) ids.set(batch.responseTokenIds.subarray(start, end), prompt.length);
  const { rollout: rolloutEntropy, trainer: trainerEntropy } = batch.entropies;
  return {
    meta: buildMeta(batch, row, index, prompt.length),
    ids,
    ...spell(batch.promptTexts[row], ids, prompt.length, options),
    mask: batch.responseMask.subarray(start, end),
    turnMarks,
    rollout: part(batch.rolloutLogprobs!),
    trainer: part(batch.trainerLogprobs!),
    ...(rolloutEntropy && { rolloutEntropy: part(rolloutEntropy) }),
    ...(trainerEntropy && { trainerEntropy: part(trainerEntropy) }),
    ...(batch.advantages && { advantages: batch.advantages.subarray(start, end) }),
    ...(batch.weightVersions && { weightVersions: batch.weightVersions.subarray(start, end) }),
    ...(batch.readAsMissing && { readAsMissing: batch.readAsMissing.subarray(start, end) }),
    policies: Object.fromEntries(
      Object.entries(batch.policyLogprobs).map(([name, column]) => [name, part(column)]),
    ),
  };
}

/**
 * Without a tokenizer, the prompt's own text, if any, is put at its first token. If only ids are known, the reader of
 * the sequence spells them: as text they are more than a third of its bytes.
 */
function spell(
  promptText: string | undefined,
  ids: Int32Array,
  promptLength: number,
  { texts, hasTexts, showsTexts }: SequenceOptions,
): Partial<WireSequence> {
  const known = hasTexts && ids[0] !== -1;
  const hasPrompt = showsTexts && promptLength > 0 && (promptText ?? "") !== "";
  if (!hasTexts && !hasPrompt) return {};
  const own = texts.spell(ids);
  if (known || !hasPrompt) return { textOffsets: own.offsets, texts: own.texts, flags: own.flags };
  const prompt = new TextEncoder().encode(promptText);
  const from = own.offsets[promptLength]!;
  const bytes = new Uint8Array(prompt.length + own.texts.length - from);
  bytes.set(prompt);
  bytes.set(own.texts.subarray(from), prompt.length);
  const { continuation } = TOKEN_FLAGS;
  return {
    textOffsets: own.offsets.map((offset, i) => {
      if (i === 0) return 0;
      return i <= promptLength ? prompt.length : offset - from + prompt.length;
    }),
    texts: bytes,
    flags: own.flags.map((bits, i) => (i >= promptLength ? bits : i === 0 ? 0 : continuation)),
  };
}

export function formatRowHandle(batch: RecordBatch, row: number, token?: number): string {
  return formatHandle({
    step: batch.steps[row]!,
    rank: batch.ranks[row]!,
    sequence: batch.rows[row]!,
    ...(token !== undefined && { token }),
  });
}

function buildMeta(batch: RecordBatch, row: number, index: number, promptLength: number): SequenceMeta {
  return {
    index,
    handle: formatRowHandle(batch, row),
    ...rowFacts(batch, row),
    engine: batch.engineIds?.[row] ?? null,
    finish: batch.finishReasons?.[row] ?? null,
    promptLength,
  };
}
