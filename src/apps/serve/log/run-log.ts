/**
 * The log of one run: segments that are appended to, with one sync for all waiting batches (group commit).
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../../core/base/index.ts";
import { encodeFrameStart, type FrameHead, segmentName } from "../../../input/batch-log/index.ts";
import { syncDirectory } from "./sync-directory.ts";

/** A segment that is closed. */
export interface ClosedSegment {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
  readonly batches: number;
}

export interface RunLogOptions {
  readonly folder: string;
  /** Of the next segment. */
  readonly next: number;
  /** Bytes after which a segment is closed. */
  readonly segmentBytes: number;
  /** Milliseconds after its first batch at which a segment is closed. */
  readonly segmentAgeMs: number;
  readonly onClosed: (segment: ClosedSegment) => void;
  /** Called after each sync with its milliseconds and the batches that it made durable. */
  readonly onCommit?: (ms: number, batches: number) => void;
}

interface Waiting {
  readonly buffers: readonly Uint8Array[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Segment {
  readonly number: number;
  readonly path: string;
  readonly file: FileHandle;
  /** Durable bytes, and the batches in them. */
  bytes: number;
  batches: number;
  timer: NodeJS.Timeout | undefined;
}

/** Longer timers fire at once. */
const MOST_TIMER_MS = 2 ** 31 - 1;

/** Appends batches. One write and one sync are in progress at a time; batches that arrive meanwhile share the next. */
export class RunLog {
  readonly #options: RunLogOptions;
  #next: number;
  #segment: Segment | undefined;
  #waiting: Waiting[] = [];
  #turn: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(options: RunLogOptions) {
    this.#options = options;
    this.#next = options.next;
  }

  /** Bytes of the segment that is open. */
  get bytes(): number {
    return this.#segment?.bytes ?? 0;
  }

  /**
   * Resolves when the batch is on disk.
   *
   * @throws the system's error; nothing of the batch is in the log then
   */
  append(head: FrameHead, body: readonly Uint8Array[], bodyBytes: number): Promise<void> {
    const start = encodeFrameStart(head, bodyBytes);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ buffers: [start, ...body], bytes: start.length + bodyBytes, resolve, reject });
      if (this.#isWriting) return;
      this.#isWriting = true;
      void this.#inTurn(async () => {
        try {
          while (this.#waiting.length > 0) await this.#commit(this.#takeGroup());
        } finally {
          this.#isWriting = false;
        }
      });
    });
  }

  /** Closes the open segment, if there is one, once what is being written is durable. */
  closeSegment(): Promise<void> {
    return this.#inTurn(() => this.#closeSegment());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => {});
    return next;
  }

  /** All waiting batches, up to a segment's size, so that the first of a flood does not wait for the last. */
  #takeGroup(): Waiting[] {
    let bytes = 0;
    const full = this.#waiting.findIndex((one, at) => {
      bytes += one.bytes;
      return at > 0 && bytes > this.#options.segmentBytes;
    });
    return this.#waiting.splice(0, full < 0 ? this.#waiting.length : full);
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      const segment = await this.#openSegment();
      try {
        const from = performance.now();
        const bytes = await writeBuffers(
          segment,
          group.flatMap(({ buffers }) => buffers),
        );
        await segment.file.datasync();
        segment.bytes += bytes;
        segment.batches += group.length;
        this.#options.onCommit?.(performance.now() - from, group.length);
      } catch (error) {
        await this.#cutBack(segment);
        throw error;
      }
      for (const { resolve } of group) resolve();
      if (segment.bytes >= this.#options.segmentBytes) await this.#closeSegment();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async #openSegment(): Promise<Segment> {
    if (this.#segment !== undefined) return this.#segment;
    const { number, path, file } = await this.#createFile();
    const segment: Segment = { number, path, file, bytes: 0, batches: 0, timer: undefined };
    this.#segment = segment;
    try {
      // Otherwise a power cut may lose the file's name and so its content.
      await syncDirectory(this.#options.folder);
    } catch (error) {
      await this.#closeSegment();
      throw error;
    }
    segment.timer = setTimeout(
      () => void this.closeSegment().catch(() => {}),
      Math.min(this.#options.segmentAgeMs, MOST_TIMER_MS),
    );
    return segment;
  }

  /** The next number whose name is free: a file that could not be removed may have the first. */
  async #createFile(): Promise<Pick<Segment, "number" | "path" | "file">> {
    for (;;) {
      const number = this.#next;
      const path = join(this.#options.folder, segmentName(number));
      try {
        const file = await open(path, "wx");
        this.#next++;
        return { number, path, file };
      } catch (error) {
        if (!isSystemError(error) || error.code !== "EEXIST") throw error;
        this.#next++;
      }
    }
  }

  /**
   * Cuts off what a failed write left, and closes the segment: after a failed sync it is unknown which of its pages are
   * on disk.
   */
  async #cutBack(segment: Segment): Promise<void> {
    // If even this fails, sealing reads only the durable bytes; the next start sets incomplete frames aside.
    await segment.file.truncate(segment.bytes).catch(() => {});
    await this.#closeSegment().catch(() => {});
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) return;
    this.#segment = undefined;
    clearTimeout(segment.timer);
    // What is durable stays so, even if the system fails to close the file.
    await segment.file.close().catch(() => {});
    const { number, path, bytes, batches } = segment;
    this.#options.onClosed({ number, path, bytes, batches });
  }
}

/** Appends to the segment. @returns bytes written */
async function writeBuffers(
  { file, bytes: start }: Segment,
  buffers: readonly Uint8Array[],
): Promise<number> {
  let left = [...buffers];
  let written = 0;
  while (left.length > 0) {
    const { bytesWritten } = await file.writev(left, start + written);
    written += bytesWritten;
    left = dropWritten(left, bytesWritten);
  }
  return written;
}

/** Drops the written part: a nearly full disk may accept only some bytes. */
function dropWritten(buffers: readonly Uint8Array[], written: number): Uint8Array[] {
  let rest = written;
  for (const [at, buffer] of buffers.entries()) {
    if (rest < buffer.length) return [buffer.subarray(rest), ...buffers.slice(at + 1)];
    rest -= buffer.length;
  }
  return [];
}
