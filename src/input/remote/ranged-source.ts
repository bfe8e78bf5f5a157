/**
 * Random access to a remote file: blocks of a fixed size, cached, and fetched ahead when reading is sequential.
 *
 *     slice(start, end) ─► blocks that cover it ─► kept? ─► else one range request each, at most CONCURRENCY at a time
 *                                              └─► the block after them, when the one before them was read last
 *
 * Recognizing a file reads its head and closes it again, and small files are one block: the cache is shared by all
 * files, so that opening a file again sends no request.
 *
 * @module
 */
import { FormatError } from "../../core/base/index.ts";
import type { ByteSource } from "../io/byte-source.ts";
import { createSemaphore } from "../io/semaphore.ts";
import type { RemoteFile, RemoteStore } from "./remote-file.ts";
import { RETRY, type RetryOptions, retrying } from "./retry.ts";

/** Large enough that latency is small compared with the transfer, small enough for the head of a file. */
const BLOCK_BYTES = 4 << 20;
/** Cached bytes of all files together. */
const KEPT_BYTES = 64 << 20;
const CONCURRENCY = 8;

export interface RangedOptions {
  readonly retry?: RetryOptions;
  readonly blockBytes?: number;
}

/** Blocks by file, version and number, the least recently used first. */
class KeptBlocks {
  readonly #blocks = new Map<string, { readonly bytes: Promise<Uint8Array>; readonly length: number }>();
  #total = 0;

  /** The block from the cache or from `fetchBlock`; a failed one is forgotten. */
  get(key: string, length: number, fetchBlock: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const known = this.#blocks.get(key);
    if (known !== undefined) {
      this.#blocks.delete(key);
      this.#blocks.set(key, known);
      return known.bytes;
    }
    const bytes = fetchBlock();
    this.#blocks.set(key, { bytes, length });
    this.#total += length;
    bytes.catch(() => this.#drop(key));
    for (const oldest of this.#blocks.keys()) {
      if (this.#total <= KEPT_BYTES || oldest === key) break;
      this.#drop(oldest);
    }
    return bytes;
  }

  #drop(key: string): void {
    this.#total -= this.#blocks.get(key)?.length ?? 0;
    this.#blocks.delete(key);
  }
}

const kept = new KeptBlocks();

/** Concurrent requests for all files together. */
const requests = createSemaphore(CONCURRENCY);

/**
 * The file as a byte source. Nothing is read yet; each slice is new memory.
 *
 * @throws (each slice) NotFoundError, FileSystemError or FormatError: the failure of the store or the network
 */
export function rangedSource(
  store: RemoteStore,
  file: RemoteFile,
  { retry = RETRY, blockBytes = BLOCK_BYTES }: RangedOptions = {},
): ByteSource {
  const { name, byteLength } = file;
  let lastBlock: number | undefined;

  const fetchRange = (start: number, end: number): Promise<Uint8Array> =>
    requests.run(() => retrying(name, (signal) => store.read(file, { start, end, signal }), retry));

  const block = (index: number): Promise<Uint8Array> => {
    const start = index * blockBytes;
    const end = Math.min(byteLength, start + blockBytes);
    // Without a version, only the length distinguishes new content from old.
    return kept.get(`${name}\n${file.version ?? byteLength}\n${blockBytes}\n${index}`, end - start, () =>
      fetchRange(start, end),
    );
  };

  return {
    name,
    byteLength,
    isRemote: true,
    async slice(start, end) {
      if (start < 0 || end < start || end > byteLength) {
        throw new FormatError(`bytes ${start} to ${end} were requested, but the file has ${byteLength}`, {
          at: { file: name, offset: start },
        });
      }
      const bytes = new Uint8Array(end - start);
      if (bytes.length === 0) return bytes;
      const first = Math.floor(start / blockBytes);
      const last = Math.floor((end - 1) / blockBytes);
      const goesOn = lastBlock !== undefined && first === lastBlock + 1;
      lastBlock = last;
      // A few at a time: blocks beyond the cache's size would be dropped before they are copied.
      for (let at = first; at <= last; at += CONCURRENCY) {
        const indices = Array.from({ length: Math.min(CONCURRENCY, last - at + 1) }, (_, i) => at + i);
        const asked = indices.map(block);
        // A block that fails when fetched ahead fails again when it is requested.
        if (goesOn && (last + 1) * blockBytes < byteLength) block(last + 1).catch(() => {});
        const blocks = await Promise.all(asked);
        for (const [i, content] of blocks.entries()) {
          const offset = (at + i) * blockBytes;
          const from = Math.max(start, offset);
          const to = Math.min(end, offset + content.length);
          bytes.set(content.subarray(from - offset, to - offset), from - start);
        }
      }
      return bytes;
    },
    close: async () => {},
  };
}
