/**
 * A cache that is open: answers by reading parts of its files.
 *
 * @module
 */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ExactAnswer, ExactQuestion, RunInfo } from "../../protocol/view.ts";
import { decodeArrays, decodeTable, encodeTopK } from "../../wire/index.ts";
import {
  ANSWER_FILES,
  type AnswerName,
  type CacheFacts,
  DIGITS_FILE,
  OFFSETS_FILE,
  VOCABULARY_FILE,
} from "./build-cache.ts";
import { CACHE_FACTS } from "./cache-place.ts";
import { answerExactly, type DeltaBlock } from "./exact.ts";
import { readPart } from "./read-part.ts";
import { PASS_FILES } from "./run-pass.ts";
import { type ReadBytes, readAlternatives } from "./top-k-store.ts";

/** Numbers of Δ that stay in memory once they were asked for: 128 MB. */
const DELTAS_HELD = 2 ** 24;
/** Numbers of Δ that are worked on at a time. */
const BLOCK_DELTAS = 2 ** 20;

export interface PreparedRun {
  readonly info: RunInfo;
  /** Of the cache. */
  readonly directory: string;
  /** True when nothing had to be read. */
  readonly reused: boolean;
  /** False when a file that was being written could be read in part only. */
  readonly complete: boolean;
  /** Bytes of the answers that are the same for everyone; `sequences` is the table. */
  answer(name: AnswerName): Promise<Uint8Array>;
  /** The report on digits as JSON; undefined without `info.has.digits`. */
  digits(): Promise<Uint8Array | undefined>;
  /** An encoded `WireSequence`; undefined without such a sequence. */
  sequence(index: number): Promise<Uint8Array | undefined>;
  /** An encoded `WireTopK`, of as many of the tokens as there are; undefined without such a sequence. */
  topK(index: number, from: number, count: number): Promise<Uint8Array | undefined>;
  exact(question: ExactQuestion): Promise<ExactAnswer>;
  /** The run that this one is compared with, and what came of it (JSON of a `Comparison`). */
  readonly compared?: { readonly other: PreparedRun; readonly comparison: Uint8Array };
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly reused: boolean;
  readonly complete: boolean;
  readonly status: RunInfo["status"];
  readonly paths: readonly string[];
  readonly flags: readonly string[];
  /** Called after closing. */
  readonly onClosed?: () => Promise<void>;
}

/** @throws FormatError when the cache is damaged */
export async function openPrepared(
  directory: string,
  { reused, complete, status, paths, flags, onClosed }: OpenOptions,
): Promise<PreparedRun> {
  const path = (name: string): string => join(directory, name);
  const facts = JSON.parse(await readFile(path(CACHE_FACTS), "utf8")) as CacheFacts;
  const answers = new Map<AnswerName, Uint8Array>();
  for (const name of Object.keys(ANSWER_FILES) as AnswerName[])
    if (name !== "sequences") answers.set(name, await readFile(path(ANSWER_FILES[name])));
  const written = JSON.parse(Buffer.from(answers.get("run")!).toString()) as RunInfo;
  const info: RunInfo = { ...written, status };
  answers.set("run", Buffer.from(JSON.stringify(info)));
  const digits = info.has.digits ? await readFile(path(DIGITS_FILE)) : undefined;
  const { arrays } = decodeArrays(await readFile(path(OFFSETS_FILE)));
  const offsets = arrays as Readonly<Record<"sequences" | "topK" | "deltas", Float64Array>>;
  const files = {
    sequences: await open(path(PASS_FILES.sequences)),
    topK: await open(path(PASS_FILES.topK)),
    deltas: await open(path(PASS_FILES.deltas)),
    table: await open(path(ANSWER_FILES.sequences)),
  };
  const table = async (): Promise<Uint8Array> => readPart(files.table, 0, (await files.table.stat()).size);
  // Read now: while it is open, the next state of the run may take the cache's place.
  const vocabularyJson = await readFile(path(VOCABULARY_FILE));
  let texts: ReadonlyMap<number, string> | undefined;
  const vocabulary = (): ReadonlyMap<number, string> => {
    texts ??= new Map(JSON.parse(vocabularyJson.toString()) as [number, string][]);
    return texts;
  };
  const knows = (index: number): boolean => index >= 0 && index < facts.sequences;
  const blocks = deltaBlocks(files.deltas, offsets.deltas, async () => {
    return decodeTable(await table()).columns.correct.slice();
  });
  return {
    info,
    directory,
    reused,
    complete,
    answer: async (name) => answers.get(name) ?? table(),
    digits: () => Promise.resolve(digits),
    async sequence(index) {
      if (!knows(index)) return undefined;
      const [from, to] = [offsets.sequences[index]!, offsets.sequences[index + 1]!];
      return readPart(files.sequences, from, to - from);
    },
    async topK(index, from, count) {
      if (!knows(index)) return undefined;
      const [start, end] = [offsets.topK[index]!, offsets.topK[index + 1]!];
      if (start === end) return encodeTopK({ from, count: 0, policies: {}, texts: new Map() });
      const read: ReadBytes = (at, length) => readPart(files.topK, start + at, length);
      const found = await readAlternatives(read, facts.topK, from, count);
      return encodeTopK({ ...found, texts: textsOf(found.policies, vocabulary()) });
    },
    exact: (question) => answerExactly(question, { blocks: blocks(), paths, flags }),
    async close() {
      await Promise.all(Object.values(files).map((file) => file.close()));
      await onClosed?.();
    },
  };
}

function textsOf(
  policies: Readonly<Record<string, { readonly ids: Int32Array }>>,
  vocabulary: ReadonlyMap<number, string>,
): Map<number, string> {
  const texts = new Map<number, string>();
  for (const { ids } of Object.values(policies)) {
    for (const id of ids) {
      const text = vocabulary.get(id);
      if (text !== undefined) texts.set(id, text);
    }
  }
  return texts;
}

/** Δ of all sequences in blocks: from memory after the first time where they fit, else from the file. */
function deltaBlocks(
  file: FileHandle,
  offsets: Float64Array,
  correctOf: () => Promise<Float64Array>,
): () => AsyncGenerator<DeltaBlock> {
  let held: DeltaBlock[] | undefined;
  return async function* () {
    if (held !== undefined) {
      yield* held;
      return;
    }
    const correct = await correctOf();
    const read: DeltaBlock[] = [];
    const fits = offsets.at(-1)! <= DELTAS_HELD;
    for (let first = 0; first < correct.length; ) {
      let end = first + 1;
      while (end < correct.length && offsets[end + 1]! - offsets[first]! <= BLOCK_DELTAS) end++;
      const [from, to] = [offsets[first]!, offsets[end]!];
      const bytes = await readPart(file, from * 8, (to - from) * 8);
      const block: DeltaBlock = {
        deltas: new Float64Array(bytes.buffer),
        offsets: Int32Array.from(offsets.subarray(first, end + 1), (offset) => offset - from),
        correct: correct.slice(first, end),
      };
      if (fits) read.push(block);
      yield block;
      first = end;
    }
    if (fits) held = read;
  };
}
