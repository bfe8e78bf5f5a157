import { describe, expect, it } from "vitest";
import { memorySource } from "../../io/file-source.ts";
import { assemble } from "../shared/pickle-writer.test-data.ts";
import { type NpyHeader, readNpyHeader } from "./npy-header.ts";

const AT = { file: "a.npy" };
const DICT = "{'descr': '>i2', 'fortran_order': True, 'shape': (3, 4)}";

/** The head of an npy file: version 1 has two bytes for the header's length, the later ones four. */
function head(version: number, text: string, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  const bytes = Buffer.from(text, version === 3 ? "utf8" : "latin1");
  const length = new Uint8Array(Uint32Array.of(bytes.length).buffer).subarray(0, version === 1 ? 2 : 4);
  return assemble(0x93, "NUMPY", version, 0, length, new Uint8Array(bytes), data);
}

const read = (bytes: Uint8Array): Promise<NpyHeader> => readNpyHeader(memorySource("a.npy", bytes), AT);

describe("an npy header", () => {
  it.each([1, 2, 3])("of version %i says type, order, shape and where data begin", async (version) => {
    expect(await read(head(version, DICT, Uint8Array.of(1, 2, 3)))).toEqual({
      type: { kind: "fixed", dtype: "int16", littleEndian: false },
      fortran: true,
      shape: [3, 4],
      dataStart: (version === 1 ? 10 : 12) + DICT.length,
    });
  });

  it("is Latin-1 up to version 2, and UTF-8 in version 3", async () => {
    for (const version of [1, 2, 3])
      await expect(read(head(version, "{'Größe': 1}"))).rejects.toThrow("npy header holds Größe; it needs");
  });

  it("lists the names that it has", async () => {
    await expect(read(head(1, "{'descr': '<f4', 'shape': (1,)}"))).rejects.toThrow(
      "npy header holds descr, shape; it needs descr, fortran_order and shape",
    );
  });

  it.each([
    ["descr", DICT.replace("descr", "type")],
    ["a truth value for its order", DICT.replace("True", "'yes'")],
    ["a tuple for its shape", DICT.replace("(3, 4)", "3")],
  ])("needs %s", async (_, text) => {
    await expect(read(head(1, text))).rejects.toMatchObject({
      message: expect.stringMatching(/; it needs descr, fortran_order and shape$/),
      at: { file: "a.npy", offset: 10 },
    });
  });

  it("of a record type, whose descr is a list, is not read", async () => {
    await expect(read(head(2, DICT.replace("'>i2'", "[('a', '<f4')]")))).rejects.toMatchObject({
      _tag: "UnsupportedError",
      message: "NumPy record types are not read",
      at: { file: "a.npy", offset: 12 },
    });
  });

  it.each([0, 4])("of version %i is not read", async (version) => {
    await expect(read(head(version, DICT))).rejects.toMatchObject({
      message: `npy version ${version} is not read; 1 to 3 are`,
      at: { file: "a.npy", offset: 6 },
    });
  });

  it("may have 65,536 bytes, and not one more", async () => {
    expect((await read(head(2, DICT.padEnd(65_536)))).dataStart).toBe(12 + 65_536);
    await expect(read(head(2, DICT.padEnd(65_537)))).rejects.toMatchObject({
      message: "npy header declares 65537 bytes; at most 65536 are read",
      at: { file: "a.npy", offset: 8 },
      needed: 65_537,
      limit: 65_536,
    });
  });

  it.each([
    [1, 9, 10],
    [2, 11, 12],
    [1, 10 + DICT.length - 1, 10 + DICT.length],
  ])("of version %i that is cut off at byte %i says where it ends", async (version, length, needed) => {
    await expect(read(head(version, DICT).subarray(0, length))).rejects.toMatchObject({
      message: `npy header is cut off: it ends at byte ${needed}, found ${length}`,
      at: { file: "a.npy", offset: length },
    });
  });

  it("may be shorter than what is read to find it", async () => {
    await expect(read(head(1, ""))).rejects.toThrow(
      "npy header is malformed: expected a value at character 0",
    );
    await expect(read(head(1, "1"))).rejects.toThrow("npy header is not a dict");
  });
});
