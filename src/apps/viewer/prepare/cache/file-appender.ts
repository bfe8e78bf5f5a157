import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { FileSeal } from "./seal.ts";

const PIECE = 1 << 20;
/** Of a buffer: a piece, and what is appended before it is written. */
const ROOM = PIECE + (PIECE >> 2);

/** A file that grows at its end, written in pieces of about a megabyte. */
export class FileAppender {
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  #buffer = new Uint8Array(0);
  /** The buffer that was written last. */
  #spare: Uint8Array<ArrayBuffer> | undefined;
  #heldBytes = 0;
  /** Bytes appended so far. */
  length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<FileAppender> {
    return new FileAppender(await open(path, "wx"));
  }

  /** Copies the bytes. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.byteLength).set(bytes);
  }

  /** Appends this many bytes with arbitrary content, which the caller must set before the next call of any method. */
  reserve(bytes: number): Uint8Array<ArrayBuffer> {
    const end = this.#heldBytes + bytes;
    if (end > this.#buffer.length) this.#grow(end);
    const reserved = this.#buffer.subarray(this.#heldBytes, end);
    this.#heldBytes = end;
    this.length += bytes;
    return reserved;
  }

  #grow(least: number): void {
    const held = this.#buffer.subarray(0, this.#heldBytes);
    this.#buffer = new Uint8Array(Math.max(ROOM, least));
    this.#buffer.set(held);
  }

  /** Whether enough is buffered for a {@link drain}. */
  get isFull(): boolean {
    return this.#heldBytes >= PIECE;
  }

  /** Writes the buffered bytes; must not be called again before it has ended. */
  async drain(): Promise<void> {
    const written = this.#buffer;
    const all = written.subarray(0, this.#heldBytes);
    this.#buffer = this.#spare ?? new Uint8Array(0);
    this.#spare = undefined;
    this.#heldBytes = 0;
    this.#hash.update(all);
    for (let at = 0; at < all.length; ) at += (await this.#file.write(all, at)).bytesWritten;
    // One very long sequence must not keep its memory allocated for the rest of the run.
    if (written.length === ROOM) this.#spare = written;
  }

  /** The seal of everything appended; call after a {@link drain}. */
  seal(): FileSeal {
    return { bytes: this.length, sha256: this.#hash.copy().digest("hex"), grows: true };
  }

  async close(): Promise<void> {
    try {
      if (this.#heldBytes > 0) await this.drain();
    } finally {
      await this.#file.close();
    }
  }
}
