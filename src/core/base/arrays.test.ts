import { describe, expect, it } from "vitest";
import { compactFloats, isNumericArray } from "./arrays.ts";

describe("isNumericArray", () => {
  it("takes every typed array whose elements are numbers", () => {
    for (const array of [
      new Float32Array(1),
      new Float64Array(1),
      new Int8Array(1),
      new Int16Array(1),
      new Int32Array(1),
      new Uint8Array(1),
      new Uint16Array(1),
      new Uint32Array(1),
    ]) {
      expect(isNumericArray(array)).toBe(true);
    }
  });

  it("refuses 64-bit integers, views without elements, buffers and lists", () => {
    for (const other of [
      new BigInt64Array(1),
      new BigUint64Array(1),
      new DataView(new ArrayBuffer(8)),
      new ArrayBuffer(8),
      [1, 2],
      null,
    ]) {
      expect(isNumericArray(other)).toBe(false);
    }
  });
});

describe("compactFloats", () => {
  it("keeps single precision where it holds every value, NaN and infinities too", () => {
    const values = [0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, -3];
    const compact = compactFloats(values);
    expect(compact).toBeInstanceOf(Float32Array);
    expect([...compact]).toEqual(values);
  });

  it("takes double precision as soon as one value needs it, wherever that stands", () => {
    for (const values of [[0.1], [0.5, 0.1], [0.1, 0.5], [Number.NaN, 1e300]]) {
      const compact = compactFloats(values);
      expect(compact).toBeInstanceOf(Float64Array);
      expect([...compact]).toEqual(values);
    }
  });

  it("of nothing is empty", () => {
    expect(compactFloats([])).toEqual(new Float32Array(0));
  });
});
