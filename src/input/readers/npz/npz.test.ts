import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { memoryLimit, setMemoryLimit } from "../../../core/base/memory-limit.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { Tensor, TreeDocument } from "../../io/columns.ts";
import { countingSource } from "../../io/counting-source.test-data.ts";
import { memorySource } from "../../io/file-source.ts";
import { writeZip } from "../../io/zip-writer.test-data.ts";
import { assemble, call, pickle } from "../shared/pickle-writer.test-data.ts";
import { isNpy } from "./npy-header.ts";
import { openNpy, openNpz } from "./npz.ts";

/** An npy file of version 1 with the given header. */
function npy(header: string, data: Uint8Array, version = 1): Uint8Array {
  const text = `${header.padEnd(117)}\n`;
  const length =
    version === 1 ? [text.length & 255, text.length >> 8] : [text.length & 255, text.length >> 8, 0, 0];
  return assemble(0x93, "NUMPY", version, 0, ...length, text, data);
}

function header(descr: string, shape: string, fortran = "False"): string {
  return `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`;
}

async function failure(opening: Promise<TreeDocument>): Promise<Record<string, unknown>> {
  const error: unknown = await opening.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isLogratioError(error)) throw error ?? new Error("it was read");
  return { tag: error._tag, message: error.message, at: error.at, likely: error.likely };
}

function getTensor(document: TreeDocument, name: string): Tensor {
  const value = document.root[name];
  if (typeof value !== "object" || value === null || !("readRows" in value))
    throw new Error(`${name} is no tensor`);
  return value as Tensor;
}

const openBytes = (bytes: Uint8Array): Promise<TreeDocument> => openNpy(memorySource("a.npy", bytes));
const FLOATS = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);
const LIKELY_CUT_OFF = "the file was probably cut off while it was being written";

describe("bad npy files", () => {
  const whole = npy(header("<f4", "(2, 3)"), FLOATS);

  it.each([
    [0, "EmptyInputError", "the file is empty (0 bytes)", undefined],
    [4, "FormatError", "not an npy array: it does not begin with NumPy's signature", 0],
    [9, "FormatError", "npy header is cut off: it ends at byte 10, found 9", 9],
    [100, "FormatError", "npy header is cut off: it ends at byte 128, found 100", 100],
    [128, "FormatError", "npy data is cut off: the header declares 24 bytes, found 0", 128],
    [whole.length - 1, "FormatError", "npy data is cut off: the header declares 24 bytes, found 23", 128],
  ])("are cut off after %i bytes", async (length, tag, message, offset) => {
    const at = { file: "a.npy", ...(offset === undefined ? {} : { offset }) };
    expect(await failure(openBytes(whole.subarray(0, length)))).toMatchObject({ tag, message, at });
  });

  it("hold too few texts", async () => {
    const texts = npy(header("<U2", "(2,)"), new Uint8Array(15));
    expect(await failure(openBytes(texts))).toMatchObject({
      message: "npy data is cut off: the header declares 16 bytes, found 15",
      at: { file: "a.npy", offset: 128 },
    });
  });

  it("say where and why", async () => {
    expect(await failure(openBytes(whole.subarray(0, 140)))).toEqual({
      tag: "FormatError",
      message: "npy data is cut off: the header declares 24 bytes, found 12",
      at: { file: "a.npy", offset: 128 },
      likely: LIKELY_CUT_OFF,
    });
  });

  it("hold more than their header says", async () => {
    expect(await failure(openBytes(assemble(whole, whole)))).toMatchObject({
      message: "npy data is longer than its header: it declares 24 bytes, found 176",
      at: { file: "a.npy", offset: 128 },
    });
  });

  it("are no npy files", async () => {
    expect((await failure(openBytes(Buffer.from("PK\u0003\u0004 and so on")))).message).toBe(
      "not an npy array: it does not begin with NumPy's signature",
    );
    expect(isNpy(whole)).toBe(true);
    expect(isNpy(new Uint8Array(0))).toBe(false);
  });

  it("have a version that nobody has seen", async () => {
    expect((await failure(openBytes(npy(header("<f4", "(2, 3)"), FLOATS, 9)))).message).toBe(
      "npy version 9 is not read; 1 to 3 are",
    );
  });

  it("declare absurd sizes", async () => {
    expect(await failure(openBytes(npy(header("<f4", `(${2 ** 60},)`), FLOATS)))).toMatchObject({
      tag: "LimitError",
      message:
        "npy header declares the shape [1152921504606847000], 1152921504606847000 elements; at most 281474976710656 are read",
      likely: "the header is damaged, or crafted to exhaust memory",
    });
    expect((await failure(openBytes(npy(header("<f4", "(1099511627776,)"), FLOATS)))).message).toBe(
      "npy data is cut off: the header declares 4398046511104 bytes, found 24",
    );
    const dimensions = npy(header("<f4", `(${"1,".repeat(65)})`).padEnd(300), FLOATS.subarray(0, 4));
    expect((await failure(openBytes(dimensions))).message).toBe(
      "npy header declares 65 dimensions; at most 64 are read",
    );
    const long = assemble(0x93, "NUMPY", 2, 0, 0xff, 0xff, 0xff, 0xff, new Uint8Array(100));
    expect((await failure(openBytes(long))).message).toBe(
      "npy header declares 4294967295 bytes; at most 65536 are read",
    );
  });

  it.each([
    ["[1, 2]", "npy header is not a dict"],
    ["{'descr': '<f4'}", "npy header holds descr; it needs descr, fortran_order and shape"],
    ["{}", "npy header holds nothing; it needs descr, fortran_order and shape"],
    [
      "{'descr': '<f4', 'fortran_order': False, 'shape': ('a',)}",
      "npy header has a shape that is not a tuple of numbers",
    ],
    [
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "npy header declares the shape [-1]; -1 is not a size",
    ],
    ["{'descr': 'x9', 'fortran_order': False, 'shape': (1,)}", 'arrays of NumPy type "x9" are not read'],
    ["{'descr': '', 'fortran_order': False, 'shape': (1,)}", '"" is not a NumPy type'],
    [
      "{'descr': __import__('os')}",
      'npy header is malformed: expected a value at character 10, found "__import__(\'"',
    ],
    ["{'a': 1 2}", 'npy header is malformed: expected "," or "}" at character 8, found "2}          "'],
    [
      "((((((((((((((((((1))))))))))))))))))",
      /^npy header is malformed: expected at most 16 levels of nesting/,
    ],
  ])("have the header %s", async (text, message) => {
    const { message: found, at } = await failure(openBytes(npy(text, FLOATS)));
    expect(at).toMatchObject({ file: "a.npy" });
    if (typeof message === "string") expect(found).toBe(message);
    else expect(found).toMatch(message);
  });

  it("hold a pickle that wants to run code", async () => {
    const data = pickle(call("posix", "system", "echo"));
    expect(await failure(openBytes(npy(header("|O", "(1,)"), data)))).toMatchObject({
      tag: "FormatError",
      message: "refused to run posix.system",
      at: { file: "a.npy", offset: 130 },
    });
    const zip = writeZip([{ name: "uid.npy", bytes: npy(header("|O", "(1,)"), data) }]);
    expect((await failure(openNpz(memorySource("a.npz", zip)))).at).toEqual({
      file: "a.npz",
      entry: "uid.npy",
      offset: 130,
    });
  });

  it("hold other objects than their header says", async () => {
    expect(await failure(openBytes(npy(header("|O", "(3,)"), pickle("]K", 1, "a"))))).toMatchObject({
      message: "npy object array of shape [3] has 1 row in its pickle",
      at: { file: "a.npy", offset: 128 },
    });
    expect((await failure(openBytes(npy(header("|O", "(3,)"), pickle("K", 1))))).message).toBe(
      "npy object array of shape [3] has no rows in its pickle",
    );
  });
});

describe("object arrays", () => {
  const objects = async (shape: string, data: Uint8Array) =>
    (await openBytes(npy(header("|O", shape), data))).root;

  it("are the values of their pickle: numbers a typed array, others a list", async () => {
    expect((await objects("(2,)", pickle("](K", 1, "K", 2, "e"))).value).toEqual(Int32Array.of(1, 2));
    expect((await objects("(2,)", pickle("](NNe"))).value).toEqual([null, null]);
    expect((await objects("(0,)", pickle("]"))).value).toHaveLength(0);
  });

  it("without a dimension are that one value, and a dict is the root itself", async () => {
    expect((await objects("()", pickle("K", 7))).value).toBe(7);
    expect((await objects("()", pickle("](NNe"))).value).toEqual([null, null]);
    expect({ ...(await objects("()", pickle("}X", 1, 0, 0, 0, "aK", 1, "s"))) }).toEqual({ a: 1 });
  });

  it("without an element need no rows", async () => {
    expect((await objects("(3, 0)", pickle("]"))).value).toHaveLength(0);
    expect((await objects("(0,)", pickle("N"))).value).toBeNull();
  });

  it("close the file with the document", async () => {
    const source = countingSource(memorySource("a.npy", npy(header("|O", "()"), pickle("N"))));
    const document = await openNpy(source);
    expect(document).toMatchObject({ kind: "tree", format: "npy", file: "a.npy", metadata: {} });
    await document.close();
    expect(source.closed()).toBe(true);
  });
});

describe("npz archives", () => {
  const archive = (deflate: boolean, bytes = npy(header("<f4", "(2, 3)"), FLOATS)): Uint8Array =>
    writeZip([
      { name: "log_probs.npy", bytes, deflate },
      { name: "note.txt", bytes: Buffer.from("hello") },
    ]);

  it("may hold members that are no arrays", async () => {
    const document = await openNpz(memorySource("a.npz", archive(false)));
    expect(Object.keys(document.root)).toEqual(["log_probs", "note.txt"]);
    expect(document.root["note.txt"]).toEqual(new Uint8Array(Buffer.from("hello")));
    await document.close();
  });

  it("may not hold one name twice", async () => {
    const bytes = npy(header("<f4", "(2, 3)"), FLOATS);
    const twice = writeZip([
      { name: "x.npy", bytes },
      { name: "x", bytes },
    ]);
    expect(await failure(openNpz(memorySource("a.npz", twice)))).toMatchObject({
      message: 'npz archive holds "x" twice, with and without .npy',
      at: { file: "a.npz", entry: "x" },
    });
  });

  it("may have folders, which are no arrays", async () => {
    const bytes = npy(header("<f4", "(2, 3)"), FLOATS);
    const members = [
      { name: "step_1/", bytes: new Uint8Array(0) },
      { name: "step_1/x.npy", bytes },
    ];
    const { root, ...rest } = await openNpz(memorySource("a.npz", writeZip(members)));
    expect(Object.keys(root)).toEqual(["step_1/x"]);
    expect(rest).toMatchObject({ kind: "tree", format: "npz", file: "a.npz", metadata: {} });
  });

  it("hold no other member than an array of more than 64 MiB", async () => {
    // Hard to compress: so large a ratio is not believed of a small member in the first place.
    const random = seededRandom(1);
    const bytes = Uint8Array.from({ length: 80_000 }, () => 256 * random());
    const declare = (byteLength: number): Uint8Array =>
      writeZip([{ name: "video.mp4", bytes, deflate: true, declared: { byteLength } }]);
    expect(await failure(openNpz(memorySource("a.npz", declare(2 ** 26 + 1))))).toMatchObject({
      tag: "LimitError",
      message: "npz member is not an array and has 67108865 bytes; at most 67108864 are read",
      at: { file: "a.npz", entry: "video.mp4" },
    });
    expect((await failure(openNpz(memorySource("a.npz", declare(2 ** 26))))).message).not.toMatch(/at most/);
  });

  it("keep within the memory limit what is no array, all members together", async () => {
    const members = ["a", "b", "c"].map((name) => ({ name, bytes: new Uint8Array(2 ** 19) }));
    const source = memorySource("a.npz", writeZip(members));
    const before = memoryLimit();
    setMemoryLimit(2 ** 20);
    try {
      expect(await failure(openNpz(source))).toMatchObject({
        tag: "LimitError",
        at: { file: "a.npz", entry: "c" },
      });
    } finally {
      setMemoryLimit(before);
    }
  });

  it("are empty", async () => {
    expect(await failure(openNpz(memorySource("a.npz", writeZip([]))))).toMatchObject({
      tag: "EmptyInputError",
      message: "npz archive has no members",
      at: { file: "a.npz" },
    });
  });

  it.each([false, true])("name the member that is cut off (deflated: %s)", async (deflate) => {
    const bytes = npy(header("<f4", "(2, 3)"), FLOATS.subarray(0, 20));
    expect(await failure(openNpz(memorySource("a.npz", archive(deflate, bytes))))).toMatchObject({
      message: "npy data is cut off: the header declares 24 bytes, found 20",
      at: { file: "a.npz", entry: "log_probs.npy", offset: 128 },
    });
  });

  it("check what they have read, once they have read it", async () => {
    const bytes = npy(header("<f4", "(2, 3)"), FLOATS);
    const zip = writeZip([{ name: "x.npy", bytes, declared: { crc32: 1 } }]);
    const tensor = getTensor(await openNpz(memorySource("a.npz", zip)), "x");
    expect(await tensor.readRows(0, 1)).toEqual(Float32Array.of(1, 2, 3));
    await expect(tensor.readRows(1, 2)).rejects.toThrow("zip member does not match its checksum");
  });

  it("read rows of stored arrays without the rest, and close what they opened", async () => {
    const rows = 1000;
    const values = Float32Array.from({ length: rows * 64 }, (_, i) => i);
    const bytes = npy(header("<f4", `(${rows}, 64)`), new Uint8Array(values.buffer));
    const source = countingSource(memorySource("a.npz", writeZip([{ name: "x.npy", bytes }])));
    const document = await openNpz(source);
    const before = source.bytesRead();
    const tensor = getTensor(document, "x");
    expect(await tensor.readRows(500, 502)).toEqual(values.slice(500 * 64, 502 * 64));
    expect(source.bytesRead() - before).toBe(2 * 64 * 4);
    await document.close();
    expect(source.closed()).toBe(true);
  });

  it("refuse rows that are not there", async () => {
    const document = await openNpz(memorySource("a.npz", archive(false)));
    const tensor = getTensor(document, "log_probs");
    for (const [start, end] of [
      [0, 3],
      [2, 1],
      [-1, 1],
      [0, 0.5],
    ]) {
      await expect(tensor.readRows(start!, end!)).rejects.toMatchObject({
        name: "RangeError",
        message: `rows ${start} to ${end} were requested, but the tensor has 2`,
      });
    }
    expect(await tensor.readRows(2, 2)).toEqual(new Float32Array(0));
  });

  it("do not read strings as numbers", async () => {
    const text = npy(header("<U1", "(2,)"), new Uint8Array(Uint32Array.of(97, 98).buffer));
    const tensor = getTensor(await openBytes(text), "value");
    expect(await tensor.readStrings?.(1, 2)).toEqual(["b"]);
    await expect(tensor.readRows(0, 1)).rejects.toThrow("this array holds strings, not numbers");
    const wrong = npy(header("<U1", "(1,)"), new Uint8Array(Uint32Array.of(0x110000).buffer));
    const broken = getTensor(await openBytes(wrong), "value");
    await expect(broken.readStrings?.(0, 1)).rejects.toThrow(
      "string array holds 0x110000, which is not a character; the last is 0x10ffff",
    );
  });
});

describe("npy round trip", () => {
  const kinds = {
    f4: Float32Array,
    f8: Float64Array,
    i1: Int8Array,
    i2: Int16Array,
    i4: Int32Array,
    u1: Uint8Array,
    u2: Uint16Array,
    u4: Uint32Array,
  } as const;

  it("returns what was written, in any order, byte order and slices", async () => {
    const array = fc.record({
      code: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
      shape: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }),
      big: fc.boolean(),
      fortran: fc.boolean(),
      deflate: fc.boolean(),
      seed: fc.integer(),
      cut: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(array, async ({ code, shape, big, fortran, deflate, seed, cut }) => {
        const count = shape.reduce((product, size) => product * size, 1);
        const values = new kinds[code](count).map(
          (_, i) => Math.imul(seed + i, 0x9e3779b1) / (code[0] === "f" ? 7 : 1),
        );
        const bytes = writeArray(values, shape, big, fortran);
        const order = fortran ? "True" : "False";
        const tuple = `(${shape.map((size) => `${size},`).join(" ")})`;
        const file = npy(header((big ? ">" : "<") + code, tuple, order), bytes);
        const zip = writeZip([{ name: "x.npy", bytes: file, deflate }]);
        const tensor = getTensor(await openNpz(memorySource("a.npz", zip)), "x");
        expect(tensor.shape).toEqual(shape);
        const rows = shape[0] ?? 1;
        const middle = Math.min(cut, rows);
        const parts = [await tensor.readRows(0, middle), await tensor.readRows(middle, rows)];
        expect(parts.flatMap((part) => Array.from(part))).toEqual(Array.from(values));
        for (const part of parts) expect(part.constructor).toBe(kinds[code]);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

/** Row-major values as the bytes of an array in either order. */
function writeArray(
  values:
    | Float32Array
    | Float64Array
    | Int8Array
    | Int16Array
    | Int32Array
    | Uint8Array
    | Uint16Array
    | Uint32Array,
  shape: readonly number[],
  big: boolean,
  fortran: boolean,
): Uint8Array {
  const width = values.BYTES_PER_ELEMENT;
  const source = new Uint8Array(values.buffer);
  const out = new Uint8Array(source.length);
  for (let i = 0; i < values.length; i++) {
    let to = i;
    if (fortran) {
      let rest = i;
      let step = values.length;
      to = 0;
      for (let d = shape.length - 1; d >= 0; d--) {
        step /= shape[d]!;
        to += (rest % shape[d]!) * step;
        rest = Math.floor(rest / shape[d]!);
      }
    }
    for (let b = 0; b < width; b++) out[to * width + (big ? width - 1 - b : b)] = source[i * width + b]!;
  }
  return out;
}
