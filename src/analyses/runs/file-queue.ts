/**
 * Which file is read next, and how far reading has come: shared by the threads that read the files of a run, so that
 * none waits for another.
 *
 * @module
 */
import type { Meter } from "../../ingest/index.ts";

/** Plain data to pass to a thread; all threads share the same memory. */
export interface QueueMemory {
  /** Places in the run, in the order they are taken. */
  readonly places: readonly number[];
  readonly state: Int32Array<SharedArrayBuffer>;
  /** For each thread: bytes, sequences, and the place of the file that it reads. */
  readonly read: BigInt64Array<SharedArrayBuffer>;
}

const [NEXT, STOPPED, FAILED, STATES] = [0, 1, 2, 3] as const;
const [BYTES, SEQUENCES, PLACE, CELLS] = [0, 1, 2, 3] as const;
const NO_PLACE = 2 ** 31 - 1;

export function createQueue(places: readonly number[], threads: number): QueueMemory {
  const state = new Int32Array(new SharedArrayBuffer(STATES * Int32Array.BYTES_PER_ELEMENT));
  state[FAILED] = NO_PLACE;
  const bytes = CELLS * threads * BigInt64Array.BYTES_PER_ELEMENT;
  return { places, state, read: new BigInt64Array(new SharedArrayBuffer(bytes)) };
}

/** The place of a file that no thread has taken; undefined if there is none, or reading was stopped. */
export function takePlace({ places, state }: QueueMemory): number | undefined {
  for (;;) {
    const place = places[Atomics.add(state, NEXT, 1)];
    if (place === undefined || Atomics.load(state, STOPPED) === 1) return undefined;
    if (isNeeded({ state }, place)) return place;
  }
}

/** Whether no earlier file, in the order of a single thread, has failed. */
export function isNeeded({ state }: Pick<QueueMemory, "state">, place: number): boolean {
  return place < Atomics.load(state, FAILED);
}

/** No further file is taken, and those being read end with their next batch. */
export function stopQueue({ state }: QueueMemory): void {
  Atomics.store(state, STOPPED, 1);
}

export function isQueueStopped({ state }: QueueMemory): boolean {
  return Atomics.load(state, STOPPED) === 1;
}

/** Marks everything after this file as unnecessary: the run fails with the error of its first failed file. */
export function failAt({ state }: QueueMemory, place: number): void {
  for (let known = Atomics.load(state, FAILED); place < known; ) {
    const found = Atomics.compareExchange(state, FAILED, known, place);
    if (found === known) return;
    known = found;
  }
}

/** Counts what one thread reads of a file; `tell` is called after each change. */
export function createFileMeter(
  { read }: QueueMemory,
  thread: number,
  place: number,
  tell: () => void = () => {},
): Meter {
  const cell = thread * CELLS;
  let before = 0n;
  const add = (at: number, count: number): void => {
    Atomics.add(read, cell + at, BigInt(count));
    tell();
  };
  return {
    begin() {
      before = Atomics.load(read, cell + BYTES);
      Atomics.store(read, cell + PLACE, BigInt(place));
    },
    addBytes: (bytes) => add(BYTES, bytes),
    addSequences: (sequences) => add(SEQUENCES, sequences),
    end(bytes) {
      Atomics.store(read, cell + BYTES, before + BigInt(bytes));
      tell();
    },
  };
}

/** What all threads have read together, and the place of the earliest file being read. */
export function sumProgress({ read }: QueueMemory): { bytesRead: number; sequences: number; place: number } {
  let [bytesRead, sequences] = [0, 0];
  for (let cell = 0; cell < read.length; cell += CELLS) {
    bytesRead += Number(Atomics.load(read, cell + BYTES));
    sequences += Number(Atomics.load(read, cell + SEQUENCES));
  }
  return { bytesRead, sequences, place: Number(Atomics.load(read, PLACE)) };
}
