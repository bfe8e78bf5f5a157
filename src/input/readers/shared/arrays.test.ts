import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { parseNumpyType } from "./numpy-type.ts";
import { countElements } from "./shape.ts";
import { isPickle } from "./sniff.ts";
import { columnMajorStrides, gatherElements, isRowMajor, rowMajorStrides, spanLength } from "./strides.ts";

const AT = { file: "a.npy" };

function refusal(run: () => unknown): object {
  try {
    run();
  } catch (error) {
    if (isLogratioError(error))
      return { tag: error._tag, message: error.message, hint: error.hint, at: error.at };
    throw error;
  }
  throw new Error("it was read");
}

describe("NumPy's type codes", () => {
  it.each<[code: string, type: object]>([
    ["<f2", { kind: "fixed", dtype: "float16", littleEndian: true }],
    ["<f4", { kind: "fixed", dtype: "float32", littleEndian: true }],
    [">f8", { kind: "fixed", dtype: "float64", littleEndian: false }],
    ["i1", { kind: "fixed", dtype: "int8", littleEndian: true }],
    ["=i2", { kind: "fixed", dtype: "int16", littleEndian: true }],
    ["<i4", { kind: "fixed", dtype: "int32", littleEndian: true }],
    ["<i8", { kind: "fixed", dtype: "int64", littleEndian: true }],
    ["|u1", { kind: "fixed", dtype: "uint8", littleEndian: true }],
    [">u2", { kind: "fixed", dtype: "uint16", littleEndian: false }],
    ["<u4", { kind: "fixed", dtype: "uint32", littleEndian: true }],
    ["<u8", { kind: "fixed", dtype: "uint64", littleEndian: true }],
    ["|b1", { kind: "fixed", dtype: "bool", littleEndian: true }],
    ["?", { kind: "fixed", dtype: "bool", littleEndian: true }],
    ["|O", { kind: "object" }],
    ["|O8", { kind: "object" }],
    ["<U5", { kind: "string", layout: { unit: "ucs4", itemBytes: 20, littleEndian: true } }],
    [">U1", { kind: "string", layout: { unit: "ucs4", itemBytes: 4, littleEndian: false } }],
    ["|S5", { kind: "string", layout: { unit: "byte", itemBytes: 5, littleEndian: true } }],
    ["|a3", { kind: "string", layout: { unit: "byte", itemBytes: 3, littleEndian: true } }],
  ])("%s", (code, type) => {
    expect(parseNumpyType(code, AT)).toEqual(type);
  });

  it.each<[code: string, hint: string | undefined]>([
    ["<c8", "save its .real and .imag as two arrays"],
    ["<M8[ns]", "save it as .astype('int64') or as strings"],
    ["<m8[ns]", "save it as .astype('int64')"],
    ["|V2", "save bfloat16 arrays as .astype('float32'), and the fields of a record array one by one"],
    ["<f16", "save it as .astype('float64')"],
    ["<i16", undefined],
    ["<f4x", "save it as .astype('float64')"],
    ["<U5x", undefined],
    ["<q8", undefined],
  ])("%s is not read, with what to do instead: %s", (code, hint) => {
    expect(refusal(() => parseNumpyType(code, AT))).toEqual({
      tag: "UnsupportedError",
      message: `arrays of NumPy type "${code}" are not read`,
      hint,
      at: AT,
    });
  });

  it.each(["", "<", "4", "<<f4", "~f4"])("%j is none", (code) => {
    expect(refusal(() => parseNumpyType(code, AT))).toMatchObject({
      tag: "FormatError",
      message: `"${code}" is not a NumPy type`,
      at: AT,
    });
  });
});

describe("the number of elements", () => {
  it.each<[shape: number[], count: number]>([
    [[], 1],
    [[3], 3],
    [[2, 3, 4], 24],
    [[0], 0],
    [[2 ** 50, 0, 2 ** 50], 0],
    [[2 ** 48], 2 ** 48],
    [Array<number>(64).fill(1), 1],
  ])("of %j is %d", (shape, count) => {
    expect(countElements("x", shape, AT)).toBe(count);
  });

  it.each<[shape: number[], tag: string, message: string]>([
    [[-1], "FormatError", "x declares the shape [-1]; -1 is not a size"],
    [[1.5], "FormatError", "x declares the shape [1.5]; 1.5 is not a size"],
    [[0, -1], "FormatError", "x declares the shape [0, -1]; -1 is not a size"],
    [[Number.NaN], "FormatError", "x declares the shape [NaN]; NaN is not a size"],
    [[2 ** 48, 2], "LimitError", "x declares the shape [281474976710656, 2], 562949953421312 elements"],
    [Array<number>(65).fill(1), "LimitError", "x declares 65 dimensions; at most 64 are read"],
  ])("of %j is refused", (shape, tag, message) => {
    expect(refusal(() => countElements("x", shape, AT))).toMatchObject({
      tag,
      message: expect.stringContaining(message),
      at: AT,
    });
  });
});

describe("strides", () => {
  it("of a shape, the last index fastest or the first", () => {
    expect(rowMajorStrides([2, 3, 4])).toEqual([12, 4, 1]);
    expect(columnMajorStrides([2, 3, 4])).toEqual([1, 2, 6]);
    expect([rowMajorStrides([]), columnMajorStrides([])]).toEqual([[], []]);
  });

  it("are dense in row-major order, whatever those of single and of empty dimensions are", () => {
    expect(isRowMajor([2, 3], [3, 1])).toBe(true);
    expect(isRowMajor([2, 3], [1, 2])).toBe(false);
    expect(isRowMajor([1, 3], [99, 1])).toBe(true);
    expect(isRowMajor([2, 0], [7, 7])).toBe(true);
    expect(isRowMajor([2, 1], [2, 1])).toBe(false);
  });

  it("span from the first element to the last", () => {
    expect(spanLength([2, 3], [3, 1])).toBe(6);
    expect(spanLength([2, 3], [10, 2])).toBe(15);
    expect(spanLength([2, 3], [0, 1])).toBe(3);
    expect(spanLength([], [])).toBe(1);
    expect(spanLength([2, 0], [1, 1])).toBe(0);
  });

  // Widths copied as bytes, as words of 2 and 4 bytes, as pairs of words, and by element.
  it.each([1, 2, 4, 8, 3, 16])(
    "gather elements of %i bytes, transposed, repeated, from an odd place",
    (width) => {
      const buffer = Uint8Array.from({ length: 1 + 12 * width }, (_, i) => (i * 37) % 251);
      const span = buffer.subarray(1);
      const element = (at: number) => [...span.subarray(at * width, (at + 1) * width)];
      const gather = (shape: number[], strides: number[]) => [...gatherElements(span, width, shape, strides)];
      expect(gather([3, 2], [1, 3])).toEqual([0, 3, 1, 4, 2, 5].flatMap(element));
      expect(gather([2, 2], [6, 1])).toEqual([0, 1, 6, 7].flatMap(element));
      expect(gather([2, 2], [0, 2])).toEqual([0, 2, 0, 2].flatMap(element));
      expect(gather([2, 3, 2], [1, 4, 2])).toEqual([0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11].flatMap(element));
      expect(gather([], [])).toEqual(element(0));
      expect(gather([0, 2], [1, 1])).toEqual([]);
    },
  );
});

it("a pickle is one of protocol 2 to 5", () => {
  const is = (...head: number[]) => isPickle(Uint8Array.from(head));
  expect([1, 2, 3, 4, 5, 6].map((protocol) => is(0x80, protocol))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([is(0x81, 2), is(0x80), is()]).toEqual([false, false, false]);
});
