/** The polynomial of Castagnoli, its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

/** Tables for a byte followed by 0 to 7 zero bytes: "slicing by 8" (Kounavis and Berry, ISCC 2005). */
const TABLES: Int32Array[] = [];
for (let after = 0; after < 8; after++) {
  TABLES.push(
    Int32Array.from({ length: 256 }, (_, byte) => {
      let rest = TABLES[after - 1]?.[byte] ?? byte;
      for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
      return rest;
    }),
  );
}
const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/** CRC-32C (RFC 3720, B.4), from 0 to 2^32 − 1. */
export function crc32c(data: Uint8Array): number {
  let rest = -1;
  let at = 0;
  for (; at + 8 <= data.length; at += 8) {
    const first = rest ^ (data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24));
    rest =
      T7[first & 255]! ^
      T6[(first >>> 8) & 255]! ^
      T5[(first >>> 16) & 255]! ^
      T4[first >>> 24]! ^
      T3[data[at + 4]!]! ^
      T2[data[at + 5]!]! ^
      T1[data[at + 6]!]! ^
      T0[data[at + 7]!]!;
  }
  for (; at < data.length; at++) rest = T0[(rest ^ data[at]!) & 255]! ^ (rest >>> 8);
  return ~rest >>> 0;
}

/** Unmasks a checksum of TFRecord, which is rotated by 15 bits with a constant added. */
export function unmaskChecksum(masked: number): number {
  const turned = (masked - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}
