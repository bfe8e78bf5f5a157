import * as zlib from "node:zlib";

/** CRC-32 (IEEE 802.3) of `bytes`, continued from `seed`. */
export type Crc32 = (bytes: Uint8Array, seed: number) => number;

const TABLE = buildTable();

function buildTable(): Int32Array {
  const table = new Int32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    table[n] = c;
  }
  return table;
}

/** The definition, byte by byte; used when Node has no `zlib.crc32` (before 20.15). */
export const crc32Scalar: Crc32 = (bytes, seed) => {
  let c = ~seed;
  for (let i = 0; i < bytes.length; i++) c = TABLE[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
};

export const crc32: Crc32 = typeof zlib.crc32 === "function" ? zlib.crc32 : crc32Scalar;
