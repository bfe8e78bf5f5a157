import { pipeline, Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import type { ByteSource } from "./byte-source.ts";

/** Compressed bytes fetched at once: long reads, but little memory when many members are open. */
const INPUT_CHUNK_BYTES = 128 * 1024;
/** Inflated bytes passed on at once: each chunk costs a trip to zlib's thread. */
const OUTPUT_CHUNK_BYTES = 256 * 1024;

/** Raw deflate, forwards only; holds one chunk of input and one of output. */
export interface InflateStream {
  /** Fills `target`; returns fewer bytes only if the stream ended. */
  readInto(target: Uint8Array): Promise<number>;
  /** Skips bytes; returns how many there were. */
  skip(count: number): Promise<number>;
  /** Compressed bytes consumed so far. */
  consumed(): number;
  close(): void;
}

/**
 * Inflates bytes `[start, end)` of `source`. Every inflated chunk goes through `onChunk` once, in order. Errors of
 * zlib and the source reject the current read.
 */
export function inflateStream(
  source: ByteSource,
  start: number,
  end: number,
  onChunk: (chunk: Uint8Array) => void,
): InflateStream {
  const inflate = createInflateRaw({ chunkSize: OUTPUT_CHUNK_BYTES });
  // pipeline() carries errors of the input over to `inflate`, where the iterator below throws them.
  pipeline(Readable.from(compressedChunks(source, start, end), { objectMode: false }), inflate, () => {});
  const chunks = inflate.iterator() as AsyncIterator<Buffer>;
  let rest: Uint8Array = new Uint8Array(0);

  const take = async (count: number, target: Uint8Array | undefined): Promise<number> => {
    let done = 0;
    while (done < count) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done === true) break;
        rest = next.value;
        onChunk(rest);
      }
      const length = Math.min(rest.length, count - done);
      target?.set(rest.subarray(0, length), done);
      rest = rest.subarray(length);
      done += length;
    }
    return done;
  };

  return {
    readInto: (target) => take(target.length, target),
    skip: (count) => take(count, undefined),
    consumed: () => inflate.bytesWritten,
    close: () => {
      inflate.destroy();
    },
  };
}

async function* compressedChunks(source: ByteSource, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += INPUT_CHUNK_BYTES) {
    yield await source.slice(at, Math.min(at + INPUT_CHUNK_BYTES, end));
  }
}
