/**
 * Answers from an open cache, in three groups: sequences by number, corrections, and those that read sequences again
 * (steps, turns, filters).
 *
 * @module
 */

import type { MismatchReport } from "../../../../results/report.ts";
import type { CorrectBins, RunInfo, TopTokens } from "../../../../results/view.ts";
import { decodeBriefs, type SequenceBrief } from "../../../../results/wire/briefs.ts";
import { listGroupMembers } from "../../../../results/wire/groups.ts";
import { encodeTopK, type WireSequence } from "../../../../results/wire/sequence.ts";
import { decodeTable } from "../../../../results/wire/table.ts";
import { encodeTurns } from "../../../../results/wire/turns.ts";
import { answerCorrection } from "../correct/answer.ts";
import { deltaBatches, needsTokens, tokenBatches } from "../correct/batches.ts";
import { BinBuilder } from "../correct/bins.ts";
import type { Question } from "../correct/question.ts";
import { sweepSequences } from "../correct/sweep-run.ts";
import { findPrompts, listPrompts } from "../filter/find-prompts.ts";
import {
  countTerms,
  matchGroups,
  matchOccurrences,
  matchSequences,
  sequencesAt,
} from "../filter/match-filter.ts";
import { type DeltaBlock, deltaBlocks } from "../pass/delta-blocks.ts";
import { type ReadBytes, readAlternatives } from "../pass/top-k-store.ts";
import { turnTable } from "../pass/turn-figures.ts";
import { stepsReport } from "../report/steps-report.ts";
import { keepLast, keepOne } from "./keep-last.ts";
import { type OpenedCache, parseJson } from "./opened-cache.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { readPart } from "./read-part.ts";

/** Cached answers about corrections: dragging a line returns to earlier values. */
const ANSWERS_HELD = 16;
const REPORTS_HELD = 4;
const BRIEFS_READ = 4096;

/** One sequence, located by the offsets. */
export function sequenceAnswers(
  cache: OpenedCache,
): Pick<PreparedRun, "sequence" | "briefs" | "prompts" | "members" | "topK"> {
  const { facts, offsets, files, vocabulary, source } = cache;
  const prompts = keepOne(() => listPrompts(everyBrief(cache)));
  const knows = (index: number): boolean => index >= 0 && index < facts.sequences;
  return {
    async sequence(index) {
      if (!knows(index)) return undefined;
      const [from, to] = [offsets.sequences[index]!, offsets.sequences[index + 1]!];
      return readPart(files.sequences, from, to - from);
    },
    async briefs(indexes) {
      if (!indexes.every(knows)) return undefined;
      const parts = await Promise.all(
        indexes.map((index) => {
          const [from, to] = [offsets.briefs[index]!, offsets.briefs[index + 1]!];
          return readPart(files.briefs, from, to - from);
        }),
      );
      return Buffer.concat(parts);
    },
    prompts: async (text) => findPrompts(await prompts(), text),
    async members(index) {
      return knows(index) ? listGroupMembers(await source.table(), index) : undefined;
    },
    async topK(index, from, count) {
      if (!knows(index)) return undefined;
      const [start, end] = [offsets.topK[index]!, offsets.topK[index + 1]!];
      if (start === end) return encodeTopK({ from, count: 0, policies: {}, texts: new Map() });
      const read: ReadBytes = (at, length) => readPart(files.topK, start + at, length);
      const found = await readAlternatives(read, facts.topK, from, count);
      return encodeTopK({ ...found, texts: collectTexts(found.policies, vocabulary()) });
    },
  };
}

/** From Δ alone if that suffices, which is far less to read; else from all columns of the tokens. */
export function correctionAnswers(
  cache: OpenedCache,
  { paths, flags }: RunInfo["input"],
): Pick<PreparedRun, "correct" | "bins"> {
  const { offsets, files, rewards, readTable, source } = cache;
  const blocks = deltaBlocks(files.deltas, offsets.deltas, rewards, async () => {
    const { step, correct, reward } = decodeTable(await readTable()).columns;
    // Copies: views would keep the whole table in memory.
    return { step: step.slice(), correct: correct.slice(), reward: reward.slice() };
  });
  return {
    correct: keepLast(ANSWERS_HELD, (question: Question) => {
      const batches = needsTokens(question.correction)
        ? tokenBatches(sequencesAt(source, everyRow(cache)), rewards)
        : deltaBatches(blocks());
      return answerCorrection(question, { batches, rewards, paths, flags });
    }),
    async bins([from, to]): Promise<CorrectBins | undefined> {
      const sums = new BinBuilder();
      for await (const block of blocks()) if (block.step >= from && block.step <= to) addBlock(sums, block);
      const whole = sums.finish(rewards);
      return whole.groups.length === 0 ? undefined : whole;
    },
  };
}

/** Answers that are not prepared, because they depend on selected steps or a filter, or cost too much in advance. */
export function rowAnswers(
  cache: OpenedCache,
  { paths, flags }: RunInfo["input"],
): Pick<
  PreparedRun,
  "reportOf" | "sweep" | "turns" | "match" | "matchTokens" | "matchGroups" | "matchTerms"
> {
  const { info, answers, source, readTable } = cache;
  type Steps = readonly [number, number];
  type Found = { readonly report: MismatchReport; readonly top: TopTokens } | undefined;
  const whole = (): MismatchReport => parseJson<MismatchReport>(answers.get("report")!);
  const rowsIn = async ([from, to]: Steps): Promise<Uint32Array> => {
    const { step } = decodeTable(await readTable()).columns;
    return Uint32Array.from(step.keys()).filter((row) => step[row]! >= from && step[row]! <= to);
  };
  const reportSteps = async ([from, to]: Steps): Promise<Found> => {
    const found = await stepsReport(sequencesAt(source, await rowsIn([from, to])), {
      whole: whole(),
      paths,
      flags: [...flags, "--steps", `${from}..${to}`],
      hasTexts: info.has.texts,
    });
    if (found === undefined) return undefined;
    const { occurrences } = await matchOccurrences(source, `step:${from}..${to}`);
    return { report: found.report, top: { ...found.top, occurrences } };
  };
  return {
    reportOf: keepLast(REPORTS_HELD, reportSteps),
    sweep: keepLast(REPORTS_HELD, async (steps: Steps | null) => {
      const rows = steps === null ? everyRow(cache) : await rowsIn(steps);
      return sweepSequences(sequencesAt(source, rows), whole());
    }),
    turns: keepOne(async () => encodeTurns(await turnTable(sequencesAt(source, everyRow(cache))))),
    match: (filter, signal) => matchSequences(source, filter, signal),
    matchTokens: (filter, signal) => matchOccurrences(source, filter, signal),
    matchTerms: (filter, signal) => countTerms(source, filter, signal),
    matchGroups: (filter, signal) => matchGroups(source, filter, signal),
  };
}

/** A few thousand at a time, so that other requests get a turn. */
async function* everyBrief({ facts, files, offsets }: OpenedCache): AsyncGenerator<SequenceBrief[]> {
  for (let from = 0; from < facts.sequences; from += BRIEFS_READ) {
    const to = Math.min(facts.sequences, from + BRIEFS_READ);
    const start = offsets.briefs[from]!;
    yield decodeBriefs(await readPart(files.briefs, start, offsets.briefs[to]! - start));
  }
}

/** All of them, in the order of the table. */
export function everySequence(cache: OpenedCache): AsyncGenerator<WireSequence> {
  return sequencesAt(cache.source, everyRow(cache));
}

function everyRow({ facts }: OpenedCache): Uint32Array {
  return Uint32Array.from({ length: facts.sequences }, (_, index) => index);
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
    const part = deltas.subarray(offsets[row], offsets[row + 1]);
    sums.addTokens(own, { deltas: part, rhos: part.map(Math.exp), count: part.length });
    sums.endSequence(rewards[row]!);
  }
}
