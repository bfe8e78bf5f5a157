/**
 * Zstandard for bytes that are in memory, to and fro: Node's own where it has it (22.15), else a WebAssembly build to compress
 * and `fzstd` to decompress.
 *
 * @module
 */
import * as zlib from "node:zlib";
import { decompress } from "fzstd";

type Native = (bytes: Uint8Array, options?: object) => Uint8Array;
const native = zlib as { zstdCompressSync?: Native; zstdDecompressSync?: Native };

/** Loads the compressor, once for the process. */
export async function loadZstd(): Promise<(bytes: Uint8Array) => Uint8Array> {
  const { zstdCompressSync } = native;
  if (zstdCompressSync !== undefined) return (bytes) => zstdCompressSync(bytes);
  const { Zstd } = await import("@hpcc-js/wasm-zstd");
  const zstd = await Zstd.load();
  return (bytes) => zstd.compress(bytes);
}

/**
 * @param length of what comes out, which the caller has checked against the memory there is
 * @throws Error when the bytes are not that
 */
export function unzstdBlock(bytes: Uint8Array, length: number): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  const plain =
    native.zstdDecompressSync?.(bytes, { maxOutputLength: length }) ??
    decompress(bytes, new Uint8Array(length));
  if (plain.length !== length) throw new RangeError(`${plain.length} bytes instead of ${length}`);
  return plain;
}
