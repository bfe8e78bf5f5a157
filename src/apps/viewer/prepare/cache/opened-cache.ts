/**
 * The files of a cache, open:
 *
 *     run.json, report.json, …    answers      in memory, sent as they are
 *     digits.json                 digits       in memory; only where there is a tokenizer
 *     table.bin                   table        one row per sequence; decoded when first asked for
 *     offsets.bin                 offsets      where each sequence begins in the four below, and the end
 *     sequences.bin               ─┐
 *     briefs.bin                   ├ files     read in parts: they are as large as the run
 *     topk.bin                     │
 *     deltas.bin                  ─┘
 *     vocabulary.json             vocabulary   texts of alternatives; parsed when first asked for
 *
 * Whatever may be needed later is opened or read now: while a cache is open, the next state of a growing run may
 * replace it, but open files stay readable.
 *
 * @module
 */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CorrectBins, RunInfo, ValueGroup } from "../../../../results/view.ts";
import { decodeArrays } from "../../../../results/wire/arrays.ts";
import { decodeTable, type SequenceTable } from "../../../../results/wire/table.ts";
import type { MatchSource } from "../filter/match-filter.ts";
import { PASS_FILES } from "../pass/run-pass.ts";
import {
  ANSWER_FILES,
  type AnswerName,
  CACHE_FACTS,
  type CacheFacts,
  DIGITS_FILE,
  OFFSETS_FILE,
  VOCABULARY_FILE,
} from "./cache-files.ts";
import { guessTokenizer } from "./guess-tokenizer.ts";
import { keepOne } from "./keep-last.ts";
import { readPart } from "./read-part.ts";

type Grown = "sequences" | "briefs" | "topK" | "deltas";

export interface OpenedCache {
  readonly facts: CacheFacts;
  readonly info: RunInfo;
  /** All except the table. */
  readonly answers: ReadonlyMap<AnswerName, Uint8Array>;
  readonly digits: Uint8Array | undefined;
  readonly offsets: Readonly<Record<Grown, Float64Array>>;
  readonly files: Readonly<Record<Grown, FileHandle>>;
  /** The encoded table. */
  readonly readTable: () => Promise<Uint8Array>;
  /** The rewards of the run in groups, as the prepared sums have them. */
  readonly rewards: readonly ValueGroup[];
  readonly vocabulary: () => ReadonlyMap<number, string>;
  /** The same, in the form that filters and reports over some rows read. */
  readonly source: MatchSource;
  readonly close: () => Promise<void>;
}

/** What is known about the run now and is not in its cache. */
export type InfoNow = Pick<RunInfo, "input" | "status" | "growing" | "read_share">;

/** @throws FormatError if the cache is damaged */
export async function openCacheFiles(directory: string, now: InfoNow): Promise<OpenedCache> {
  const path = (name: string): string => join(directory, name);
  const readJson = async (name: string): Promise<unknown> => JSON.parse(await readFile(path(name), "utf8"));
  const facts = (await readJson(CACHE_FACTS)) as CacheFacts;
  const { info, answers } = await readAnswers(path, now);
  const digits = info.has.digits ? await readFile(path(DIGITS_FILE)) : undefined;
  const { arrays } = decodeArrays(await readFile(path(OFFSETS_FILE)));
  const offsets = arrays as OpenedCache["offsets"];
  const vocabularyJson = await readFile(path(VOCABULARY_FILE), "utf8");
  const files = {
    sequences: await open(path(PASS_FILES.sequences)),
    briefs: await open(path(PASS_FILES.briefs)),
    topK: await open(path(PASS_FILES.topK)),
    deltas: await open(path(PASS_FILES.deltas)),
  };
  const table = await open(path(ANSWER_FILES.sequences));
  const readTable = async (): Promise<Uint8Array> => readPart(table, 0, (await table.stat()).size);
  let texts: ReadonlyMap<number, string> | undefined;
  return {
    ...{ facts, info, answers, digits, offsets, files, readTable },
    rewards: parseJson<CorrectBins>(answers.get("correct-bins")!).by_reward.map(({ from, to }) => ({
      from,
      to,
    })),
    vocabulary: () => {
      texts ??= new Map(JSON.parse(vocabularyJson) as [number, string][]);
      return texts;
    },
    source: {
      info,
      file: files.sequences,
      offsets: offsets.sequences,
      table: keepOne(async (): Promise<SequenceTable> => decodeTable(await readTable())),
    },
    close: async () => {
      await Promise.all([table, ...Object.values(files)].map((file) => file.close()));
    },
  };
}

async function readAnswers(
  path: (name: string) => string,
  now: InfoNow,
): Promise<Pick<OpenedCache, "info" | "answers">> {
  const answers = new Map<AnswerName, Uint8Array>();
  for (const name of Object.keys(ANSWER_FILES) as AnswerName[])
    if (name !== "sequences") answers.set(name, await readFile(path(ANSWER_FILES[name])));
  const written = parseJson<RunInfo>(answers.get("run")!);
  const guess = written.has.texts || written.redacted ? undefined : await guessTokenizer(now.input.paths);
  const info: RunInfo = { ...written, ...now, ...(guess !== undefined && { tokenizer_guess: guess }) };
  answers.set("run", Buffer.from(JSON.stringify(info)));
  return { info, answers };
}

export function parseJson<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}
