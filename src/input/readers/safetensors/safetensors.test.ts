import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { Tensor } from "../../io/columns.ts";
import { countingSource } from "../../io/counting-source.test-data.ts";
import { memorySource } from "../../io/file-source.ts";
import { isSafetensors, openSafetensors } from "./safetensors.ts";

/** A file with this header, given as text or as a value to write as JSON. */
function file(header: unknown, data = new Uint8Array(0), declared?: bigint): Uint8Array {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(declared ?? BigInt(text.length));
  return new Uint8Array(Buffer.concat([length, text, data]));
}

async function failure(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const error: unknown = await openSafetensors(memorySource("a.safetensors", bytes)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isLogratioError(error)) throw error ?? new Error("it was read");
  return { tag: error._tag, message: error.message, at: error.at, likely: error.likely };
}

const X = { dtype: "F32", shape: [2, 3], data_offsets: [0, 24] };
const DATA = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);
const GOOD = file({ x: X }, DATA);

describe("bad safetensors files", () => {
  it.each([
    [0, "EmptyInputError", "the file is empty (0 bytes)"],
    [5, "FormatError", "safetensors header is cut off: its length takes 8 bytes, found 5"],
    [30, "FormatError", "safetensors header is cut off: it ends at byte 65, found 30"],
    [
      65,
      "FormatError",
      'safetensors data is cut off: "x" ends at byte 24 of the data, but there are only 0 bytes',
    ],
    [
      GOOD.length - 1,
      "FormatError",
      'safetensors data is cut off: "x" ends at byte 24 of the data, but there are only 23 bytes',
    ],
  ])("are cut off after %i bytes", async (length, tag, message) => {
    expect(await failure(GOOD.subarray(0, length))).toMatchObject({ tag, message });
  });

  const cases: readonly [string, string, Uint8Array, string][] = [
    [
      "a shape that contradicts the bytes",
      "FormatError",
      file({ x: { ...X, shape: [2, 4] } }, DATA),
      'safetensors entry "x" contradicts itself: F32 of shape [2, 4] takes 32 bytes, its offsets span 24',
    ],
    [
      "2^60 elements",
      "LimitError",
      file({ x: { ...X, shape: [2 ** 60] } }, DATA),
      'safetensors entry "x" declares the shape [1152921504606847000], 1152921504606847000 elements; at most 281474976710656 are read',
    ],
    [
      "a negative size",
      "FormatError",
      file({ x: { ...X, shape: [-2, 3] } }, DATA),
      'safetensors entry "x" declares the shape [-2, 3]; -2 is not a size',
    ],
    [
      "overlapping tensors",
      "FormatError",
      file({ x: X, y: { dtype: "F32", shape: [2], data_offsets: [20, 28] } }, new Uint8Array(28)),
      'safetensors entry "y" overlaps "x": it starts at byte 20 of the data, expected 24',
    ],
    [
      "a hole",
      "FormatError",
      file({ x: X, y: { dtype: "U8", shape: [2], data_offsets: [26, 28] } }, new Uint8Array(28)),
      'safetensors entry "y" leaves a gap after "x": it starts at byte 26 of the data, expected 24',
    ],
    [
      "bytes behind the last tensor",
      "FormatError",
      file({ x: X }, new Uint8Array(30)),
      "safetensors data is longer than its header says: 24 bytes declared, 30 are there",
    ],
    [
      "reversed offsets",
      "FormatError",
      file({ x: { ...X, data_offsets: [24, 0] } }, DATA),
      'safetensors entry "x" has the data offsets 24 to 0',
    ],
    [
      "an entry without a shape",
      "FormatError",
      file({ x: { dtype: "F32", data_offsets: [0, 24] } }, DATA),
      'safetensors entry "x" lacks dtype, shape or data_offsets',
    ],
    [
      "an entry that is a list",
      "FormatError",
      file({ x: [] }, DATA),
      'safetensors entry "x" lacks dtype, shape or data_offsets',
    ],
    [
      "a strange dtype",
      "UnsupportedError",
      file({ x: { ...X, dtype: "toString" } }, DATA),
      "safetensors dtype toString is not read",
    ],
    ["a list as header", "FormatError", file([], DATA), "safetensors header is not a JSON object"],
    [
      "metadata that is no text",
      "FormatError",
      file({ __metadata__: { step: 1 }, x: X }, DATA),
      "safetensors __metadata__ is not a map of strings",
    ],
    [
      "an absurd header length",
      "LimitError",
      file("{}", DATA, 2n ** 60n),
      "safetensors header declares 1152921504606847000 bytes; at most 100000000 are read",
    ],
  ];

  it.each(cases)("have %s", async (_, tag, bytes, message) => {
    expect(await failure(bytes)).toMatchObject({ tag, message });
  });

  it("have a header that is no JSON", async () => {
    const error = await failure(file("{'x': 1}", DATA));
    expect(error.message).toMatch(/^safetensors header is not JSON: /);
    expect(error.at).toEqual({ file: "a.safetensors", offset: 8 });
  });
});

describe("safetensors", () => {
  it("are recognised by their first bytes", () => {
    expect(isSafetensors(GOOD.subarray(0, 16), GOOD.length)).toBe(true);
    expect(isSafetensors(GOOD.subarray(0, 16), 40)).toBe(false);
    expect(isSafetensors(GOOD.subarray(0, 8), GOOD.length)).toBe(false);
    expect(isSafetensors(Buffer.from('[{"a": 1}]'), 10)).toBe(false);
  });

  it("read rows without the rest", async () => {
    const values = Float32Array.from({ length: 64_000 }, (_, i) => i);
    const bytes = new Uint8Array(values.buffer);
    const header = {
      a: { dtype: "F32", shape: [1000, 32], data_offsets: [0, 128_000] },
      b: { dtype: "F32", shape: [1000, 32], data_offsets: [128_000, 256_000] },
    };
    const source = countingSource(memorySource("a.safetensors", file(header, bytes)));
    const document = await openSafetensors(source);
    const dataStart = source.byteLength - 256_000;
    expect(source.touched(dataStart, source.byteLength)).toBe(false);
    const tensor = document.root.b as Tensor;
    expect(await tensor.readRows(10, 12)).toEqual(values.slice(32_320, 32_384));
    expect(source.reads.at(-1)).toEqual({ start: dataStart + 129_280, end: dataStart + 129_536 });
    await document.close();
    expect(source.closed()).toBe(true);
  });

  it("keep names that JavaScript objects have of their own", async () => {
    const document = await openSafetensors(
      memorySource("a", file(`{"__proto__": ${JSON.stringify(X)}}`, DATA)),
    );
    expect(Object.keys(document.root)).toEqual(["__proto__"]);
    expect(document.root.constructor).toBeUndefined();
  });
});
