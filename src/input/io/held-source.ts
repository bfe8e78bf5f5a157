/**
 * Bytes of a stream, kept in memory for random access.
 *
 * @module
 */
import { FormatError, memoryExceeded, memoryLimit } from "../../core/base/index.ts";
import type { ByteSource } from "./byte-source.ts";
import type { ByteStream } from "./decompress.ts";

/** Segments stay separate: filling one array would hold the bytes twice. */
const SEGMENT_BYTES = 1 << 24;

/**
 * Reads a stream to its end.
 *
 * @param what the subject of the message when it does not fit
 * @throws LimitError when it has more bytes than the memory limit, as soon as that many have arrived
 */
export async function holdStream(stream: ByteStream, what: string): Promise<ByteSource> {
  const segments: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream.bytes) {
    if (length + chunk.length > memoryLimit()) throw memoryExceeded(what, { file: stream.name });
    for (let done = 0; done < chunk.length; ) {
      const at = length % SEGMENT_BYTES;
      if (at === 0) segments.push(new Uint8Array(SEGMENT_BYTES));
      const count = Math.min(chunk.length - done, SEGMENT_BYTES - at);
      segments.at(-1)!.set(chunk.subarray(done, done + count), at);
      done += count;
      length += count;
    }
  }
  return {
    name: stream.name,
    byteLength: length,
    slice: async (start, end) => {
      if (!(start >= 0 && start <= end && end <= length)) {
        throw new FormatError(`bytes ${start} to ${end} were requested, but there are ${length}`, {
          at: { file: stream.name, offset: Math.min(start, length) },
          likely: "the file was cut off, or an offset in it is damaged",
        });
      }
      const bytes = new Uint8Array(end - start);
      for (let done = 0; done < bytes.length; ) {
        const at = (start + done) % SEGMENT_BYTES;
        const segment = segments[Math.floor((start + done) / SEGMENT_BYTES)]!;
        const piece = segment.subarray(at, Math.min(SEGMENT_BYTES, at + bytes.length - done));
        bytes.set(piece, done);
        done += piece.length;
      }
      return bytes;
    },
    close: async () => {
      segments.length = 0;
      length = 0;
    },
  };
}
