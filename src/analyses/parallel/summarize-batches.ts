/**
 * From record batches to the evidence of a run, on several threads if there are many tokens.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import { type RecordBatch, releaseBatch } from "../../core/schema/index.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import type { SummaryReply, SummaryTask } from "./messages.ts";
import { moveArrays } from "./move-arrays.ts";
import { addMoved, type MovedEvidence } from "./moved-evidence.ts";
import { type SummaryColumns, summaryColumns, toBatch } from "./summary-columns.ts";
import { startThread, type Thread, workerFile } from "./thread.ts";

export interface SummarizeOptions {
  /**
   * Threads that sum, besides the calling one, which reads; default: {@link defaultThreads}. With 0 or 1 everything
   * runs in the calling thread.
   */
  readonly threads?: number;
  /** Response tokens up to which no thread is started; default two million. */
  readonly smallTokens?: number;
}

/** The file that threads run, and how to start one. */
export interface SummaryWorkers {
  /** Undefined if no thread can run it. */
  readonly url: URL | undefined;
  readonly start: (url: URL) => Thread<SummaryTask, SummaryReply>;
}

/** Summing takes three times as long as reading the fastest format, so more threads would wait. */
const MOST_THREADS = 4;
/** Summed in a third of a second: as long as it takes to start threads and merge their results. */
const SMALL_TOKENS = 2_000_000;
/** Batches per thread: one being summed, one waiting. */
const BATCHES_HELD = 2;

/**
 * Default number of threads that read and sum: one per processor, at most four, and one if there are two processors.
 * One thread keeps a third of a second processor busy with garbage collection and files, and every further thread
 * compiles the code again: with two, a report on 10 million tokens is no faster and takes 1.4 times the CPU time and
 * memory (docs/benchmarks.md).
 */
export function defaultThreads(processors = availableParallelism()): number {
  return processors <= 2 ? 1 : Math.min(processors, MOST_THREADS);
}

/**
 * The evidence of all batches, bit-identical to adding them to one `RunEvidence`, whatever the number of threads. Few
 * batches are in memory at a time; their arrays belong to this call, and may afterwards be empty or hold other batches.
 *
 * @throws errors from `batches`, or the error of `RunEvidence.add` for the first batch that cannot be added
 */
export async function summarizeBatches(
  batches: AsyncIterable<RecordBatch>,
  { threads = defaultThreads(), smallTokens = SMALL_TOKENS }: SummarizeOptions = {},
  { url, start }: SummaryWorkers = { url: workerFile("summary-worker"), start: startThread },
): Promise<RunEvidence> {
  const onto = new RunEvidence();
  if (threads <= 1 || url === undefined) return summarizeHere(batches, onto);
  const numbers = new Map<string, number>();
  const held: Numbered[] = [];
  let heldTokens = 0;
  let team: Team | undefined;
  try {
    try {
      for await (const batch of batches) {
        const number = numbers.get(batch.provenance.file) ?? 0;
        numbers.set(batch.provenance.file, number + 1);
        held.push({ columns: summaryColumns(batch), number });
        heldTokens += batch.offsets[batch.length]!;
        if (team === undefined && heldTokens <= smallTokens) continue;
        team ??= gatherTeam(() => start(url), threads);
        for (const batch of held.splice(0)) await team.add(batch);
      }
    } catch (error) {
      // If an earlier batch cannot be added, its error comes first, as with one thread.
      if (team === undefined) addAll(held, onto);
      else await team.settle();
      throw error;
    }
    return team === undefined ? addAll(held, onto) : await team.finish(onto);
  } finally {
    await team?.close();
  }
}

async function summarizeHere(
  batches: AsyncIterable<RecordBatch>,
  evidence: RunEvidence,
): Promise<RunEvidence> {
  for await (const batch of batches) {
    evidence.add(batch);
    releaseBatch(batch);
  }
  return evidence;
}

function addAll(batches: readonly Numbered[], evidence: RunEvidence): RunEvidence {
  for (const { columns, number } of batches) evidence.add(toBatch(columns), columns.clusters, number);
  return evidence;
}

/** A batch and its number within its file. */
interface Numbered {
  readonly columns: SummaryColumns;
  readonly number: number;
}

interface Team {
  /** Resolves once the batch has been sent. @throws the error of the first batch that failed, here or in `finish` */
  add(batch: Numbered): Promise<void>;
  /** Waits for all batches in flight. */
  settle(): Promise<void>;
  finish(onto: RunEvidence): Promise<RunEvidence>;
  close(): Promise<void>;
}

interface Member {
  readonly thread: Thread<SummaryTask, SummaryReply>;
  /** One promise per batch in flight, oldest first; never rejected. */
  readonly held: Promise<void>[];
}

function gatherTeam(start: () => Member["thread"], size: number): Team {
  const members: Member[] = [];
  let added = 0;
  let failure: { readonly batch: number; readonly error: unknown } | undefined;

  const settle = async (): Promise<void> => {
    await Promise.all(members.flatMap(({ held }) => held));
    // Threads fail in any order; reporting the first failed batch makes the error deterministic.
    if (failure !== undefined) throw failure.error;
  };
  return {
    async add({ columns, number }) {
      const batch = added++;
      members[batch % size] ??= { thread: start(), held: [] };
      const { thread, held } = members[batch % size]!;
      if (held.length >= BATCHES_HELD) await held.shift();
      if (failure !== undefined) await settle();
      const { value: owned, buffers } = moveArrays(columns);
      held.push(
        thread.ask({ batch: owned, number }, buffers).then(
          () => {},
          (error: unknown) => {
            if (failure === undefined || batch < failure.batch) failure = { batch, error };
          },
        ),
      );
    },
    settle,
    async finish(onto) {
      // Requested all at once, so that one thread returns its summary while others still sum and this one merges.
      const states = members.map(({ thread }) => thread.ask("finish"));
      for (const state of states) state.catch(() => {});
      for (const [i, { thread, held }] of members.entries()) {
        await Promise.all(held);
        if (failure !== undefined) await settle();
        const part = (await states[i]!) as MovedEvidence;
        void thread.close();
        addMoved(onto, part);
      }
      return onto;
    },
    async close() {
      await Promise.all(members.map(({ thread }) => thread.close()));
    },
  };
}
