/**
 * Bytes from front to back, plain or in gzip or zstd, from a file or from a stream that cannot seek (standard input).
 * The content decides on the compression, not the file's name.
 *
 * The decompressed total has no limit, because no reader holds it: readers limit the size of one value.
 *
 * @module
 */
import { LimitError, memoryLimit, UnsupportedError } from "../../core/base/index.ts";
import type { ByteSource, Compression } from "./byte-source.ts";
import { reuseMemory } from "./reused-memory.ts";
import { openSeekable } from "./seekable.ts";

/** Bytes that can be read once, from front to back. */
export interface ByteStream {
  /** The path as the user wrote it; `-` for standard input. */
  readonly name: string;
  /** The decompressed bytes, in pieces; may be read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Decompressed bytes whose beginning has been read. */
export interface PlainStream extends ByteStream {
  readonly compression: Compression;
  /** The first decompressed bytes, including some after leading white space; `bytes` yields them again. */
  readonly head: Uint8Array;
  /** From now on, requesting the next chunk of `bytes` may overwrite the last one. The head stays. */
  reuseMemory(): void;
  /** Random access to the same bytes; undefined for a stream, and for a compression that allows none. */
  seek(): Promise<ByteSource | undefined>;
  /** Abandons `bytes`; their source stays open. */
  close(): Promise<void>;
}

export const CHUNK_BYTES = 1 << 20;
const MAGIC_BYTES = 10;
const DEFAULT_HEAD_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Leading white space of a text that is held until the text begins. */
const MOST_SPACE = 64 * 2 ** 20;

/** Recognizes the compression by the first bytes; ten are enough. */
export function sniffCompression(head: Uint8Array): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  const frame = head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
  // A skippable frame may come first (pzstd writes one).
  const skippable = (head[0]! & 0xf0) === 0x50 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18;
  return frame || skippable ? "zstd" : "none";
}

const UNREAD = [
  { name: "xz", tool: "xz -d", magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  {
    name: "bzip2",
    tool: "bzip2 -d",
    magic: [0x42, 0x5a, 0x68, undefined, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  },
  { name: "lz4", tool: "lz4 -d", magic: [0x04, 0x22, 0x4d, 0x18] },
];

function refuseOthers(head: Uint8Array, name: string): void {
  for (const { name: format, tool, magic } of UNREAD) {
    if (!magic.every((byte, i) => byte === undefined || head[i] === byte)) continue;
    throw new UnsupportedError(`the file is compressed with ${format}; gzip and zstd are read`, {
      at: { file: name },
      hint: `decompress it first: ${tool}`,
    });
  }
}

/**
 * The bytes of a source in chunks of `chunkBytes`; the next is fetched while one is used.
 *
 * @param isReused whether a new chunk may overwrite the chunk before the last
 */
export async function* sourceChunks(
  source: ByteSource,
  chunkBytes: number = CHUNK_BYTES,
  isReused: () => boolean = () => false,
): AsyncGenerator<Uint8Array> {
  let [memory, other] = [reuseMemory(), reuseMemory()];
  const fetch = (start: number): Promise<Uint8Array> | undefined => {
    if (start >= source.byteLength) return undefined;
    const end = Math.min(start + chunkBytes, source.byteLength);
    const slice = source.slice(start, end, isReused() ? memory.allocate : undefined);
    [memory, other] = [other, memory];
    // The awaiting code sees the error; a reader that stops early must not leave it unhandled.
    slice.catch(() => {});
    return slice;
  };
  let pending = fetch(0);
  try {
    for (let start = chunkBytes; pending !== undefined; start += chunkBytes) {
      const chunk: Uint8Array = await pending;
      pending = fetch(start);
      yield chunk;
    }
  } finally {
    // Memory that is still being filled is not given to others.
    if (pending === undefined) {
      memory.release();
      other.release();
    }
  }
}

/**
 * Decompressed bytes of a file or stream; unchanged if it is not compressed.
 *
 * @throws FormatError after the bytes before the fault, `at.offset` in the compressed file
 * @throws UnsupportedError if it has an unsupported compression
 */
export async function* decompress(input: ByteSource | ByteStream): AsyncGenerator<Uint8Array> {
  const plain = await openPlain(input, MAGIC_BYTES);
  try {
    yield* plain.bytes;
  } finally {
    await plain.close();
  }
}

/**
 * Reads the first decompressed bytes of a file or stream. A fault after at least one byte is left to `bytes`.
 *
 * @throws FormatError if there is a fault before the first byte
 * @throws UnsupportedError if its compression is not supported
 */
export async function openPlain(
  input: ByteSource | ByteStream,
  headBytes: number = DEFAULT_HEAD_BYTES,
): Promise<PlainStream> {
  let isReused = false;
  let bytes = peekable("bytes" in input ? input.bytes : sourceChunks(input, CHUNK_BYTES, () => isReused));
  await bytes.fill(MAGIC_BYTES);
  const magic = bytes.head(MAGIC_BYTES);
  refuseOthers(magic, input.name);
  const compression = sniffCompression(magic);
  // Each is loaded with the first file that is compressed so.
  if (compression === "gzip") {
    const { gunzip } = await import("./decompress-gzip.ts");
    bytes = peekable(gunzip(bytes.all(), input.name));
  } else if (compression === "zstd") {
    const { unzstd } = await import("./decompress-zstd.ts");
    bytes = peekable(unzstd(bytes.all(), input.name));
  }
  await bytes.fill(headBytes);
  // White space tells nothing, and text may begin with any amount of it.
  const space = headBytes > MAGIC_BYTES ? await bytes.countSpace(input.name) : 0;
  if (space >= headBytes) await bytes.fill(space + headBytes);
  return {
    name: input.name,
    compression,
    head: bytes.head(space < headBytes ? headBytes : space + headBytes),
    bytes: bytes.all(),
    reuseMemory() {
      // Decompressed bytes have memory of their own.
      if (compression !== "none") return;
      isReused = true;
      if ("reuseMemory" in input) (input as PlainStream).reuseMemory();
    },
    async seek() {
      if ("seek" in input) return (input as PlainStream).seek();
      return "bytes" in input ? undefined : openSeekable(input, compression);
    },
    close: bytes.close,
  };
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

interface Peekable {
  /** Reads until `count` bytes are held or the input ends. */
  fill(count: number): Promise<void>;
  head(count: number): Uint8Array;
  /**
   * Bytes of white space at the beginning, including a byte order mark; reads past them. @throws LimitError when there
   * are too many to hold
   */
  countSpace(name: string): Promise<number>;
  /** Everything from the first byte on, once. */
  all(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

function peekable(input: AsyncIterable<Uint8Array>): Peekable {
  const chunks = input[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let count = 0;
  let failure: { readonly error: unknown } | undefined;
  let ended = false;

  const close = async (): Promise<void> => {
    held.length = 0;
    ended = true;
    await chunks.return?.();
  };
  const fill = async (wanted: number): Promise<void> => {
    while (count < wanted && !ended) {
      try {
        const next = await chunks.next();
        if (next.done === true) ended = true;
        else {
          held.push(next.value);
          count += next.value.length;
        }
      } catch (error) {
        // Bytes before a fault are still yielded.
        failure = { error };
        ended = true;
      }
    }
    if (failure !== undefined && count === 0) throw failure.error;
  };
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift()) yield chunk;
      if (failure !== undefined) throw failure.error;
      while (!ended) {
        const next = await chunks.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await close();
    }
  }
  const head = (wanted: number): Uint8Array => {
    const first = held[0];
    if (first !== undefined && first.length >= wanted) return first.subarray(0, wanted);
    return Buffer.concat(held).subarray(0, wanted);
  };
  const countSpace = async (name: string): Promise<number> => {
    const most = Math.min(MOST_SPACE, memoryLimit());
    const mark = head(3);
    const marked = BYTE_ORDER_MARK.every((byte, at) => mark[at] === byte) ? BYTE_ORDER_MARK.length : 0;
    let total = 0;
    for (let i = 0; ; i++) {
      if (i === held.length) await fill(count + 1);
      const chunk = held[i];
      if (chunk === undefined) return total;
      const end = chunk.findIndex((byte, at) => total + at >= marked && !isSpace(byte));
      if (end >= 0) return total + end;
      total += chunk.length;
      if (total > most)
        throw new LimitError(`the file begins with more than ${most} bytes of white space`, {
          limit: most,
          at: { file: name, offset: most },
          likely: "the file was crafted, or the job that should write it wrote nothing but line ends",
          hint: "remove the white space in front of the first row",
        });
    }
  };
  return { fill, head, countSpace, all, close };
}
