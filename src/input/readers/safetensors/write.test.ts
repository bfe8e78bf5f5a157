import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tensor } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import type { WrittenArray } from "../shared/written-array.ts";
import { openSafetensors } from "./safetensors.ts";
import { writeSafetensors } from "./write.ts";

type Values = Float32Array | Uint8Array | Int32Array;

/** An array that arrives in two pieces. */
function written(name: string, dtype: WrittenArray["dtype"], shape: number[], values: Values): WrittenArray {
  const bytes = new Uint8Array(values.buffer);
  return {
    name,
    dtype,
    shape,
    pieces: async function* () {
      yield bytes.subarray(0, 3);
      yield bytes.subarray(3);
    },
  };
}

describe("writeSafetensors", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "logratio-safetensors-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function write(arrays: readonly WrittenArray[]): Promise<Uint8Array> {
    const path = join(folder, "a.safetensors");
    const target = await open(path, "w");
    await writeSafetensors(target, arrays);
    await target.close();
    return new Uint8Array(await readFile(path));
  }

  it("writes what is read back, each array under its name, with its type and shape", async () => {
    const arrays = {
      logprobs: written("logprobs", "float32", [2, 3], Float32Array.of(-1, -2, -3, -4, -5, -6)),
      mask: written("mask", "uint8", [5], Uint8Array.of(1, 0, 1, 1, 0)),
      ids: written("ids", "int32", [2], Int32Array.of(7, -1)),
    };
    const { root, close } = await openSafetensors(
      memorySource("a.safetensors", await write(Object.values(arrays))),
    );
    const read = async (name: string) => {
      const { dtype, shape, readRows } = root[name] as Tensor;
      return { dtype, shape, values: Array.from(await readRows(0, shape[0]!)) };
    };
    expect(await read("logprobs")).toEqual({
      dtype: "float32",
      shape: [2, 3],
      values: [-1, -2, -3, -4, -5, -6],
    });
    expect(await read("mask")).toEqual({ dtype: "uint8", shape: [5], values: [1, 0, 1, 1, 0] });
    expect(await read("ids")).toEqual({ dtype: "int32", shape: [2], values: [7, -1] });
    await close();
  });

  it("begins the data at a multiple of eight bytes, filling the header with blanks", async () => {
    for (const name of ["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh"]) {
      const bytes = await write([written(name, "uint8", [4], Uint8Array.of(1, 2, 3, 4))]);
      const header = Number(Buffer.from(bytes).readBigUInt64LE(0));
      expect(header % 8).toBe(0);
      expect(bytes.length).toBe(8 + header + 4);
      const text = Buffer.from(bytes.subarray(8, 8 + header)).toString();
      expect(text).toMatch(/^\{.*\} {0,7}$/);
    }
  });
});

describe("what is wrong with a file", () => {
  const X = { dtype: "F32", shape: [1], data_offsets: [0, 4] };

  /** The place that the error names for a file with this header and this many bytes of data. */
  async function findPlace(header: unknown, dataBytes: number, cut?: number): Promise<unknown> {
    const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    const bytes = new Uint8Array(Buffer.concat([length, text, Buffer.alloc(dataBytes)])).subarray(0, cut);
    const { at } = await openSafetensors(memorySource("a", bytes)).then(
      () => ({ at: "it was read" }),
      (error: { at: unknown }) => error,
    );
    return at;
  }

  it("is said with the file, the tensor and the byte", async () => {
    const dataStart = (header: unknown): number => 8 + JSON.stringify(header).length;
    expect(await findPlace({}, 0, 0)).toEqual({ file: "a" });
    expect(await findPlace({}, 0, 5)).toEqual({ file: "a", offset: 5 });
    expect(await findPlace({ x: X }, 0, 20)).toEqual({ file: "a", offset: 20 });
    expect(await findPlace([], 0)).toEqual({ file: "a", offset: 8 });
    expect(await findPlace({ x: 1 }, 0)).toEqual({ file: "a", entry: "x" });
    expect(await findPlace({ x: { ...X, dtype: "C64" } }, 4)).toEqual({ file: "a", entry: "x" });
    expect(await findPlace({ x: { ...X, shape: [2] } }, 4)).toEqual({ file: "a", entry: "x" });
    expect(await findPlace({ x: { ...X, data_offsets: [0.5, 4.5] } }, 4)).toEqual({ file: "a", entry: "x" });
    expect(await findPlace({ __metadata__: null }, 0)).toEqual({ file: "a" });
    const short = { x: X, y: { ...X, data_offsets: [4, 8] } };
    expect(await findPlace(short, 7)).toEqual({ file: "a", entry: "y", offset: dataStart(short) + 4 });
    const hole = { x: X, y: { ...X, data_offsets: [6, 10] } };
    expect(await findPlace(hole, 10)).toEqual({ file: "a", entry: "y", offset: dataStart(hole) + 6 });
    expect(await findPlace({ x: X }, 6)).toEqual({ file: "a", offset: dataStart({ x: X }) + 4 });
  });

  it("may be any of an entry's three parts", async () => {
    for (const wrong of [
      { dtype: 4 },
      { shape: 1 },
      { shape: ["1"] },
      { data_offsets: [0] },
      { data_offsets: [0, 4, 8] },
      { data_offsets: [0, "4"] },
      { data_offsets: [-4, 0] },
      { data_offsets: [4, 0] },
    ]) {
      expect(await findPlace({ x: { ...X, ...wrong } }, 4)).toEqual({ file: "a", entry: "x" });
    }
  });

  it("is nothing where tensors are empty, or listed in another order than they lie", async () => {
    const empty = { dtype: "F32", shape: [0], data_offsets: [4, 4] };
    expect(await findPlace({ x: X, none: empty }, 4)).toBe("it was read");
    expect(await findPlace({ y: { ...X, data_offsets: [4, 8] }, none: empty, x: X }, 8)).toBe("it was read");
    expect(await findPlace({}, 0)).toBe("it was read");
  });
});
