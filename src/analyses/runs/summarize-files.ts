/**
 * From the files of a run to its evidence, each read, checked and summed by one of several threads, including the
 * calling thread.
 *
 * @module
 */
import { memoryLimit } from "../../core/base/index.ts";
import type { FileOutcome, Run, RunFacts, RunFiles } from "../../ingest/index.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import type { BatchFilter, FilterCounts } from "../filter/filter-batches.ts";
import { unpackError } from "../parallel/error-transport.ts";
import { addMoved } from "../parallel/moved-evidence.ts";
import { startThread, type Thread, workerFile } from "../parallel/thread.ts";
import { type ApartOptions, sumBytes } from "./choose-files.ts";
import { type FilesReply, type FilesTask, unpackOutcome } from "./file-messages.ts";
import {
  createFileMeter,
  createQueue,
  failAt,
  isNeeded,
  isQueueStopped,
  type QueueMemory,
  stopQueue,
  sumProgress,
  takePlace,
} from "./file-queue.ts";
import { INPUT_NAMES } from "./input-options.ts";
import { noteFilter } from "./read-batches.ts";
import { type TakenFiles, takeFiles } from "./take-files.ts";

/** How often the calling thread checks for a stop request while others still read. */
const LOOK_MS = 50;

/**
 * The evidence of a run, bit-identical to that of one thread, with its findings in the same order.
 *
 * @throws what reading the run on one thread throws
 */
export async function summarizeFiles(
  run: Run,
  files: RunFiles,
  threads: number,
  apart: ApartOptions,
): Promise<RunEvidence> {
  const evidence = new RunEvidence();
  const movable = files.list.flatMap(({ file, bytes }, place) =>
    file === undefined ? [] : { place, bytes },
  );
  // The largest first, so that the last ones to wait for are small.
  const places = movable.sort((a, b) => b.bytes - a.bytes || a.place - b.place).map(({ place }) => place);
  const team = Math.min(threads, files.list.length);
  const queue = createQueue(places, team);
  const watch = createWatch(queue, files, apart);
  const members: Thread<FilesTask, FilesReply>[] = [];
  try {
    const facts = await files.survey();
    const replies = Array.from({ length: team - 1 }, (_, i) => {
      const member = startThread<FilesTask, FilesReply>(workerFile("files-worker", import.meta.url)!);
      members.push(member);
      return member.ask(makeTask(queue, i + 1, { files, facts, apart }));
    });
    // The results of threads are examined below, all together.
    for (const reply of replies) reply.catch(() => stopQueue(queue));
    const own = await takeHere(queue, { files, facts, evidence, apart, watch });
    const others = await Promise.all(replies);
    watch.end();
    apart.onRead?.();
    watch.throwIfAborted();
    settle(files, own, others);
    for (const reply of others) addMoved(evidence, reply.evidence);
    if (!isQueueStopped(queue)) files.finish();
    if (apart.filter !== undefined) noteFilter(run, addCounts(apart.filter, others));
    return evidence;
  } finally {
    watch.end();
    await Promise.all([files.close(), ...members.map((member) => member.close())]);
  }
}

function makeTask(
  queue: QueueMemory,
  thread: number,
  { files, facts, apart }: { files: RunFiles; facts: RunFacts; apart: ApartOptions },
): FilesTask {
  // Callbacks and signals among the caller's options cannot be sent to another thread.
  const input = Object.fromEntries(Object.entries(apart.input).filter(([name]) => INPUT_NAMES.has(name)));
  return {
    thread,
    queue,
    files: files.list.map(({ file }) => file),
    facts,
    input,
    memoryLimit: memoryLimit(),
  };
}

/** Stop requests from the user while threads read. */
interface Watch {
  /** Stops the threads if the caller requests it. */
  look(): void;
  tell(): void;
  /** @throws the error of `isStopped` */
  throwIfAborted(): void;
  end(): void;
}

function createWatch(queue: QueueMemory, { list }: RunFiles, { isStopped, onProgress }: ApartOptions): Watch {
  const bytesTotal = sumBytes(list);
  let aborted: { readonly reason: unknown } | undefined;
  const look = (): void => {
    try {
      if (isStopped?.() === true) stopQueue(queue);
    } catch (reason) {
      aborted ??= { reason };
      stopQueue(queue);
    }
  };
  const tell = (): void => {
    const { place, ...read } = sumProgress(queue);
    onProgress?.({ ...read, bytesTotal, file: list[place]!.name });
  };
  const timer = setInterval(() => {
    look();
    tell();
  }, LOOK_MS);
  return {
    look,
    tell,
    throwIfAborted() {
      if (aborted !== undefined) throw aborted.reason;
    },
    end: () => clearInterval(timer),
  };
}

interface Here {
  readonly files: RunFiles;
  readonly facts: RunFacts;
  readonly evidence: RunEvidence;
  readonly apart: ApartOptions;
  readonly watch: Watch;
}

/** The calling thread's share: files that no other thread can read, then any remaining ones. */
function takeHere(queue: QueueMemory, { files, facts, evidence, apart, watch }: Here): Promise<TakenFiles> {
  const onlyHere = files.list.flatMap(({ file }, place) => (file === undefined ? place : []));
  const next = (): number | undefined => {
    if (isQueueStopped(queue)) return undefined;
    const place = onlyHere.shift();
    if (place === undefined) return takePlace(queue);
    return isNeeded(queue, place) ? place : next();
  };
  return takeFiles({
    next,
    read: (place) => files.read(place, facts, createFileMeter(queue, 0, place, watch.tell)),
    filter: apart.filter,
    evidence,
    async isStopped(place) {
      // Summing is synchronous: without yielding to the event loop, a signal would wait until the end.
      await new Promise(setImmediate);
      watch.look();
      return isQueueStopped(queue) || !isNeeded(queue, place);
    },
    onFailed: (place) => failAt(queue, place),
  });
}

/** Merges the results in the order of a single thread, which would have ended with the first error. */
function settle(files: RunFiles, own: TakenFiles, replies: readonly FilesReply[]): void {
  const outcomes = new Map<number, () => FileOutcome>();
  for (const [place, outcome] of own.outcomes) outcomes.set(place, () => outcome);
  for (const reply of replies)
    for (const [place, outcome] of reply.outcomes) outcomes.set(place, () => unpackOutcome(outcome));
  const failures = replies.flatMap(({ failure }) =>
    failure === undefined ? [] : { place: failure.place, error: unpackError(failure.error) as unknown },
  );
  if (own.failure !== undefined) failures.push(own.failure);
  const [failure] = failures.sort((a, b) => a.place - b.place);
  for (const place of files.list.keys()) {
    const outcome = outcomes.get(place);
    if (outcome !== undefined) files.settle(place, outcome());
    if (place === failure?.place) throw failure.error;
  }
}

function addCounts(
  { counts, isAboutTokens }: BatchFilter,
  replies: readonly FilesReply[],
): Pick<BatchFilter, "counts" | "isAboutTokens"> {
  const sum: FilterCounts = { ...counts };
  for (const reply of replies)
    for (const name of Object.keys(sum) as (keyof FilterCounts)[]) sum[name] += reply.counts?.[name] ?? 0;
  return { counts: sum, isAboutTokens };
}
