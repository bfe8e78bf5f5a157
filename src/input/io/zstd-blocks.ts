/**
 * Compresses and decompresses bytes in memory with Zstandard: with Node if it can (22.15), else with a WebAssembly
 * build, once it is loaded, or with `fzstd`, which only decompresses. Neither can go while Node below 22.15 is supported:
 * `fzstd` needs no loading and takes blocks of any size, and only WebAssembly compresses.
 *
 * @module
 */
import * as zlib from "node:zlib";
import type { Zstd } from "@hpcc-js/wasm-zstd";
import { decompress } from "fzstd";

type Native = (bytes: Uint8Array, options?: object) => Uint8Array;
const native = zlib as { zstdCompressSync?: Native; zstdDecompressSync?: Native };

/** Larger blocks are left to `fzstd`: WebAssembly's memory grows to hold them, and never shrinks. */
const MOST_IN_WASM = 2 ** 25;

let wasm: Zstd | undefined;

/** Loads the compressor, once for the process. */
export async function loadZstd(): Promise<(bytes: Uint8Array) => Uint8Array> {
  const { zstdCompressSync } = native;
  if (zstdCompressSync !== undefined) return (bytes) => zstdCompressSync(bytes);
  const zstd = await loadWasm();
  return (bytes) => compressInWasm(zstd, bytes);
}

/**
 * Makes {@link unzstdBlock} over three times as fast if Node has no zstd. Worth its 70 ms of CPU from a few dozen
 * blocks of 50 kB on.
 */
export async function loadFastUnzstd(): Promise<void> {
  if (native.zstdDecompressSync === undefined) wasm = await loadWasm();
}

let loading: Promise<Zstd> | undefined;

function loadWasm(): Promise<Zstd> {
  loading ??= import("@hpcc-js/wasm-zstd").then(({ Zstd }) => Zstd.load());
  return loading;
}

/**
 * @param length bytes of the result, which the caller has checked against the memory limit
 * @throws Error when the bytes are damaged, or the result has another length
 */
export function unzstdBlock(bytes: Uint8Array, length: number): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  const plain =
    native.zstdDecompressSync?.(bytes, { maxOutputLength: length }) ?? decompressInScript(bytes, length);
  if (plain.length !== length) throw new RangeError(`${plain.length} bytes instead of ${length}`);
  return plain;
}

/** `fzstd` fills the given array, and does not report too many or too few bytes. */
function decompressInScript(bytes: Uint8Array, length: number): Uint8Array {
  const declared = readContentSize(bytes);
  if (declared !== length) throw new RangeError(`${declared} bytes instead of ${length}`);
  if (wasm !== undefined && Math.max(bytes.length, length) <= MOST_IN_WASM)
    return decompressInWasm(wasm, bytes, length);
  return decompress(bytes, makeOutput(length));
}

/** The package's own `compress` prints an error and returns what it has. */
function compressInWasm(zstd: Zstd, bytes: Uint8Array): Uint8Array {
  const { codec } = openWasm(zstd);
  const room = codec.compressBound(bytes.length);
  const level = codec.defaultCLevel();
  return runInWasm(zstd, bytes, room, (to, from) => codec.compress(to, room, from, bytes.length, level));
}

function decompressInWasm(zstd: Zstd, bytes: Uint8Array, length: number): Uint8Array {
  const { codec } = openWasm(zstd);
  return runInWasm(zstd, bytes, length, (to, from) => codec.decompress(to, length, from, bytes.length));
}

/**
 * Bypasses the package's own calls, which spread a result into a list of numbers before copying it: that takes thirty
 * times as long as decompressing, and leaves garbage.
 *
 * @param room bytes that the result may have
 * @param run gets the addresses of both; returns the number of bytes made, or an error
 */
function runInWasm(
  zstd: Zstd,
  bytes: Uint8Array,
  room: number,
  run: (to: number, from: number) => number,
): Uint8Array {
  const { heap, codec } = openWasm(zstd);
  const given = heap.dataToHeap(bytes);
  const result = heap.malloc(room);
  try {
    const made = run(result.ptr, given.ptr);
    if (codec.isError(made)) throw new Error(codec.getErrorName(made));
    return heap.heapView({ ptr: result.ptr, size: made }).slice();
  } finally {
    heap.free(result);
    heap.free(given);
  }
}

/** Decodes one frame. */
export interface ZstdStream {
  /** What the header of the frame, or its next block, decodes to; less or nothing if it is damaged. */
  push(bytes: Uint8Array): Uint8Array;
  /** Leaves the decoder to the next frame. */
  close(): void;
}

/** Room for a block of 128 KiB, in and out, with its header and checksum. */
const STREAM_BYTES = 2 ** 17 + 64;

/** Several frames may be decoded at the same time, one per decoder. */
const decoders: StreamDecoder[] = [];

/** A stream in WebAssembly, three times as fast as `fzstd`; loading it takes 60 ms of CPU. */
export async function openZstdStream(): Promise<ZstdStream> {
  const { heap, makeDecoder } = openWasm(await loadWasm());
  const decoder = decoders.pop() ?? makeDecoder();
  decoder.reset();
  const packed = heap.malloc(STREAM_BYTES);
  const plain = heap.malloc(STREAM_BYTES);
  return {
    push(bytes) {
      heap.heapView({ ptr: packed.ptr, size: bytes.length }).set(bytes);
      const made = decoder.decompressChunk(plain.ptr, STREAM_BYTES, packed.ptr, bytes.length);
      return heap.heapView({ ptr: plain.ptr, size: made }).slice();
    },
    close() {
      heap.free(plain);
      heap.free(packed);
      decoders.push(decoder);
    },
  };
}

interface StreamDecoder {
  reset(): void;
  decompressChunk(to: number, room: number, from: number, length: number): number;
}

interface WasmBytes {
  readonly ptr: number;
  readonly size: number;
}

interface OpenedWasm {
  readonly heap: {
    dataToHeap(bytes: Uint8Array): WasmBytes;
    malloc(length: number): WasmBytes;
    free(bytes: WasmBytes): void;
    heapView(bytes: WasmBytes): Uint8Array;
  };
  readonly codec: {
    compress(to: number, room: number, from: number, length: number, level: number): number;
    compressBound(length: number): number;
    defaultCLevel(): number;
    decompress(to: number, room: number, from: number, length: number): number;
    isError(result: number): number;
    getErrorName(result: number): string;
  };
  readonly makeDecoder: () => StreamDecoder;
}

/** Fields that the package's types call private: its exact version is a dependency, and a test decompresses with them. */
function openWasm(zstd: Zstd): OpenedWasm {
  const {
    _mainModule: heap,
    _zstdClass: codec,
    _zstd: first,
  } = zstd as unknown as Record<"_mainModule" | "_zstdClass" | "_zstd", object>;
  const makeDecoder = () => new (first.constructor as new () => StreamDecoder)();
  return { heap, codec, makeDecoder } as unknown as OpenedWasm;
}

/** The content size in a frame's header (RFC 8878, 3.1.1.1); NaN when it has none, or is cut off. */
function readContentSize(bytes: Uint8Array): number {
  const flags = bytes[4] ?? 0;
  const isSingleSegment = (flags & 32) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3]!;
  const size = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6]!;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  if (size === 0) return Number.NaN;
  let value = size === 2 ? 256 : 0;
  for (let i = 0; i < size; i++) value += (bytes[at + i] ?? Number.NaN) * 256 ** i;
  return value;
}

/**
 * `fzstd` compares the array that it is given to write to with 1 (`w == 1`), which turns a plain array into a text of
 * all its numbers: that took three times as long as decompressing. This one becomes NaN at once.
 */
function makeOutput(length: number): Uint8Array {
  return Object.defineProperty(new Uint8Array(length), Symbol.toPrimitive, { value: () => Number.NaN });
}
