/** The polynomial of Castagnoli, its bits reversed. */
const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
  return rest;
});

/** CRC-32C (RFC 3720, B.4), from 0 to 2^32 − 1. */
export function crc32c(data: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of data) rest = (TABLE[(rest ^ byte) & 0xff] as number) ^ (rest >>> 8);
  return ~rest >>> 0;
}

/** A checksum from how TFRecord writes it: turned by 15 bits, and with a constant added. */
export function unmaskChecksum(masked: number): number {
  const turned = (masked - 0xa282ead8) >>> 0;
  return ((turned >>> 17) | (turned << 15)) >>> 0;
}
