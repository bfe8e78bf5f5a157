import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32Kernel } from "../../core/kernels/wasm/crc32-kernel.ts";
import { crc32, crc32Scalar } from "./crc32.ts";

/** More than twice as long as what is folded at a time. */
const LONGEST = 2 * (crc32Kernel()!.bytes.length + crc32Kernel()!.window) + 100;
const lengths = fc.oneof(fc.integer({ min: 16_000, max: LONGEST }), fc.integer({ min: 0, max: 100 }));
const seeds = fc.oneof(fc.constantFrom(0, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff }));

function drawBytes(length: number, seed: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

describe.each([
  ["by folding", crc32],
  ["byte by byte", crc32Scalar],
])("CRC-32 %s", (_, checksum) => {
  it("is that of zlib for any length, place in memory and start", () => {
    fc.assert(
      fc.property(lengths, fc.nat({ max: 40 }), seeds, (length, offset, seed) => {
        const bytes = drawBytes(offset + length, length).subarray(offset);
        expect(checksum(bytes, seed)).toBe(zlib.crc32(bytes, seed));
      }),
      { numRuns: 300 },
    );
  });

  it("continues", () => {
    fc.assert(
      fc.property(lengths, lengths, (first, second) => {
        const bytes = drawBytes(first + second, first);
        const sum = checksum(bytes.subarray(first), checksum(bytes.subarray(0, first), 0));
        expect(sum).toBe(zlib.crc32(bytes));
      }),
    );
  });

  it("has the check value", () => {
    expect(checksum(Buffer.from("123456789"), 0)).toBe(0xcbf43926);
  });
});

it("leaves the bytes as they are", () => {
  const bytes = drawBytes(LONGEST, 1);
  const before = bytes.slice();
  crc32(bytes, 0);
  expect(bytes).toEqual(before);
});

it("sees any bit that changes, wherever its vector is folded to", () => {
  const bytes = drawBytes(LONGEST, 2);
  const sum = crc32(bytes, 0);
  for (let at = 0; at < LONGEST; at += 613) {
    bytes[at]! ^= 1 << (at % 8);
    expect(crc32(bytes, 0), `byte ${at}`).not.toBe(sum);
    bytes[at]! ^= 1 << (at % 8);
  }
});

it("folds by a multiple of the polynomial of CRC-32", () => {
  const exponents = [0, 89, 117, 155, 300].map((vectors) => 128 * vectors);
  // Horner's rule in GF(2)[x] modulo the polynomial.
  let remainder = 0;
  for (let exponent = exponents.at(-1)!; exponent >= 0; exponent--) {
    remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0) ^ (exponents.includes(exponent) ? 1 : 0);
  }
  expect(remainder).toBe(0);
});
