import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { FileSeal } from "./seal.ts";

const PIECE = 1 << 20;

/** A file that grows at its end, written in pieces of about a megabyte. */
export class FileAppender {
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Bytes appended so far. */
  length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<FileAppender> {
    return new FileAppender(await open(path, "wx"));
  }

  /** Takes ownership of the bytes: they must not change afterwards. */
  append(bytes: Uint8Array): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.byteLength;
    this.length += bytes.byteLength;
  }

  /** Whether enough is buffered for a {@link drain}. */
  get isFull(): boolean {
    return this.#heldBytes >= PIECE;
  }

  /** Writes the buffered bytes. */
  async drain(): Promise<void> {
    const pieces = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    const all = Buffer.concat(pieces);
    this.#hash.update(all);
    for (let at = 0; at < all.length; ) at += (await this.#file.write(all, at)).bytesWritten;
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
