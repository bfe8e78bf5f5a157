/**
 * One run: which batches it has, and its log.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { readdir, truncate, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../../input/io/index.ts";
import {
  type BatchKey,
  type ClosedSegment,
  RunLog,
  type RunLogOptions,
  scanSegment,
  segmentNumber,
  syncDirectory,
} from "../log/index.ts";
import { type KeyIndex, keyText, readKeys } from "./key-index.ts";
import { partSegment, type RunPlaces, runPlaces } from "./places.ts";

/** The outcome of a batch. */
export type Accepted =
  | { readonly outcome: "stored" }
  /** The same bytes were there already. */
  | { readonly outcome: "known" }
  /** Other bytes are there under this key; the first call that is free. */
  | { readonly outcome: "conflict"; readonly nextCall: number };

export interface Batch {
  readonly key: BatchKey;
  /** The body's digest, hexadecimal, already verified. */
  readonly sha256: string;
  readonly body: readonly Uint8Array[];
  readonly bytes: number;
}

/** A segment waiting to become part of the record. */
export interface PendingSegment {
  readonly segment: ClosedSegment;
  /** Batches in it that an earlier segment has, too. */
  readonly repeated: readonly string[];
}

export interface RunStoreOptions extends Pick<RunLogOptions, "segmentBytes" | "segmentAgeMs" | "onCommit"> {
  readonly onPending: (pending: PendingSegment) => void;
}

export class RunStore {
  readonly places: RunPlaces;
  readonly #index: KeyIndex;
  readonly #log: RunLog;
  /** Batches that are being written. */
  readonly #arriving = new Map<string, { readonly sha256: string; readonly done: Promise<void> }>();

  private constructor(places: RunPlaces, index: KeyIndex, log: RunLog) {
    this.places = places;
    this.#index = index;
    this.#log = log;
  }

  /** Opens a run; also returns the bytes cut off its segments. */
  static async open(
    folder: string,
    { onPending, ...options }: RunStoreOptions,
  ): Promise<{ store: RunStore; torn: number }> {
    const places = runPlaces(folder);
    if (!existsSync(places.own)) {
      makeDirectory(places.own);
      await syncDirectory(folder);
      await syncDirectory(dirname(folder));
    }
    const index = await readKeys(places.keys);
    const { pending, torn, last } = await recoverSegments(places, index);
    const parts = (await readdir(folder)).map((name) => partSegment(name) ?? 0);
    const store: RunStore = new RunStore(
      places,
      index,
      new RunLog({
        ...options,
        folder: places.own,
        next: Math.max(last, ...parts) + 1,
        onClosed: (segment) => {
          if (segment.bytes > 0) onPending({ segment, repeated: [] });
          else void unlink(segment.path).catch(() => {});
        },
      }),
    );
    for (const one of pending) onPending(one);
    return { store, torn };
  }

  get batches(): number {
    return this.#index.size;
  }

  /** Bytes of the open segment. */
  get logBytes(): number {
    return this.#log.bytes;
  }

  /**
   * Resolves when the batch is durable.
   *
   * @throws the system's error; the batch is not stored then
   */
  async accept({ key, sha256, body, bytes }: Batch): Promise<Accepted> {
    const name = keyText(key);
    const arriving = this.#arriving.get(name);
    if (arriving !== undefined) {
      // The first one's outcome decides: if it fails, this one is stored.
      await arriving.done.catch(() => {});
      return this.accept({ key, sha256, body, bytes });
    }
    const known = this.#index.find(key);
    if (known !== undefined) {
      if (known.sha256 === sha256) return { outcome: "known" };
      return { outcome: "conflict", nextCall: this.#index.nextCall(key) };
    }
    const head = { ...key, sha256 };
    const done = this.#log.append(head, body, bytes);
    this.#arriving.set(name, { sha256, done });
    try {
      await done;
      this.#index.add(head, 0);
    } finally {
      this.#arriving.delete(name);
    }
    return { outcome: "stored" };
  }

  /** Closes the segment, so that everything accepted soon becomes part of the record. */
  async flush(): Promise<void> {
    await this.#log.closeSegment();
  }
}

/** Cuts torn ends off segments, and adds their batches to the index. */
async function recoverSegments(
  { own }: RunPlaces,
  index: KeyIndex,
): Promise<{ pending: PendingSegment[]; torn: number; last: number }> {
  const numbers = (await readdir(own)).map(segmentNumber).filter((number) => number !== undefined);
  const pending: PendingSegment[] = [];
  let torn = 0;
  for (const number of numbers.sort((a, b) => a - b)) {
    const path = join(own, `${String(number).padStart(8, "0")}.log`);
    // Earlier ones were synced to their ends before this one was started.
    const scanned = await scanSegment(path, { checksBodies: number === numbers.at(-1) });
    if (scanned.torn > 0) {
      await truncate(path, scanned.end);
      torn += scanned.torn;
    }
    const repeated: string[] = [];
    for (const { head } of scanned.frames) {
      const known = index.find(head);
      if (known === undefined) index.add(head, number);
      else if (known.segment !== number) repeated.push(keyText(head));
    }
    if (scanned.end === 0) await unlink(path);
    else pending.push({ segment: { number, path, bytes: scanned.end }, repeated });
  }
  return { pending, torn, last: numbers.at(-1) ?? 0 };
}
