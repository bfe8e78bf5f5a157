import type { FileHandle } from "node:fs/promises";

const WINDOW_BYTES = 1 << 20;

/**
 * Reads a file sequentially a megabyte at a time, so that ten thousand small batches do not cost thirty thousand reads.
 */
export class WindowReader {
  readonly #file: FileHandle;
  #window = Buffer.alloc(0);
  #start = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** A view that is valid until the next read; shorter where the file ends. */
  async read(position: number, length: number): Promise<Buffer> {
    const at = position - this.#start;
    if (at < 0 || at + length > this.#window.length)
      await this.#fill(position, Math.max(length, WINDOW_BYTES));
    const from = position - this.#start;
    return this.#window.subarray(from, from + length);
  }

  async #fill(position: number, length: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    this.#window = buffer.subarray(0, filled);
    this.#start = position;
  }
}
