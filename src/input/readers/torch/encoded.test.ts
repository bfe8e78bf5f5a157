import { describe, expect, it } from "vitest";
import type { PickledObject, Tensor, TreeValue } from "../../io/columns.ts";
import { writeZip } from "../../io/zip-writer.test-data.ts";
import { float, type Piece, pickle, text, uint32, writeGlobal } from "../shared/pickle-writer.test-data.ts";
import {
  build,
  dict,
  FLOATS,
  failure,
  int,
  legacy,
  list,
  object,
  open,
  sizes,
  storage,
  tensor,
  tuple,
} from "./pieces.test-data.ts";

const bytes = (data: Uint8Array): Piece[] => ["B", uint32(data.length), data];
/** What a pickle holds under `x`, next to a byte string: without one, nothing is expanded. */
const read = async (...piece: readonly Piece[]): Promise<TreeValue> =>
  (await open(pickle("}(", text("bytes"), "C", 0, text("x"), ...piece, "u"), { unknownClasses: "record" }))
    .root.x!;
const isTensor = (value: TreeValue): value is Tensor =>
  typeof value === "object" && value !== null && "readRows" in value;
const rows = async (value: unknown): Promise<number[]> => [
  ...(await (value as Tensor).readRows(0, (value as Tensor).shape[0] ?? 1)),
];

describe("a tensor that a dict spells out", () => {
  const spell = (change: Readonly<Record<string, Piece | readonly Piece[] | undefined>>): Piece[] => {
    const parts: Record<string, Piece | readonly Piece[] | undefined> = {
      ...{ format: text("numpy"), data: bytes(FLOATS), shape: sizes(2, 3), dtype: text("float32") },
      ...change,
    };
    return [
      "}(",
      ...Object.entries(parts).flatMap(([name, value]) =>
        value === undefined ? [] : [text(name), ...(Array.isArray(value) ? value : [value])],
      ),
      "u",
    ];
  };

  it("is one of its type and shape, with its format named or not", async () => {
    for (const change of [{}, { format: undefined }]) {
      const found = (await read(...spell(change))) as Tensor;
      expect([found.dtype, found.shape]).toEqual(["float32", [2, 3]]);
      expect([...(await found.readRows(1, 2))]).toEqual([4, 5, 6]);
    }
    const scalar = (await read(...spell({ data: bytes(FLOATS.subarray(0, 4)), shape: ")" }))) as Tensor;
    expect([scalar.shape, await rows(scalar)]).toEqual([[], [1]]);
    const bools = await read(
      ...spell({ data: bytes(Uint8Array.of(0, 1)), shape: sizes(2), dtype: text("bool_") }),
    );
    expect([(bools as Tensor).dtype, await rows(bools)]).toEqual(["bool", [0, 1]]);
  });

  it.each<[what: string, change: Readonly<Record<string, Piece | readonly Piece[] | undefined>>]>([
    ["another format", { format: text("json") }],
    ["no data", { data: undefined }],
    ["a text for data", { data: text("abc") }],
    ["too few bytes", { data: bytes(FLOATS.subarray(1)) }],
    ["too many bytes", { shape: sizes(5) }],
    ["no type", { dtype: undefined }],
    ["an unknown type", { dtype: text("complex64") }],
    ["a number for its type", { dtype: int(4) }],
    ["no shape", { shape: undefined }],
    ["a negative size", { shape: sizes(-2, -3) }],
    ["a shape of fractions", { shape: tuple(float(1.5), float(4)) }],
    ["a shape of texts", { shape: tuple(text("6")) }],
    ["65 dimensions", { shape: sizes(6, ...Array<number>(64).fill(1)) }],
    ["more entries", { more: "N" }],
    ["more entries in place of its format", { format: undefined, more: "N" }],
  ])("is a dict like any other with %s", async (_, change) => {
    expect(isTensor(await read(...spell(change)))).toBe(false);
  });

  it("may name its format by an enum, which SkyRL 0.4.0 does", async () => {
    const member = (name: string, cls = "TensorFormat"): Piece =>
      build("skyrl.backends.skyrl_train.training_batch", cls, text(name));
    expect(isTensor(await read(...spell({ format: member("numpy") })))).toBe(true);
    expect(isTensor(await read(...spell({ format: member("json") })))).toBe(false);
    expect(isTensor(await read(...spell({ format: member("numpy", "Other") })))).toBe(false);
    const view = async (...more: readonly Piece[]): Promise<TreeValue> =>
      read(
        "}(",
        text("format"),
        member("numpy_view"),
        text("data"),
        ...bytes(legacy(tensor())),
        ...more,
        "u",
      );
    expect(await rows(await view())).toHaveLength(6);
    expect(isTensor(await view(text("c"), "N"))).toBe(false);
  });

  it("has up to 64 dimensions", async () => {
    expect(isTensor(await read(...spell({ shape: sizes(6, ...Array<number>(63).fill(1)) })))).toBe(true);
  });

  it("may be the list of several, or a file of torch.save", async () => {
    const lists = (format: string, name: string, ...more: readonly Piece[]): Promise<TreeValue> =>
      read("}(", text("format"), text(format), text(name), list("N", "N"), ...more, "u");
    expect(await lists("tensor_list", "items")).toEqual([null, null]);
    expect({ ...((await lists("other_list", "items")) as object) }).toMatchObject({ format: "other_list" });
    expect({ ...((await lists("tensor_list", "others")) as object) }).toHaveProperty("others");
    expect({ ...((await lists("tensor_list", "items", text("c"), "N")) as object) }).toHaveProperty("items");
    const file = bytes(legacy(tensor()));
    expect(
      await rows(await read(...["}(", text("format"), text("torch"), text("data"), ...file, "u"])),
    ).toHaveLength(6);
    const other = await read("}(", text("format"), text("numpy"), text("data"), ...file, "u");
    expect(isTensor((other as { data: TreeValue }).data)).toBe(true);
    const more = await read("}(", text("format"), text("torch"), text("data"), ...file, text("c"), "Nu");
    expect(isTensor(more)).toBe(false);
  });
});

describe("a tensor that a tuple spells out", () => {
  const file = (...parts: readonly Piece[]): Promise<TreeValue> =>
    open(legacy(dict({ x: tuple(...parts), bytes: Buffer.from("C\0") }), { storages: [[24, FLOATS]] })).then(
      ({ root }) => root.x!,
    );
  const raw = tensor({ type: "torch.ByteStorage", length: 24 });

  it("is one of its type and shape, over an array of bytes", async () => {
    const found = (await file(text("torch.float32"), sizes(3, 2), raw)) as Tensor;
    expect([found.dtype, found.shape]).toEqual(["float32", [3, 2]]);
    expect([...(await found.readRows(0, 1))]).toEqual([1, 2]);
  });

  it.each<[what: string, parts: readonly Piece[]]>([
    ["no type", ["N", sizes(6), raw]],
    ["another size", [text("float32"), sizes(5), raw]],
    ["no tensor", [text("float32"), sizes(6), "N", raw]],
    ["more parts", [text("float32"), sizes(6), raw, "N"]],
    ["fewer parts", [text("float32"), raw]],
    [
      "bytes in rows",
      [
        text("float32"),
        sizes(6),
        tensor({ type: "torch.ByteStorage", length: 24, shape: [4, 6], strides: [6, 1] }),
      ],
    ],
  ])("is a tuple like any other with %s", async (_, parts) => {
    expect(Array.isArray(await file(...parts))).toBe(true);
  });

  it("of other numbers than bytes is a tuple like any other", async () => {
    const signed = tensor({ type: "torch.CharStorage", length: 24 });
    expect(Array.isArray(await file(text("float32"), sizes(6), signed))).toBe(true);
  });

  it("may be the rows of a nested tensor", async () => {
    for (const layout of ["jagged", "strided"])
      expect(await file(text(layout), list(raw))).toMatchObject([{ kind: "tensor" }]);
    expect(await file(text("other"), list(raw))).toMatchObject(["other", [{ kind: "tensor" }]]);
    expect(await file(text("jagged"), list(raw, "N"))).toMatchObject(["jagged", [{}, null]]);
    expect(await file(text("jagged"), tuple(), raw)).toHaveLength(3);
  });
});

describe("what stands inside a pickle", () => {
  it("is looked into in lists, dicts and objects, and left as it is where it is nothing else", async () => {
    const inside = bytes(legacy(tensor()));
    const [a, b] = (await read("(", ...inside, text("b"), "l")) as TreeValue[];
    expect([await rows(a), b]).toEqual([[1, 2, 3, 4, 5, 6], "b"]);
    const made = (await read(
      ...[writeGlobal("trainer", "Sample"), "(", ...inside, "t", 0x81],
      ...["}(", text("s"), ...inside, "ub(", ...inside, "Ne"],
    )) as PickledObject;
    expect(made.className).toBe("trainer.Sample");
    expect(isTensor(made.args[0]!)).toBe(true);
    expect(isTensor((made.state as { s: TreeValue }).s)).toBe(true);
    expect(isTensor((made.items as TreeValue[])[0]!)).toBe(true);
    const plain = await read(object("trainer", "Sample", dict({ a: text("b") })));
    expect(plain).toMatchObject({ kind: "object", className: "trainer.Sample", args: [], state: { a: "b" } });
    expect(plain).not.toHaveProperty("items");
    expect(await read("](K", 1, "K", 2, "e")).toEqual(Int32Array.of(1, 2));
    expect(await read("C", 2, 7, 8)).toEqual(Uint8Array.of(7, 8));
    expect(await read("N")).toBeNull();
  });

  it("is opened once, however often it is named", async () => {
    const [a, b] = (await read(...bytes(legacy(tensor())), "q", 9, "h", 9, 0x86)) as TreeValue[];
    expect(isTensor(a!)).toBe(true);
    expect(a).toBe(b);
  });

  it("may be a zip archive of torch.save; other archives stay bytes", async () => {
    const zip = writeZip([{ name: "a/data.pkl", bytes: pickle(dict({ y: int(7) })) }]);
    expect({ ...((await read(...bytes(zip))) as object) }).toEqual({ y: 7 });
    const picture = writeZip([{ name: "a.png", bytes: FLOATS }]);
    expect(await read(...bytes(picture))).toEqual(picture);
    const damaged = picture.subarray(0, -3);
    expect(await read(...bytes(damaged))).toEqual(damaged);
  });

  it("goes at most eight levels deep, one beside the other as often as there are", async () => {
    const nest = (levels: number): Uint8Array => {
      let inner: Uint8Array = legacy(tensor());
      for (let level = 1; level < levels; level++)
        inner = legacy(list(...bytes(inner)), { keys: list(), storages: [] });
      return pickle(dict({ x: Buffer.concat(bytes(inner).map((part) => Buffer.from(part as Uint8Array))) }));
    };
    expect((await open(nest(8))).root.x).toHaveLength(1);
    expect(await failure(nest(9))).toMatchObject({
      _tag: "LimitError",
      message: "pickles are nested in each other more than 8 levels deep",
      at: { file: "step_1.pt" },
    });
    const one = bytes(legacy(tensor()));
    expect(await read("(", ...Array<Piece[]>(12).fill(one).flat(), "l")).toHaveLength(12);
  });

  it("as a nested tensor is cut where its offsets say, and refused where they do not fit", async () => {
    const offsets = (...values: readonly number[]): Uint8Array =>
      legacy(
        dict({
          x: build(
            "torch.nested._internal.nested_tensor",
            "_rebuild_njt",
            dict({
              values: tensor(),
              offsets: tensor({ type: "torch.CharStorage", key: "o", length: values.length }),
            }),
          ),
        }),
        {
          keys: list(text("0"), text("o")),
          storages: [
            [6, FLOATS],
            [values.length, Uint8Array.from(values)],
          ],
        },
      );
    const found = (await open(offsets(0, 2, 2, 6))).root.x as TreeValue[];
    expect(await Promise.all(found.map(rows))).toEqual([[1, 2], [], [3, 4, 5, 6]]);
    expect(await rows((await open(offsets(1, 3))).root.x?.[0 as never])).toEqual([2, 3]);
    for (const [wrong, message] of [
      [offsets(0, 7), "nested tensor's row 0 spans 0 to 7, but there are 6 values"],
      [offsets(0, 3, 2), "nested tensor's row 1 spans 3 to 2, but there are 6 values"],
      [offsets(255, 2), "nested tensor's row 0 spans -1 to 2, but there are 6 values"],
    ] as const)
      expect(await failure(wrong)).toMatchObject({ _tag: "FormatError", message, at: { file: "step_1.pt" } });
  });
});

describe("the storage that a tensor names", () => {
  const id = (...parts: readonly Piece[]): Piece => Buffer.concat([tuple(...parts), Buffer.from("Q")]);
  const float32 = writeGlobal("torch", "FloatStorage");
  it.each<[what: string, on: Piece]>([
    ["another tag", id(text("module"), float32, text("0"), text("cpu"), int(6))],
    ["no type", id(text("storage"), text("float"), text("0"), text("cpu"), int(6))],
    ["no key", id(text("storage"), float32, int(0), text("cpu"), int(6))],
    ["no length", id(text("storage"), float32, text("0"), text("cpu"), text("6"))],
    ["nothing", id()],
  ])("is refused with %s", async (_, on) => {
    expect(await failure(legacy(tensor({ on })))).toMatchObject({
      _tag: "FormatError",
      message: "torch pickle refers to a tuple, which is not a storage",
      at: { file: "step_1.pt" },
    });
  });

  it("is refused with what is no tuple, or of a type that is a value and no storage", async () => {
    expect((await failure(legacy(tensor({ on: "NQ" })))).message).toBe(
      "torch pickle refers to None, which is not a storage",
    );
    expect(await failure(legacy(tensor({ on: storage({ type: "torch.float32" }) })))).toMatchObject({
      _tag: "UnsupportedError",
      message: "storages of torch.float32 are not read",
    });
  });

  it.each([
    ["DoubleStorage", "float64", 3],
    ["FloatStorage", "float32", 6],
    ["HalfStorage", "float16", 12],
    ["BFloat16Storage", "bfloat16", 12],
    ["LongStorage", "int64", 3],
    ["IntStorage", "int32", 6],
    ["ShortStorage", "int16", 12],
    ["CharStorage", "int8", 24],
    ["ByteStorage", "uint8", 24],
    ["BoolStorage", "bool", 24],
  ])("of torch.%s has elements of type %s", async (name, dtype, length) => {
    const file = legacy(tensor({ type: `torch.${name}`, length }), { storages: [[length, FLOATS]] });
    const found = (await open(file)).root.value as Tensor;
    expect([found.dtype, found.shape]).toEqual([dtype, [length]]);
    expect(await found.readRows(0, length)).toHaveLength(length);
  });

  it.each([
    ["ComplexDoubleStorage", "complex128"],
    ["ComplexFloatStorage", "complex64"],
    ["QUInt8Storage", "quint8"],
    ["QInt8Storage", "qint8"],
    ["QInt32Storage", "qint32"],
  ])("of torch.%s is not read", async (name, dtype) => {
    expect((await failure(legacy(tensor({ type: `torch.${name}` })))).message).toBe(
      `torch storages of ${dtype} are not read`,
    );
  });

  it.each([
    "float32",
    "float16",
    "bfloat16",
    "int64",
    "int16",
    "int8",
    "uint64",
    "uint32",
    "uint16",
    "uint8",
    "bool",
  ])("without a type of its own has that of its tensor: torch.%s", async (dtype) => {
    for (const type of [
      "torch.storage.UntypedStorage",
      "torch.UntypedStorage",
      "torch.storage._UntypedStorage",
    ]) {
      const args = [
        storage({ type, length: 24 }),
        int(0),
        sizes(3),
        sizes(1),
        "N",
        "N",
        writeGlobal("torch", dtype),
      ];
      const root = build("torch._utils", "_rebuild_tensor_v3", ...args);
      const found = (await open(legacy(root, { storages: [[24, FLOATS]] }))).root.value as Tensor;
      expect(found.dtype).toBe(dtype);
    }
  });

  it.each(
    (
      "complex64 complex128 complex32 quint8 qint8 qint32 quint4x2 quint2x4 bits8 bits16 float8_e4m3fn " +
      "float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2"
    ).split(" "),
  )("has no elements of type torch.%s that are read", async (dtype) => {
    const args = [storage(), int(0), sizes(3), sizes(1), "N", "N", writeGlobal("torch", dtype)];
    expect((await failure(legacy(build("torch._utils", "_rebuild_tensor_v3", ...args)))).message).toBe(
      `torch tensors of ${dtype} are not read`,
    );
  });
});
