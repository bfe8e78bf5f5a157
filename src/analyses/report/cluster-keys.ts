/**
 * Which sequences were drawn together. Samples of one prompt resemble each other, so intervals resample prompts; a
 * prompt's samples may be in different files and on different ranks.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import { KeyHash } from "../../core/summaries/index.ts";

/** `[rows]` each. */
export interface ClusterKeys {
  /** See `ClusterSums`. */
  readonly keys: Float64Array;
  /** 1 if the key identifies the prompt, 0 if the prompt is not known and the key identifies the sequence. */
  readonly arePrompts: Uint8Array;
}

/** What a key was made from, so that a group named "7" is not a prompt of token 7. */
const GROUP = 1;
const PROMPT_IDS = 2;
const PROMPT_TEXT = 3;
const SEQUENCE = 4;

/**
 * The cluster of each row: its step and group id, else its step and the prompt's token ids or text; else the sequence,
 * by its place in the input. A prompt repeated at another step is another draw. Depends neither on the order of batches
 * nor on figures, so shards agree, and bit-identical sequences stay separate.
 */
export function clusterKeys(batch: RecordBatch): ClusterKeys {
  const keys = new Float64Array(batch.length);
  const arePrompts = new Uint8Array(batch.length);
  const file = new KeyHash().addWord(SEQUENCE).addText(batch.provenance.file);
  for (let row = 0; row < batch.length; row++) {
    const prompt = promptHash(batch, row);
    arePrompts[row] = prompt ? 1 : 0;
    keys[row] = (prompt ?? sequenceHash(batch, row, file.copy())).addNumber(batch.steps[row]!).key();
  }
  return { keys, arePrompts };
}

function promptHash(
  { groupIds, promptOffsets, promptTokenIds, promptTexts }: RecordBatch,
  row: number,
): KeyHash | undefined {
  const group = groupIds[row];
  if (group !== undefined) return new KeyHash().addWord(GROUP).addText(group);
  if (promptOffsets && promptTokenIds && promptOffsets[row + 1]! > promptOffsets[row]!)
    return new KeyHash()
      .addWord(PROMPT_IDS)
      .addWords(promptTokenIds, promptOffsets[row]!, promptOffsets[row + 1]!);
  const text = promptTexts[row];
  return text === undefined ? undefined : new KeyHash().addWord(PROMPT_TEXT).addText(text);
}

function sequenceHash({ ranks, packs, rows }: RecordBatch, row: number, file: KeyHash): KeyHash {
  return file.addNumber(ranks[row]!).addWord(packs[row]!).addWord(rows[row]!);
}
