import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { Tensor, TreeDocument } from "../../io/columns.ts";
import { countingSource } from "../../io/counting-source.test-data.ts";
import { memorySource } from "../../io/file-source.ts";
import { LOCAL_HEADER_BYTES } from "../../io/zip.ts";
import { writeZip } from "../../io/zip-writer.test-data.ts";
import { fixtures } from "../shared/fixtures.test-data.ts";
import {
  assemble,
  call,
  type Piece,
  pickle,
  text,
  uint32,
  writeGlobal,
} from "../shared/pickle-writer.test-data.ts";
import { zipKind } from "../shared/sniff.ts";
import { openTorch } from "./torch.ts";

/** Bytes of the local header of the storage that holds a tensor; it is read once, before the data. */
const LOCAL_HEADER = LOCAL_HEADER_BYTES + "step_1/data/0".length;

function archive(data: Uint8Array, records: Readonly<Record<string, Uint8Array>> = {}): Uint8Array {
  return writeZip([
    { name: "step_1/data.pkl", bytes: data },
    ...Object.entries(records).map(([name, bytes]) => ({ name: `step_1/${name}`, bytes })),
  ]);
}

function int(value: number): Uint8Array {
  return assemble("J", uint32(value >>> 0));
}

function tuple(...items: readonly Uint8Array[]): Uint8Array {
  return assemble("(", ...items, "t");
}

interface TensorSpec {
  readonly key?: string;
  readonly storage?: string;
  readonly length?: number;
  readonly offset?: number;
  readonly shape: readonly (number | Uint8Array)[];
  readonly strides: readonly (number | Uint8Array)[];
}

/** `_rebuild_tensor_v2` as torch pickles it. */
function tensor({
  key = "0",
  storage = "FloatStorage",
  length = 6,
  offset = 0,
  shape,
  strides,
}: TensorSpec): Uint8Array {
  const numbers = (values: readonly (number | Uint8Array)[]): Uint8Array =>
    tuple(...values.map((value) => (typeof value === "number" ? int(value) : value)));
  const id = tuple(
    text("storage"),
    assemble(writeGlobal("torch", storage)),
    text(key),
    text("cpu"),
    int(length),
  );
  return assemble(
    writeGlobal("torch._utils", "_rebuild_tensor_v2"),
    "(",
    ...[id, "Q", int(offset), numbers(shape), numbers(strides), 0x89],
    ...[writeGlobal("collections", "OrderedDict"), ")", "R"],
    "tR",
  );
}

const dict = (name: string, value: Piece): Uint8Array => pickle("}", text(name), value, "s");
const open = (bytes: Uint8Array): Promise<TreeDocument> => openTorch(memorySource("step_1.pt", bytes));
const FLOATS = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);

async function failure(bytes: Uint8Array): Promise<Record<string, unknown>> {
  const error: unknown = await open(bytes).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isLogratioError(error)) throw error ?? new Error("it was read");
  return { tag: error._tag, message: error.message, at: error.at, likely: error.likely, hint: error.hint };
}

describe("hostile torch files", () => {
  it.each([
    ["at the top", pickle(call("posix", "system", "echo")), "refused to run posix.system", 2],
    ["in a dict", dict("x", call("builtins", "eval", "1")), "refused to run builtins.eval", 9],
    [
      "as the function of a tensor with attributes",
      pickle(
        writeGlobal("torch._tensor", "_rebuild_from_type_v2"),
        "(",
        writeGlobal("os", "system"),
        "NNNtR",
      ),
      "refused to run os.system",
      2 + "ctorch._tensor\n_rebuild_from_type_v2\n(".length,
    ],
    [
      "as the type of a storage",
      pickle(
        tuple(text("storage"), assemble(writeGlobal("os", "system")), text("0"), text("cpu"), int(1)),
        "Q",
      ),
      "refused to run os.system",
      2 + "(X....storage".length,
    ],
  ])("want to run code %s", async (_, data, message, offset) => {
    expect(await failure(archive(data))).toEqual({
      tag: "FormatError",
      message,
      at: { file: "step_1.pt", entry: "step_1/data.pkl", offset },
      likely: "the file was crafted to run code on the machine that loads it; nothing was run",
      hint: "do not load it in Python; find out where it comes from",
    });
  });
});

describe("tensors that do not fit their storage", () => {
  const read = (spec: TensorSpec, bytes = FLOATS): Promise<Record<string, unknown>> =>
    failure(archive(dict("x", tensor(spec)), { "data/0": bytes }));
  const huge = assemble(0x8a, 8, new Uint8Array(7), 0x10);

  const cases: readonly [string, TensorSpec, string, string][] = [
    [
      "too large",
      { shape: [3, 3], strides: [3, 1] },
      "FormatError",
      "torch tensor of shape [3, 3] exceeds its storage: it needs 9 elements, but it has 6",
    ],
    [
      "offset too far",
      { shape: [2], strides: [1], offset: 5 },
      "FormatError",
      "torch tensor of shape [2] exceeds its storage: it needs 7 elements, but it has 6",
    ],
    [
      "strided too far",
      { shape: [2, 2], strides: [5, 1] },
      "FormatError",
      "torch tensor of shape [2, 2] exceeds its storage: it needs 7 elements, but it has 6",
    ],
    [
      "with too few strides",
      { shape: [2, 2], strides: [1] },
      "FormatError",
      "torch tensor of shape [2, 2] has strides [1] and offset 0",
    ],
    [
      "with a negative stride",
      { shape: [2], strides: [-1] },
      "FormatError",
      "torch tensor of shape [2] has strides [-1] and offset 0",
    ],
    [
      "of 2^60 elements",
      { shape: [huge], strides: [1] },
      "LimitError",
      "torch tensor declares the shape [1152921504606847000], 1152921504606847000 elements; at most 281474976710656 are read",
    ],
    [
      "repeated 2^32 times",
      { shape: [65536, 65536], strides: [0, 0] },
      "LimitError",
      "the tensors of this archive, to the one of shape [65536, 65536], repeat stored values: 17179869160 bytes more than are stored; the limit is 1073741824",
    ],
    [
      "on a missing storage",
      { key: "7", shape: [1], strides: [1] },
      "FormatError",
      "torch archive lacks the storage data/7 that its pickle refers to",
    ],
    [
      "of another length",
      { length: 7, shape: [1], strides: [1] },
      "FormatError",
      "torch storage data/0 has another size: the pickle declares 28 bytes, found 24",
    ],
    [
      "of complex numbers",
      { storage: "ComplexFloatStorage", length: 3, shape: [1], strides: [1] },
      "UnsupportedError",
      "torch tensors of complex64 are not read",
    ],
  ];

  it.each(cases)("are %s", async (_, spec, tag, message) => {
    expect(await read(spec)).toMatchObject({ tag, message });
  });

  it("are cut off inside the archive", async () => {
    expect(await read({ shape: [2, 3], strides: [3, 1] }, FLOATS.subarray(0, 20))).toMatchObject({
      message: "torch storage data/0 has another size: the pickle declares 24 bytes, found 20",
      at: { entry: "step_1/data/0" },
    });
  });
});

describe("files that are no torch files", () => {
  const plain = new Uint8Array(readFileSync(fixtures("torch").find(({ name }) => name === "plain.pt")!.path));

  it("are cut off", async () => {
    for (const length of [10, 500, plain.length - 1]) {
      expect(await failure(plain.subarray(0, length))).toMatchObject({
        tag: "FormatError",
        message: "zip archive has no end-of-central-directory record",
        at: { file: "step_1.pt", offset: length },
        likely: "the file was probably cut off while it was being written",
      });
    }
    expect(await failure(new Uint8Array(0))).toMatchObject({
      tag: "EmptyInputError",
      message: "the file is empty (0 bytes)",
    });
  });

  it("are something else", async () => {
    expect((await failure(Buffer.from('{"a": 1}'))).message).toBe(
      "not a torch file or pickle: it begins neither as a zip archive nor as a pickle of protocol 2 to 5",
    );
    const npz = writeZip([{ name: "x.npy", bytes: FLOATS }]);
    expect(await failure(npz)).toMatchObject({
      message: "zip archive has no data.pkl (members: 1), so it was not written by torch.save",
      hint: "rename it to .npz: it holds .npy arrays",
    });
    expect(await zipKind(memorySource("a", npz))).toBe("npz");
    expect(await zipKind(memorySource("a", plain))).toBe("torch");
    expect(await zipKind(memorySource("a", writeZip([{ name: "x.txt", bytes: FLOATS }])))).toBe("other");
  });

  it("are of the legacy format and cut off", async () => {
    const legacy = new Uint8Array(
      readFileSync(fixtures("torch").find(({ name }) => name === "legacy4.pt")!.path),
    );
    expect(await failure(legacy.subarray(0, -1))).toMatchObject({
      tag: "FormatError",
      message: expect.stringMatching(
        /^legacy torch file is cut off: storage \d+ needs \d+ bytes, found \d+$/,
      ),
      likely: "the file was probably cut off while it was being written",
    });
    expect((await failure(legacy.subarray(0, 300))).message).toMatch(/cut off/);
  });

  it("have a byte order that nobody has seen", async () => {
    const bytes = archive(pickle("}"), { byteorder: Buffer.from("middle") });
    expect((await failure(bytes)).message).toBe(
      'torch archive has the byte order "middle", expected "little" or "big"',
    );
  });
});

describe("reading", () => {
  it("reads rows of a stored tensor without the rest", async () => {
    const values = Float32Array.from({ length: 100_000 }, (_, i) => i);
    const data = dict("x", tensor({ length: 100_000, offset: 500, shape: [990, 100], strides: [100, 1] }));
    const source = countingSource(
      memorySource("step_1.pt", archive(data, { "data/0": new Uint8Array(values.buffer) })),
    );
    const document = await openTorch(source);
    source.reads.length = 0;
    const x = document.root.x as Tensor;
    expect(await x.readRows(7, 9)).toEqual(values.slice(1200, 1400));
    expect(source.bytesRead()).toBe(LOCAL_HEADER + 800);
    await document.close();
    expect(source.closed()).toBe(true);
  });

  it("reads the columns of a matrix by the span of their rows, a transposed one once", async () => {
    const values = Float32Array.from({ length: 100_000 }, (_, i) => i);
    const records = { "data/0": new Uint8Array(values.buffer) };
    const columns = tensor({ length: 100_000, shape: [1000, 3], strides: [100, 1] });
    const source = countingSource(memorySource("step_1.pt", archive(dict("x", columns), records)));
    const x = (await openTorch(source)).root.x as Tensor;
    source.reads.length = 0;
    expect(await x.readRows(10, 12)).toEqual(Float32Array.of(1000, 1001, 1002, 1100, 1101, 1102));
    expect(source.bytesRead()).toBe(LOCAL_HEADER + 103 * 4);

    const turned = tensor({ length: 100_000, shape: [100, 1000], strides: [1, 100] });
    const other = countingSource(memorySource("step_1.pt", archive(dict("x", turned), records)));
    const y = (await openTorch(other)).root.x as Tensor;
    other.reads.length = 0;
    expect((await y.readRows(3, 4)).slice(0, 3)).toEqual(Float32Array.of(3, 103, 203));
    expect((await y.readRows(4, 5)).slice(0, 3)).toEqual(Float32Array.of(4, 104, 204));
    expect(other.bytesRead()).toBe(LOCAL_HEADER + 400_000);
  });
});
