/**
 * The log of one run: segments that are appended to, with one sync for all waiting batches (group commit).
 *
 * @module
 */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { encodeFrameStart, type FrameHead } from "./frame.ts";
import { syncDirectory } from "./sync-directory.ts";

/** A segment that is closed. */
export interface ClosedSegment {
  readonly number: number;
  readonly path: string;
  readonly bytes: number;
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
  /** Durable bytes. */
  bytes: number;
  timer: NodeJS.Timeout | undefined;
}

/** Longer timers fire at once. */
const MOST_TIMER_MS = 2 ** 31 - 1;
const SEGMENT_NAME = /^(\d{8})\.log$/;

export function segmentName(number: number): string {
  return `${String(number).padStart(8, "0")}.log`;
}

/** The number in a segment's name; undefined for other names. */
export function segmentNumber(name: string): number | undefined {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

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
    const number = this.#next;
    const path = join(this.#options.folder, segmentName(number));
    const file = await open(path, "wx");
    this.#next++;
    const segment: Segment = { number, path, file, bytes: 0, timer: undefined };
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

  /**
   * Cuts off what a failed write left, and closes the segment: after a failed sync it is unknown which of its pages are
   * on disk.
   */
  async #cutBack(segment: Segment): Promise<void> {
    // If even this fails, the next start cuts it off: its frames are incomplete, or were never acknowledged.
    await segment.file.truncate(segment.bytes).catch(() => {});
    await this.#closeSegment().catch(() => {});
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#segment;
    if (segment === undefined) return;
    this.#segment = undefined;
    clearTimeout(segment.timer);
    await segment.file.close();
    const { number, path, bytes } = segment;
    this.#options.onClosed({ number, path, bytes });
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
