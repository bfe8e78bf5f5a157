import { describe, expect, it } from "vitest";
import type { Tensor, TreeMap } from "../../io/columns.ts";
import { float, type Piece, pickle, text, writeGlobal } from "../shared/pickle-writer.test-data.ts";
import {
  build,
  dict,
  FLOATS,
  failure,
  int,
  legacy,
  list,
  NEWTRUE,
  object,
  open,
  sizes,
  storage,
  tensor,
  tuple,
} from "./pieces.test-data.ts";

const plain = (value: unknown): unknown => ({ ...(value as object) });
const rows = async (value: unknown): Promise<number[]> => [
  ...(await (value as Tensor).readRows(0, (value as Tensor).shape[0]!)),
];
/** What a pickle without tensors holds under `x`. */
const read = async (piece: Piece): Promise<unknown> => (await open(pickle(dict({ x: piece })))).root.x;

/** The same, but keeps objects of unknown classes. */
const kept = async (piece: Piece): Promise<unknown> =>
  (await open(pickle(dict({ x: piece })), { unknownClasses: "record" })).root.x;

describe("a pickled TensorDict", () => {
  const make = (state: Piece): Uint8Array =>
    build("tensordict._reductions", "_make_td", writeGlobal("builtins", "object"), state);

  it("is the dict of its columns", async () => {
    expect(plain(await read(make(dict({ _tensordict: dict({ a: int(1) }), device: "N" }))))).toEqual({
      a: 1,
    });
    expect(
      plain(await kept(object("tensordict._td", "TensorDict", dict({ _tensordict: dict({ a: int(1) }) })))),
    ).toEqual({ a: 1 });
  });

  it("of a stack along the first dimension has its columns row by row", async () => {
    const parts = [dict({ a: int(1), b: text("x") }), dict({ a: int(2), c: "N" })];
    // A column that only some parts have is not a column of the whole.
    for (const stack of [
      make(dict({ tensordicts: list(...parts) })),
      make(dict({ tensordicts: list(...parts), stack_dim: int(0) })),
    ])
      expect(plain(await read(stack))).toEqual({ a: Int32Array.of(1, 2) });
    const wrapped = object("tensordict", "LazyStackedTensorDict", dict({ tensordicts: list(...parts) }));
    expect(plain(await kept(wrapped))).toEqual({ a: Int32Array.of(1, 2) });
  });

  it("of a stack of other things is their list", async () => {
    expect(await read(make(dict({ tensordicts: list(text("a"), "N") })))).toEqual(["a", null]);
    expect(await read(make(dict({ tensordicts: list(dict({}), dict({})) })))).toHaveLength(2);
    expect(await read(make(dict({ tensordicts: list() })))).toHaveLength(0);
  });

  it("of a stack along another dimension, or of no columns, is refused", async () => {
    for (const state of [dict({ tensordicts: list(dict({ a: int(1) })), stack_dim: int(1) }), dict({}), "N"])
      expect(await failure(pickle(make(state)))).toMatchObject({
        _tag: "UnsupportedError",
        message: "a pickled builtins.object has no columns of its own",
      });
  });
});

describe("objects of tensordict's classes", () => {
  it("without columns stay what they are", async () => {
    for (const [module, name] of [
      ["tensordict", "Other"],
      ["tensordict.nn", "TensorDictModule"],
    ] as const)
      await expect(read(object(module, name, dict({ a: int(1) })))).rejects.toThrow("refused to build");
    const options = { unknownClasses: "record" } as const;
    const kept = await open(pickle(dict({ x: object("tensordict", "Other", dict({ a: int(1) })) })), options);
    expect(kept.root.x).toMatchObject({ kind: "object", className: "tensordict.Other" });
  });

  it("as linked lists are their items", async () => {
    const linked: Piece[] = [writeGlobal("tensordict.utils", "LinkedList"), ")", 0x81, "(", text("a"), "Ne"];
    expect((await open(pickle("}", text("x"), ...linked, "s"), { unknownClasses: "record" })).root.x).toEqual(
      ["a", null],
    );
  });

  it("that hold no tensor stand for each row: a text is repeated, anything else is there already", async () => {
    const data = (value: Piece, size: Piece): Piece =>
      object("tensordict.tensorclass", "NonTensorData", dict({ data: value, _batch_size: size }));
    expect(await kept(data(text("maths"), sizes(3)))).toEqual(["maths", "maths", "maths"]);
    expect(await kept(data(text("maths"), sizes()))).toBe("maths");
    expect(await kept(data(text("maths"), sizes(2, 2)))).toBe("maths");
    expect(await kept(data(text("maths"), sizes(0)))).toHaveLength(0);
    expect(await kept(data(text("maths"), sizes(-1)))).toHaveLength(0);
    expect(await kept(data(text("maths"), sizes(2 ** 21 + 1)))).toBe("maths");
    expect(await kept(data(float(0.5), sizes(3)))).toBe(0.5);
    const held = object(
      "tensordict.tensorclass",
      "NonTensorData",
      dict({ non_tensordict: dict({ data: text("code") }), data: "N", _batch_size: sizes(1) }),
    );
    expect(await kept(held)).toEqual(["code"]);
    const none = object("tensordict.tensorclass", "NonTensorData", dict({ _batch_size: sizes(1) }));
    expect(await kept(none)).toMatchObject({ kind: "object" });
  });

  it("of a buffer are its bytes", async () => {
    const bytes: Piece[] = ["C", 2, 7, 8];
    const buffer = (state: Piece): Piece => object("_io", "BytesIO", state);
    expect(await read(buffer(tuple(...bytes, int(0), "N")))).toEqual(Uint8Array.of(7, 8));
    expect(await read(build("_io", "BytesIO", ...bytes))).toEqual(Uint8Array.of(7, 8));
    expect(await read(build("_io", "BytesIO", text("ab")))).toMatchObject({ kind: "object" });
  });
});

describe("a consolidated TensorDict", () => {
  const consolidated = (
    metadata: Piece,
    on: Piece = tensor({ type: "torch.ByteStorage", length: 24 }),
  ): Uint8Array => build("tensordict._reductions", "_rebuild_tensordict_files_consolidated", metadata, on);
  const file = (metadata: Piece, on?: Piece): Uint8Array =>
    legacy(dict({ x: consolidated(metadata, on) }), { storages: [[24, FLOATS]] });
  const columns = async (metadata: Piece): Promise<TreeMap> => (await open(file(metadata))).root.x as TreeMap;
  const leaf = (dtype: string, shape: readonly number[], start: number): Piece =>
    tuple(text(dtype), sizes(...shape), int(start), int(0), int(0));

  it("has each tensor where its metadata say", async () => {
    const leaves = dict({ a: leaf("float32", [2, 2], 0), b: leaf("torch.int32", [2], 16) });
    const read = await columns(dict({ cls: text("tensordict.TensorDict"), leaves, size: int(24) }));
    expect(Object.keys(read)).toEqual(["a", "b"]);
    expect((read.a as Tensor).shape).toEqual([2, 2]);
    expect(await rows(read.a)).toEqual([1, 2, 3, 4]);
    expect(await rows(read.b)).toEqual([...new Int32Array(FLOATS.buffer, 16)]);
  });

  it("has TensorDicts of its own, and what is no tensor", async () => {
    const inner = dict({ leaves: dict({ b: leaf("float32", [1], 20) }) });
    const read = await columns(
      dict({
        cls_metadata: dict({ secret: int(1) }),
        non_tensors: dict({
          task: tuple(text("maths"), sizes(2)),
          seed: tuple(int(7), sizes(2)),
          none: tuple(),
        }),
        leaves: dict({ a: leaf("float32", [1], 0) }),
        inner,
        note: text("not a part"),
      }),
    );
    expect(Object.keys(read)).toEqual(["task", "seed", "none", "a", "inner"]);
    expect([read.task, read.seed, read.none]).toEqual([["maths", "maths"], 7, null]);
    expect(await rows((read.inner as TreeMap).b)).toEqual([6]);
  });

  it("of non-tensor data is that value, and of their stack a list", async () => {
    for (const cls of [text("tensordict.tensorclass.NonTensorStack"), text("NonTensorStack")]) {
      const stack = dict({
        cls,
        non_tensors: dict({ 0: tuple(text("a"), sizes()), 1: tuple(text("b"), sizes()) }),
      });
      expect(await columns(stack)).toEqual(["a", "b"]);
    }
    const data = (cls: Piece, name: string): Piece =>
      dict({ cls, non_tensors: dict({ [name]: tuple(text("a"), sizes()) }) });
    expect(await columns(data(text("tensordict.NonTensorData"), "data"))).toBe("a");
    expect(plain(await columns(data(text("tensordict.NonTensorData"), "other")))).toEqual({ other: "a" });
    expect(plain(await columns(data(text("MyNonTensorData"), "data")))).toEqual({ data: "a" });
    expect(plain(await columns(data(text("NonTensorStacks"), "data")))).toEqual({ data: "a" });
  });

  const ragged = (
    ...names: readonly (readonly [name: string, shape: number, start: number, ragged?: number])[]
  ): Piece =>
    dict({
      leaves: dict(
        Object.fromEntries(
          names.map(([name, size, start, index]) => [
            name,
            tuple(
              text(name.startsWith("<NJT_VALUES>") ? "float32" : "uint8"),
              sizes(size),
              int(start),
              int(0),
              int(0),
              index === undefined ? "N" : int(index),
            ),
          ]),
        ),
      ),
    });

  it("has nested tensors in parts, whose rows are put together", async () => {
    // The offsets 0, 2, 3 and the lengths 1, 1 are bytes after the values.
    const bytes = new Uint8Array([...FLOATS.subarray(0, 12), 0, 2, 3, 1, 1, ...new Uint8Array(7)]);
    const metadata = ragged(
      ["<NJT_VALUES>a", 3, 0],
      ["<NJT_LENGTHS>a", 2, 15],
      ["<NJT_OFFSETS>a", 3, 12, 1],
      ["<NJT_VALUES>b", 3, 0],
      ["<NJT_OFFSETS>b", 3, 12],
    );
    const { root } = await open(legacy(dict({ x: consolidated(metadata) }), { storages: [[24, bytes]] }));
    const { a, b } = root.x as { a: Tensor[]; b: Tensor[] };
    expect(await Promise.all(a.map(rows))).toEqual([[1], [3]]);
    expect(await Promise.all(b.map(rows))).toEqual([[1, 2], [3]]);
  });

  it.each<[what: string, bytes: Uint8Array, tag: string, message: string]>([
    ["no metadata", file("N"), "FormatError", "consolidated TensorDict is built on None and a tensor"],
    [
      "no tensor",
      legacy(consolidated(dict({}), "N"), { keys: list(), storages: [] }),
      "FormatError",
      "built on a dict and None",
    ],
    [
      "a column without a type",
      file(dict({ leaves: dict({ a: tuple(int(1), sizes(1), int(0)) }) })),
      "FormatError",
      'no place for its column the string "a"',
    ],
    [
      "a column without a place",
      file(dict({ leaves: dict({ a: tuple(text("float32"), sizes(1), "N") }) })),
      "FormatError",
      'no place for its column the string "a"',
    ],
    [
      "a column before the first byte",
      file(dict({ leaves: dict({ a: leaf("float32", [1], -1) }) })),
      "FormatError",
      'no place for its column the string "a"',
    ],
    [
      "a column that is no tuple",
      file(dict({ leaves: dict({ a: "N" }) })),
      "FormatError",
      'no place for its column the string "a"',
    ],
    [
      "a column of no text",
      file(dict({ leaves: "}K\x07" + "Ns" })),
      "FormatError",
      "no place for its column 7",
    ],
    [
      "a column beyond the last byte",
      file(dict({ leaves: dict({ a: leaf("float32", [2], 20) }) })),
      "FormatError",
      "exceeds its storage: it needs 2 elements, but it has 1",
    ],
    [
      "a column of an unknown type",
      file(dict({ leaves: dict({ a: leaf("complex64", [1], 0) }) })),
      "UnsupportedError",
      "torch tensors of complex64 are not read",
    ],
    [
      "rows without values",
      file(ragged(["<NJT_OFFSETS>a", 3, 12])),
      "FormatError",
      "nested tensor is built on nothing with the offsets a tensor",
    ],
    [
      "rows of another dimension",
      file(ragged(["<NJT_VALUES>a", 3, 0], ["<NJT_OFFSETS>a", 3, 12, 2])),
      "UnsupportedError",
      "ragged in dimension 2 are not read",
    ],
  ])("is refused with %s", async (_, bytes, tag, message) => {
    const error = await failure(bytes);
    expect(error._tag).toBe(tag);
    expect(error.message).toContain(message);
  });

  it("is followed through 64 levels", async () => {
    const nest = (levels: number): Piece => {
      let metadata: Piece = dict({ leaves: dict({ a: leaf("float32", [1], 0) }) });
      for (let level = 0; level < levels; level++) metadata = dict({ n: metadata });
      return metadata;
    };
    expect(Object.keys(await columns(nest(64)))).toEqual(["n"]);
    expect((await failure(file(nest(65)))).message).toBe(
      "consolidated TensorDict is nested deeper than 64 levels",
    );
  });
});

describe("a tensor", () => {
  it("of one name and attributes is what its function makes of it", async () => {
    const type = writeGlobal("torch", "Tensor");
    const attributes = (callee: string, args: Piece, of: Piece = type): Piece =>
      build(
        "torch._tensor",
        "_rebuild_from_type_v2",
        writeGlobal("torch._utils", callee),
        of,
        args,
        dict({}),
      );
    const args = tuple(storage(), int(1), sizes(2), sizes(1), NEWTRUE, "N");
    expect(await rows((await open(legacy(attributes("_rebuild_tensor_v2", args)))).root.value)).toEqual([
      2, 3,
    ]);
    const parameter = build("torch._utils", "_rebuild_parameter", tensor(), NEWTRUE, "N");
    expect(await rows((await open(legacy(parameter))).root.value)).toHaveLength(6);
    const state = build("torch._utils", "_rebuild_parameter_with_state", tensor(), NEWTRUE, "N", "N");
    expect(await rows((await open(legacy(state))).root.value)).toHaveLength(6);
    for (const bad of [attributes("_rebuild_tensor_v2", "N"), attributes("_rebuild_tensor_v2", args, "N")])
      expect(await failure(legacy(bad))).toMatchObject({
        _tag: "UnsupportedError",
        message: expect.stringMatching(/^tensors of .* are not read$/),
      });
    expect(
      (
        await failure(
          legacy(build("torch._utils", "_rebuild_parameter", "N"), { keys: list(), storages: [] }),
        )
      ).message,
    ).toBe("torch parameter is built on None");
  });

  it("of version 3 has the type that is named, over a storage without one", async () => {
    const untyped = storage({ type: "torch.storage.UntypedStorage", length: 24 });
    const args = [untyped, int(1), sizes(2), sizes(1), NEWTRUE, "N"];
    const root = build("torch._utils", "_rebuild_tensor_v3", ...args, writeGlobal("torch", "int32"));
    const read = (await open(legacy(root, { storages: [[24, FLOATS]] }))).root.value;
    expect(await rows(read)).toEqual([...new Int32Array(FLOATS.buffer, 4, 2)]);
    const none = build("torch._utils", "_rebuild_tensor_v2", ...args);
    expect((await failure(legacy(none, { storages: [[24, FLOATS]] }))).message).toBe(
      "torch tensors of no type are not read",
    );
  });

  it("with a conjugation or negation still to be made is not read", async () => {
    for (const [name, key, metadata] of [
      ["_rebuild_tensor_v2", "conj", 6],
      ["_rebuild_tensor_v2", "neg", 6],
      ["_rebuild_tensor_v3", "neg", 7],
    ] as const) {
      const args: Piece[] = [storage(), int(0), sizes(2), sizes(1), NEWTRUE, "N", "N"].slice(0, metadata);
      const bad = build("torch._utils", name, ...args, dict({ [key]: NEWTRUE }));
      expect((await failure(legacy(bad))).message).toBe(
        "tensors with a pending conjugation or negation are not read",
      );
      const good = build("torch._utils", name, ...args, dict({ other: NEWTRUE }));
      expect(await rows((await open(legacy(good))).root.value)).toEqual([1, 2]);
    }
  });

  it("has sizes, and a device, that are plain values", async () => {
    expect(await read(build("torch", "Size", list(int(2), int(3))))).toEqual(Int32Array.of(2, 3));
    expect(await read(build("torch", "device", text("cuda"), int(1)))).toBe("cuda:1");
    expect(await read(build("torch", "device", text("cpu"), "N"))).toBe("cpu");
  });

  it("without elements may lie anywhere", async () => {
    const empty = (await open(legacy(tensor({ offset: 99, shape: [0, 3], strides: [3, 1] })))).root
      .value as Tensor;
    expect([empty.shape, await empty.readRows(0, 0)]).toEqual([[0, 3], new Float32Array(0)]);
  });
});
