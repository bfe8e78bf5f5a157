import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeElements } from "./decode.ts";
import { columnMajorStrides, gatherElements, isRowMajor, rowMajorStrides, spanLength } from "./strides.ts";

const viewBytes = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

describe("decodeElements", () => {
  it("lays floats over aligned bytes without a copy", () => {
    const bytes = viewBytes(Float32Array.of(1, 2, 3));
    expect(decodeElements("float32", bytes).buffer).toBe(bytes.buffer);
    const shifted = new Uint8Array([0, ...bytes]).subarray(1);
    expect(decodeElements("float32", shifted)).toEqual(Float32Array.of(1, 2, 3));
    const pooled = Buffer.from([0, ...bytes]).subarray(1);
    expect(decodeElements("float32", pooled)).toEqual(Float32Array.of(1, 2, 3));
    expect(decodeElements("uint8", Buffer.of(1)).constructor).toBe(Uint8Array);
  });

  it("narrows 64-bit integers when all fit", () => {
    const int64 = (...values: bigint[]) => decodeElements("int64", viewBytes(BigInt64Array.from(values)));
    const uint64 = (...values: bigint[]) => decodeElements("uint64", viewBytes(BigUint64Array.from(values)));
    expect(int64(1n, -1n, 2n ** 31n - 1n, -(2n ** 31n))).toEqual(
      Int32Array.of(1, -1, 2 ** 31 - 1, -(2 ** 31)),
    );
    expect(int64(1n, 2n ** 31n)).toEqual(Float64Array.of(1, 2 ** 31));
    expect(int64(-(2n ** 31n) - 1n)).toEqual(Float64Array.of(-(2 ** 31) - 1));
    expect(int64(0xffff_ffffn, -(2n ** 63n))).toEqual(Float64Array.of(0xffff_ffff, -(2 ** 63)));
    expect(uint64(2n ** 31n - 1n)).toEqual(Int32Array.of(2 ** 31 - 1));
    expect(uint64(2n ** 31n)).toEqual(Float64Array.of(2 ** 31));
    expect(uint64(2n ** 64n - 1n, 2n ** 53n)).toEqual(Float64Array.of(2 ** 64, 2 ** 53));
    expect(int64()).toEqual(new Int32Array(0));
  });

  it("agrees with BigInt on any 64-bit integers", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -9n, max: 9n })),
        ),
        fc.boolean(),
        (values, big) => {
          const bytes = Buffer.alloc(values.length * 8);
          for (const [i, value] of values.entries()) {
            if (big) bytes.writeBigInt64BE(value, i * 8);
            else bytes.writeBigInt64LE(value, i * 8);
          }
          const read = decodeElements("int64", bytes, !big);
          expect(Array.from(read)).toEqual(values.map(Number));
          const fits = values.every((value) => BigInt.asIntN(32, value) === value);
          expect(read).toBeInstanceOf(fits ? Int32Array : Float64Array);
        },
      ),
      { seed: 2 },
    );
  });

  it("sees the one of many 64-bit integers that does not fit, wherever it is", () => {
    const fits = [0n, 1n, 2n ** 31n - 1n, 150_000n];
    const signed = [...fits, -1n, -(2n ** 31n)];
    const large = [2n ** 31n, 2n ** 32n, 2n ** 32n + 5n, 2n ** 63n - 1n];
    const kind = fc.constantFrom(
      { dtype: "int64" as const, Column: BigInt64Array, fits: signed, others: [...large, -(2n ** 31n) - 1n] },
      { dtype: "uint64" as const, Column: BigUint64Array, fits, others: [...large, 2n ** 64n - 1n] },
    );
    const length = fc.integer({ min: 4090, max: 13_000 });
    fc.assert(
      fc.property(kind, length, fc.nat(), fc.nat(9), ({ dtype, Column, fits, others }, length, at, which) => {
        const values = Column.from(Array.from({ length }, (_, i) => fits[(i * 7 + at) % fits.length]!));
        const read = () => decodeElements(dtype, viewBytes(values.slice()));
        expect(read()).toEqual(Int32Array.from(values, Number));
        values[at % length] = others[which % others.length]!;
        expect(read()).toEqual(Float64Array.from(values, Number));
      }),
      { numRuns: 40 },
    );
  });

  it("widens every float16 and bfloat16 exactly", () => {
    const all = Uint16Array.from({ length: 65_536 }, (_, i) => i);
    const half = (bits: number): number => {
      const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
      if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
      return sign * 2 ** (Math.max(exponent, 1) - 15) * ((exponent ? 1 : 0) + fraction / 1024);
    };
    expect(decodeElements("float16", viewBytes(all))).toEqual(Float32Array.from(all, half));
    const top = new DataView(new ArrayBuffer(4));
    const expected = Float32Array.from(all, (bits) => {
      top.setUint32(0, bits * 65_536);
      return top.getFloat32(0);
    });
    expect(decodeElements("bfloat16", viewBytes(all))).toEqual(expected);
    const odd = all.subarray(15_001, 15_004);
    expect(decodeElements("bfloat16", viewBytes(odd))).toEqual(expected.slice(15_001, 15_004));
    expect(decodeElements("float16", viewBytes(odd))).toEqual(Float32Array.from(odd, half));
  });
});

describe("strides", () => {
  it("collect any permutation of any dense array", () => {
    const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });
    fc.assert(
      fc.property(shapes, fc.constantFrom(1, 2, 4, 8, 12), fc.boolean(), (shape, width, reverse) => {
        const strides = reverse ? columnMajorStrides(shape) : rowMajorStrides(shape);
        const count = shape.reduce((product, size) => product * size, 1);
        const span = Uint8Array.from({ length: count * width }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24);
        expect(spanLength(shape, strides)).toBe(count);
        const expected: number[] = [];
        const walk = (d: number, at: number): void => {
          if (d === shape.length) expected.push(...span.subarray(at * width, (at + 1) * width));
          else for (let i = 0; i < shape[d]!; i++) walk(d + 1, at + i * strides[d]!);
        };
        walk(0, 0);
        expect(Array.from(gatherElements(span, width, shape, strides))).toEqual(expected);
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it("know what is row-major already", () => {
    expect(isRowMajor([2, 3], [3, 1])).toBe(true);
    expect(isRowMajor([1, 3], [7, 1])).toBe(true);
    expect(isRowMajor([2, 3], [1, 2])).toBe(false);
    expect(isRowMajor([2, 3], [0, 1])).toBe(false);
    expect(isRowMajor([], [])).toBe(true);
    expect(isRowMajor([0, 3], [1, 1])).toBe(true);
  });
});
