/**
 * Zstandard, any number of frames (RFC 8878). Frames and blocks are walked here, to locate a cut, a hostile window or
 * a wrong checksum; blocks are decoded by Node's zlib if it can, else in WebAssembly (large frames) or by `fzstd`.
 *
 * @module
 */
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { Decompress } from "fzstd";
import { FormatError, LimitError, UnsupportedError } from "../../core/base/index.ts";
import { cutOff } from "./decompress-errors.ts";
import { pump } from "./decompress-pump.ts";
import { createXxHash64, type XxHash64 } from "./decompress-xxhash.ts";
import { openZstdStream } from "./zstd-blocks.ts";

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a5;
/** The largest window that zstd decodes by default (ZSTD_WINDOWLOG_LIMIT_DEFAULT). */
const MAX_ZSTD_WINDOW_BYTES = 2 ** 27;
const MAX_BLOCK_BYTES = 128 * 1024;
/** From this size on, WebAssembly's speed is worth loading it; its memory never shrinks, so windows are limited. */
const LARGE_FRAME_BYTES = 2 ** 23;
const MOST_WASM_WINDOW = 2 ** 25;
/** fzstd parses a frame's header only once it has this many bytes. */
const FIRST_PUSH_BYTES = 18;

/** Node has it since 22.15 and 23.8. */
const createNative = (zlib as { createZstdDecompress?: (options?: zlib.ZlibOptions) => Transform })
  .createZstdDecompress;

interface Frame {
  readonly header: Uint8Array;
  readonly window: number;
  /** Number of decoded bytes, if its header has it. */
  readonly content: number | undefined;
  readonly checksum: boolean;
  readonly start: number;
}

interface Taker {
  /** Bytes of the compressed file consumed so far. */
  readonly offset: () => number;
  /** Exactly `count` bytes; undefined at the end of the file; throws when the file ends within them. */
  take(count: number, what: string): Promise<Uint8Array | undefined>;
}

function createTaker(input: AsyncIterator<Uint8Array>, name: string): Taker {
  let chunk: Uint8Array = new Uint8Array(0);
  let pos = 0;
  let offset = 0;

  const take = async (count: number, what: string): Promise<Uint8Array | undefined> => {
    if (pos + count <= chunk.length) {
      pos += count;
      offset += count;
      return chunk.subarray(pos - count, pos);
    }
    const taken = new Uint8Array(Math.min(count, 2 * MAX_BLOCK_BYTES));
    let done = 0;
    while (done < count) {
      if (pos === chunk.length) {
        const next = await input.next();
        if (next.done === true) break;
        chunk = next.value;
        pos = 0;
      }
      const length = Math.min(count - done, chunk.length - pos);
      // Skippable frames may be too large to keep in memory.
      if (done + length <= taken.length) taken.set(chunk.subarray(pos, pos + length), done);
      pos += length;
      done += length;
    }
    offset += done;
    if (done === count) return taken;
    if (done === 0) return undefined;
    throw cutOff("zstd", `${what} of ${count} bytes, of which ${done} are present`, { name, offset });
  };
  return { offset: () => offset, take };
}

/**
 * Decompressed bytes of a zstd file.
 *
 * @throws FormatError after the bytes before the fault, with the offset in the compressed file: a cut-off end, data
 * that does not decode, a wrong checksum
 * @throws LimitError if a frame needs a window above {@link MAX_ZSTD_WINDOW_BYTES}
 * @throws UnsupportedError if a frame was made with a dictionary
 */
export async function* unzstd(
  input: AsyncIterable<Uint8Array>,
  name: string,
  native: boolean = createNative !== undefined,
  wasmFrom: number = LARGE_FRAME_BYTES,
): AsyncGenerator<Uint8Array> {
  const chunks = input[Symbol.asyncIterator]();
  const taker = createTaker(chunks, name);
  try {
    for (;;) {
      const frame = await nextFrame(taker, name);
      if (frame === undefined) return;
      const isLarge = frame.window <= MOST_WASM_WINDOW && (frame.content ?? -1) >= wasmFrom;
      const decode = native ? decodeNatively : isLarge ? decodeInWasm : decodeInScript;
      yield* decode(taker, frame, name);
    }
  } finally {
    await chunks.return?.();
  }
}

async function nextFrame(taker: Taker, name: string): Promise<Frame | undefined> {
  for (;;) {
    const start = taker.offset();
    const magic = await taker.take(4, "a frame's magic number");
    if (magic === undefined) return undefined;
    const number = uint(magic, 0, 4);
    if (number === FRAME_MAGIC) return { ...(await frameHeader(taker, magic, name)), start };
    if (Math.floor(number / 16) !== SKIPPABLE_MAGIC) {
      throw damaged(name, start, "other data where a frame should start");
    }
    const size = await must(taker, 4, "a skippable frame's header", name);
    const bytes = uint(size, 0, 4);
    if (bytes > 0) await must(taker, bytes, "a skippable frame", name);
  }
}

async function frameHeader(taker: Taker, magic: Uint8Array, name: string): Promise<Omit<Frame, "start">> {
  const at = { file: name, offset: taker.offset() - 4 };
  const descriptor = (await must(taker, 1, "a frame's header", name)).slice();
  const flags = descriptor[0]!;
  const single = (flags >> 5) & 1;
  const idBytes = [0, 1, 2, 4][flags & 3]!;
  const sizeBytes = [single, 2, 4, 8][flags >> 6]!;
  const rest = await must(taker, 1 - single + idBytes + sizeBytes, "a frame's header", name);
  if (flags & 8) throw damaged(name, at.offset, "a reserved bit is set in a frame's header");
  if (uint(rest, 1 - single, idBytes) !== 0) {
    throw new UnsupportedError(
      `zstd frame needs dictionary ${uint(rest, 1 - single, idBytes)}, which is not in the file`,
      {
        at,
        hint: "recompress it without a dictionary",
      },
    );
  }
  const exponent = rest[0]! >> 3;
  const window = single
    ? uint(rest, idBytes, sizeBytes) + (sizeBytes === 2 ? 256 : 0)
    : 2 ** (10 + exponent) * (1 + (rest[0]! & 7) / 8);
  if (window > MAX_ZSTD_WINDOW_BYTES) {
    throw new LimitError(
      `zstd frame needs a window of ${window} bytes; the limit is ${MAX_ZSTD_WINDOW_BYTES}`,
      {
        needed: window,
        limit: MAX_ZSTD_WINDOW_BYTES,
        at,
        likely: "it was made with zstd --long or --ultra, or its header is damaged",
        hint: "recompress it without those options",
      },
    );
  }
  const size = uint(rest, 1 - single + idBytes, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  return {
    header: Buffer.concat([magic, descriptor, rest]),
    checksum: (flags & 4) !== 0,
    window,
    content: sizeBytes === 0 ? undefined : size,
  };
}

/** The frame's blocks including headers; the last one includes the checksum. */
async function* blocks(taker: Taker, frame: Frame, name: string): AsyncGenerator<Uint8Array> {
  for (;;) {
    const header = (await must(taker, 3, "a block's header", name)).slice();
    const value = uint(header, 0, 3);
    const type = (value >> 1) & 3;
    const size = value >> 3;
    if (type === 3 || size > MAX_BLOCK_BYTES) {
      const what =
        type === 3 ? "a block of a reserved type" : `a block of ${size} bytes, above ${MAX_BLOCK_BYTES}`;
      throw damaged(name, taker.offset() - 3, what);
    }
    const content = type === 1 ? 1 : size;
    const parts = [header, content === 0 ? header.subarray(3) : await must(taker, content, "a block", name)];
    const last = (value & 1) === 1;
    if (last && frame.checksum) {
      parts[1] = parts[1]!.slice();
      parts.push(await must(taker, 4, "a frame's checksum", name));
    }
    yield Buffer.concat(parts);
    if (last) return;
  }
}

async function* decodeInScript(taker: Taker, frame: Frame, name: string): AsyncGenerator<Uint8Array> {
  let made: Uint8Array[] = [];
  const decoder = new Decompress((chunk) => {
    if (chunk.length > 0) made.push(chunk);
  });
  const hash = frame.checksum ? createXxHash64() : undefined;
  let held = frame.header;
  let before = taker.offset();
  let tail = held;

  const push = function* (bytes: Uint8Array, final: boolean): Generator<Uint8Array> {
    try {
      decoder.push(bytes, final);
    } catch (cause) {
      throw damaged(name, before, cause instanceof Error ? cause.message : "it does not decode", cause);
    } finally {
      before = taker.offset();
    }
    for (const chunk of made) {
      hash?.update(chunk);
      yield chunk;
    }
    made = [];
  };

  for await (const block of blocks(taker, frame, name)) {
    tail = block;
    held = held.length === 0 ? block : Buffer.concat([held, block]);
    if (held.length < FIRST_PUSH_BYTES) continue;
    yield* push(held, false);
    held = held.subarray(held.length);
  }
  // At this point fzstd only holds a whole frame that is shorter than its first read.
  if (held.length > 0) yield* push(held, true);
  checkHash(hash, tail, taker, name);
}

/**
 * For a frame whose content size is known. The package does not report zstd's errors, so its output is checked here.
 */
async function* decodeInWasm(taker: Taker, frame: Frame, name: string): AsyncGenerator<Uint8Array> {
  const stream = await openZstdStream();
  const hash = frame.checksum ? createXxHash64() : undefined;
  let before = taker.offset();
  let tail = frame.header;
  let made = 0;
  try {
    // Clears the checksum flag: with a wrong checksum, the last block would not come out.
    stream.push(frame.header.map((byte, i) => (i === 4 ? byte & ~4 : byte)));
    for await (const block of blocks(taker, frame, name)) {
      const isLast = (block[0]! & 1) === 1;
      const plain = stream.push(isLast && frame.checksum ? block.subarray(0, -4) : block);
      // After a fault no more output comes. An empty block has no output.
      if (plain.length === 0 && made < frame.content! && uint(block, 0, 3) >>> 3 > 0)
        throw damaged(name, before, "a block does not decode");
      before = taker.offset();
      tail = block;
      made += plain.length;
      hash?.update(plain);
      if (plain.length > 0) yield plain;
    }
    if (made !== frame.content) throw damaged(name, before, `${made} bytes instead of ${frame.content}`);
    checkHash(hash, tail, taker, name);
  } finally {
    stream.close();
  }
}

/** @param tail the last block, which ends with the checksum */
function checkHash(hash: XxHash64 | undefined, tail: Uint8Array, taker: Taker, name: string): void {
  if (hash !== undefined && Number(BigInt.asUintN(32, hash.digest())) !== uint(tail, tail.length - 4, 4)) {
    throw wrongChecksum(taker, name, undefined);
  }
}

async function* decodeNatively(taker: Taker, frame: Frame, name: string): AsyncGenerator<Uint8Array> {
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield frame.header;
    yield* blocks(taker, frame, name);
  }
  const stream = createNative!({ chunkSize: 2 * MAX_BLOCK_BYTES });
  yield* pump(stream, whole(), (cause) => {
    if ((cause as { code?: string }).code === "ZSTD_error_checksum_wrong")
      return wrongChecksum(taker, name, cause);
    return damaged(
      name,
      taker.offset(),
      cause instanceof Error ? cause.message : "it does not decode",
      cause,
    );
  });
}

async function must(taker: Taker, count: number, what: string, name: string): Promise<Uint8Array> {
  if (count === 0) return new Uint8Array(0);
  const bytes = await taker.take(count, what);
  if (bytes !== undefined) return bytes;
  throw cutOff("zstd", `${what} of ${count} bytes, of which 0 are present`, { name, offset: taker.offset() });
}

/** Little-endian; exact up to 2^53, which is far above every limit here. */
function uint(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + bytes[start + i]!;
  return value;
}

function wrongChecksum(taker: Taker, name: string, cause: unknown): FormatError {
  return damaged(name, taker.offset() - 4, "a frame's checksum does not match its content", cause);
}

function damaged(name: string, offset: number, what: string, cause?: unknown): FormatError {
  return new FormatError(`zstd data is damaged near byte ${offset}: ${what}`, {
    at: { file: name, offset },
    likely: "the file was damaged in a copy, or something else was appended to it",
    hint: "copy the file again; zstd -t says whether it is intact",
    cause,
  });
}
