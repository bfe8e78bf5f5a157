/**
 * One run: which batches it has, and its log.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type BatchKey,
  keyText,
  partSegment,
  type RunPlaces,
  runPlaces,
  scanSegment,
  segmentName,
  segmentNumber,
} from "../../../input/batch-log/index.ts";
import { makeDirectory } from "../../../input/io/index.ts";
import { type ClosedSegment, RunLog, type RunLogOptions } from "../log/run-log.ts";
import { syncDirectory } from "../log/sync-directory.ts";
import { type KeyIndex, readKeys } from "./key-index.ts";

/** The outcome of a batch, and the call under which it is stored. */
export type Accepted =
  | { readonly outcome: "stored"; readonly call: number }
  /** The same bytes exist already, under this or another call of the step and rank. */
  | { readonly outcome: "known"; readonly call: number }
  /** Other bytes exist under this key; gives the first free call. */
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
  /** Batches in it that an earlier segment also has. */
  readonly repeated: readonly string[];
}

export interface RunStoreOptions extends Pick<RunLogOptions, "segmentBytes" | "segmentAgeMs" | "onCommit"> {
  readonly onPending: (pending: PendingSegment) => void;
}

/** A batch that is being written. */
interface Arriving {
  readonly key: BatchKey;
  readonly sha256: string;
  readonly done: Promise<void>;
}

export class RunStore {
  readonly places: RunPlaces;
  readonly #index: KeyIndex;
  readonly #log: RunLog;
  /** Batches that are being written. */
  readonly #arriving = new Map<string, Arriving>();

  private constructor(places: RunPlaces, index: KeyIndex, log: RunLog) {
    this.places = places;
    this.#index = index;
    this.#log = log;
  }

  /** Opens a run, and passes on the segments that an earlier server left. */
  static async open(folder: string, { onPending, ...options }: RunStoreOptions): Promise<RunStore> {
    const places = runPlaces(folder);
    if (!existsSync(places.own)) {
      makeDirectory(places.own);
      await syncDirectory(folder);
      await syncDirectory(dirname(folder));
    }
    const index = await readKeys(places.keys);
    const { pending, last } = await recoverSegments(places, index);
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
    return store;
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
   * @throws the system's error; the batch is then not stored
   */
  async accept(batch: Batch): Promise<Accepted> {
    const { key, sha256, body, bytes } = batch;
    const name = keyText(key);
    const arriving = this.#arriving.get(name) ?? this.#findArriving(batch);
    if (arriving !== undefined) {
      // The first one's outcome decides: if it fails, this one is stored.
      await arriving.done.catch(() => {});
      return this.accept(batch);
    }
    const known = this.#index.find(key);
    if (known?.sha256 === sha256) return { outcome: "known", call: key.call };
    if (known !== undefined) {
      // A recorder that was not told the free call under which its batch was stored starts with the first call again.
      const call = this.#index.findCall(key, sha256);
      if (call !== undefined) return { outcome: "known", call };
      return { outcome: "conflict", nextCall: this.#index.nextCall(key) };
    }
    const head = { ...key, sha256 };
    const done = this.#log.append(head, body, bytes);
    this.#arriving.set(name, { key, sha256, done });
    try {
      await done;
      this.#index.add(head, 0);
    } finally {
      this.#arriving.delete(name);
    }
    return { outcome: "stored", call: key.call };
  }

  /** The same batch, being written under another call because this one is taken. */
  #findArriving({ key, sha256 }: Batch): Arriving | undefined {
    if (this.#index.find(key) === undefined) return undefined;
    return [...this.#arriving.values()].find(
      (other) => other.sha256 === sha256 && other.key.step === key.step && other.key.rank === key.rank,
    );
  }

  /** Forgets batches whose bytes are lost, so that they are stored when they are sent again. */
  forget(keys: readonly BatchKey[]): void {
    for (const key of keys) this.#index.remove(key);
  }

  /** Closes the segment, so that everything accepted soon becomes part of the record. */
  async flush(): Promise<void> {
    await this.#log.closeSegment();
  }
}

/** Adds the batches of segments that an earlier server left to the index. */
async function recoverSegments(
  { own }: RunPlaces,
  index: KeyIndex,
): Promise<{ pending: PendingSegment[]; last: number }> {
  const numbers = (await readdir(own)).map(segmentNumber).filter((number) => number !== undefined);
  const pending: PendingSegment[] = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const path = join(own, segmentName(number));
    // A damaged batch is not registered: it is stored when it is sent again. Sealing sets its bytes aside.
    const { frames, bytes } = await scanSegment(path, { checksBodies: true });
    const repeated: string[] = [];
    for (const { head } of frames) {
      const known = index.find(head);
      // Other bytes under the same key: the earlier write had failed and was not acknowledged, but this one was.
      if (known?.sha256 !== head.sha256) index.add(head, number);
      else if (known.segment !== number) repeated.push(keyText(head));
    }
    if (bytes === 0) await unlink(path);
    else
      pending.push({ segment: { number, path, bytes, batches: frames.length - repeated.length }, repeated });
  }
  return { pending, last: numbers.at(-1) ?? 0 };
}
