/**
 * What a comparison needs to know about each sequence of a run, and the texts of the run's tokens.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { TOKEN_FLAGS } from "../../../core/base/index.ts";
import type { RunInfo } from "../../../results/view.ts";
import { decodeSequence, type WireSequence } from "../../../results/wire/sequence.ts";
import { decodeTable, type SequenceTable } from "../../../results/wire/table.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";

export interface SequenceFacts {
  readonly step: number | null;
  /** Digest of the response's token ids; undefined if not known. */
  readonly response: string | undefined;
  /** Digest of the prompt; undefined if there is none. */
  readonly prompt: string | undefined;
  readonly group: string | undefined;
}

export interface RunFacts {
  /** Its name in the comparison. */
  readonly name: string;
  readonly info: RunInfo;
  readonly table: SequenceTable;
  /** By place in the table. */
  readonly sequences: readonly SequenceFacts[];
  /** Texts by token id, of tokens that are texts by themselves; empty without a tokenizer. */
  readonly vocabulary: ReadonlyMap<number, string>;
  /** The number of tokens with ids that the tokenizer does not know. */
  readonly unknown: number;
  readonly tokens: number;
}

/** Reads every sequence of a run once. */
export async function readFacts(run: PreparedRun, name: string, signal?: AbortSignal): Promise<RunFacts> {
  const table = decodeTable(await run.answer("sequences"));
  const { group } = table.texts;
  const vocabulary = new Map<number, string>();
  const sequences: SequenceFacts[] = [];
  let [unknown, tokens] = [0, 0];
  for (let index = 0; index < run.info.sequences; index++) {
    signal?.throwIfAborted();
    const sequence = decodeSequence((await run.sequence(index))!);
    sequences.push(gatherFacts(sequence, group.values[group.codes[index]!]));
    tokens += sequence.ids.length;
    if (run.info.has.texts) unknown += learn(sequence, vocabulary);
  }
  return { name, info: run.info, table, sequences, vocabulary, unknown, tokens };
}

function gatherFacts(
  { meta, ids, textOffsets, texts }: WireSequence,
  group: string | undefined,
): SequenceFacts {
  const { promptLength, step } = meta;
  const prompt = ids.subarray(0, promptLength);
  const response = ids.subarray(promptLength);
  return {
    step,
    response: response.length === 0 || response.includes(-1) ? undefined : digest(response),
    prompt:
      promptLength === 0
        ? undefined
        : digest(prompt[0] === -1 ? texts.subarray(0, textOffsets[promptLength]) : prompt),
    group,
  };
}

function digest(values: Int32Array | Uint8Array): string {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return createHash("sha256").update(bytes).digest("base64").slice(0, 22);
}

/**
 * Records the texts of tokens, except those that share a character with a neighbor, on which their text depends.
 *
 * @returns how many tokens the tokenizer does not know
 */
function learn({ ids, flags, texts, textOffsets }: WireSequence, vocabulary: Map<number, string>): number {
  let unknown = 0;
  for (const [at, id] of ids.entries()) {
    if ((flags[at]! & TOKEN_FLAGS.unknown) !== 0) unknown++;
    else if (id >= 0 && !vocabulary.has(id)) {
      const isPart = ((flags[at]! | (flags[at + 1] ?? 0)) & TOKEN_FLAGS.continuation) !== 0;
      if (!isPart)
        vocabulary.set(id, Buffer.from(texts.subarray(textOffsets[at], textOffsets[at + 1])).toString());
    }
  }
  return unknown;
}
