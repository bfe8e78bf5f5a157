/**
 * A cache that is open: answers by reading parts of its files.
 *
 * @module
 */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type {
  CorrectBins,
  MatchingTokens,
  MismatchReport,
  RunInfo,
  TopTokens,
} from "../../../../results/index.ts";
import {
  decodeArrays,
  decodeTable,
  encodeTopK,
  encodeTurns,
  type SequenceTable,
} from "../../../../results/wire/index.ts";
import { answerCorrection, type CorrectAnswers } from "../correct/answer.ts";
import { deltaBatches, needsTokens, tokenBatches } from "../correct/batches.ts";
import { BinBuilder } from "../correct/bins.ts";
import type { Question } from "../correct/question.ts";
import { type MatchSource, matchOccurrences, matchSequences, sequencesAt } from "../filter/match-filter.ts";
import { type DeltaBlock, deltaBlocks } from "../pass/delta-blocks.ts";
import { PASS_FILES } from "../pass/run-pass.ts";
import { type ReadBytes, readAlternatives } from "../pass/top-k-store.ts";
import { turnTable } from "../pass/turn-figures.ts";
import { stepsReport } from "../report/steps-report.ts";
import {
  ANSWER_FILES,
  type AnswerName,
  type CacheFacts,
  DIGITS_FILE,
  OFFSETS_FILE,
  VOCABULARY_FILE,
} from "./build-cache.ts";
import { CACHE_FACTS } from "./cache-place.ts";
import { readPart } from "./read-part.ts";

/** Answers to questions about corrections that are kept: one who drags comes back. */
const ANSWERS_HELD = 16;
const REPORTS_HELD = 4;

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
  /** What a correction does. @throws UsageError where that cannot be told */
  correct(question: Question): Promise<CorrectAnswers>;
  /** The sums of `correct-bins` over steps, both included; undefined where no token is in them. */
  bins(steps: readonly [from: number, to: number]): Promise<CorrectBins | undefined>;
  /** The report over steps, both included, and its furthest tokens; undefined where no token is in them. */
  reportOf(
    steps: readonly [from: number, to: number],
  ): Promise<{ readonly report: MismatchReport; readonly top: TopTokens } | undefined>;
  /** An encoded `TurnTable`. */
  turns(): Promise<Uint8Array>;
  /** An encoded `TokenMatches`. @throws UsageError when the filter is not understood or cannot be asked of the run */
  match(filter: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** The tokens themselves. @throws as `match` does */
  matchTokens(filter: string, signal?: AbortSignal): Promise<MatchingTokens>;
  /** The run that this one is compared with, and what came of it (JSON of a `Comparison`). */
  readonly compared?: { readonly other: PreparedRun; readonly comparison: Uint8Array };
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly reused: boolean;
  readonly complete: boolean;
  readonly status: RunInfo["status"];
  readonly growing?: string;
  readonly paths: readonly string[];
  readonly flags: readonly string[];
  /** Called after closing. */
  readonly onClosed?: () => Promise<void>;
}

/** @throws FormatError when the cache is damaged */
export async function openPrepared(
  directory: string,
  { reused, complete, status, growing, paths, flags, onClosed }: OpenOptions,
): Promise<PreparedRun> {
  const path = (name: string): string => join(directory, name);
  const facts = JSON.parse(await readFile(path(CACHE_FACTS), "utf8")) as CacheFacts;
  const answers = new Map<AnswerName, Uint8Array>();
  for (const name of Object.keys(ANSWER_FILES) as AnswerName[])
    if (name !== "sequences") answers.set(name, await readFile(path(ANSWER_FILES[name])));
  const written = JSON.parse(Buffer.from(answers.get("run")!).toString()) as RunInfo;
  const info: RunInfo = {
    ...written,
    input: { paths, flags },
    status,
    ...(growing !== undefined && { growing }),
  };
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
  let decoded: SequenceTable | undefined;
  let turns: Promise<Uint8Array> | undefined;
  const matched: MatchSource = {
    info,
    file: files.sequences,
    offsets: offsets.sequences,
    async table() {
      decoded ??= decodeTable(await table());
      return decoded;
    },
  };
  const knows = (index: number): boolean => index >= 0 && index < facts.sequences;
  const rewards = (
    JSON.parse(Buffer.from(answers.get("correct-bins")!).toString()) as CorrectBins
  ).by_reward.map(({ from, to }) => ({ from, to }));
  const blocks = deltaBlocks(files.deltas, offsets.deltas, rewards, async () => {
    const { step, correct, reward } = decodeTable(await table()).columns;
    return { step: step.slice(), correct: correct.slice(), reward: reward.slice() };
  });
  const everyRow = (): Uint32Array => Uint32Array.from({ length: facts.sequences }, (_, index) => index);
  const correct = kept(ANSWERS_HELD, (question: Question) => {
    const batches = needsTokens(question.correction)
      ? tokenBatches(sequencesAt(matched, everyRow()), rewards)
      : deltaBatches(blocks());
    return answerCorrection(question, { batches, rewards, paths, flags });
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
      return encodeTopK({ ...found, texts: collectTexts(found.policies, vocabulary()) });
    },
    correct,
    async bins([from, to]) {
      const sums = new BinBuilder();
      for await (const block of blocks()) if (block.step >= from && block.step <= to) addBlock(sums, block);
      const whole = sums.finish(rewards);
      return whole.groups.length === 0 ? undefined : whole;
    },
    reportOf: kept(REPORTS_HELD, async ([from, to]: readonly [number, number]) => {
      const { step } = decodeTable(await table()).columns;
      const rows = Uint32Array.from(step.keys()).filter((row) => step[row]! >= from && step[row]! <= to);
      const whole = JSON.parse(Buffer.from(answers.get("report")!).toString()) as MismatchReport;
      const found = await stepsReport(sequencesAt(matched, rows), {
        whole,
        paths,
        flags: [...flags, "--steps", `${from}..${to}`],
        hasTexts: info.has.texts,
      });
      if (found === undefined) return undefined;
      const { occurrences } = await matchOccurrences(matched, `step:${from}..${to}`);
      return { report: found.report, top: { ...found.top, occurrences } };
    }),
    turns() {
      turns ??= turnTable(sequencesAt(matched, everyRow())).then(encodeTurns);
      turns.catch(() => {
        turns = undefined;
      });
      return turns;
    },
    match: (filter, signal) => matchSequences(matched, filter, signal),
    matchTokens: (filter, signal) => matchOccurrences(matched, filter, signal),
    async close() {
      await Promise.all(Object.values(files).map((file) => file.close()));
      await onClosed?.();
    },
  };
}

function collectTexts(
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

function addBlock(sums: BinBuilder, { deltas, offsets, correct, rewards }: DeltaBlock): void {
  for (const [row, own] of correct.entries()) {
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++)
      sums.add(own, deltas[t]!, Math.exp(deltas[t]!), Number.NaN);
    sums.endSequence(rewards[row]!);
  }
}

/** Answers to the last questions, by what these say; one that fails is not kept. */
function kept<Question, Answer>(
  limit: number,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = known.get(key) ?? ask(question);
    known.delete(key);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    for (const old of known.keys()) {
      if (known.size <= limit) break;
      known.delete(old);
    }
    return answer;
  };
}
