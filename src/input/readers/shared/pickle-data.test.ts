import { describe, expect, it } from "vitest";
import { isLogratioError, type LogratioError } from "../../../core/base/errors.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import type { Tensor, TreeValue } from "../../io/columns.ts";
import { asTreeMap } from "./as-tree-map.ts";
import { readPickle } from "./pickle.ts";
import { assemble, float, type Piece, pickle, text, uint32, writeGlobal } from "./pickle-writer.test-data.ts";

const SOURCE = { file: "x.pt" };
const read = (...pieces: readonly Piece[]): TreeValue => readPickle(pickle(...pieces), SOURCE);

function failure(pieces: readonly Piece[], options = {}): LogratioError {
  try {
    readPickle(pickle(...pieces), SOURCE, options);
  } catch (error) {
    if (isLogratioError(error)) return error;
    throw error;
  }
  throw new Error("the pickle was read");
}

const [TUPLE1, TUPLE2, TUPLE3, NEWOBJ] = [0x85, 0x86, 0x87, 0x81];
/** A call of a global with the given arguments. */
const build = (module: string, name: string, ...args: readonly Piece[]): Piece =>
  assemble(writeGlobal(module, name), "(", ...args, "tR");
const plain = (value: TreeValue): unknown =>
  value !== null && Object.getPrototypeOf(value) === null ? { ...(value as object) } : value;

describe("containers of Python's library", () => {
  const pair = assemble(text("a"), "N", TUPLE2);
  const some = assemble("](N", 0x88, "e");
  it.each<[module: string, name: string, args: readonly Piece[], value: unknown]>([
    ["builtins", "list", [some], [null, true]],
    ["builtins", "list", [], []],
    ["builtins", "list", ["](K", 1, "K", 2, "e"], Int32Array.of(1, 2)],
    ["builtins", "tuple", [some], [null, true]],
    ["builtins", "set", [some], [null, true]],
    ["builtins", "frozenset", [build("builtins", "set", some)], [null, true]],
    ["builtins", "dict", [], {}],
    ["builtins", "dict", ["}", text("a"), "Ns"], { a: null }],
    ["builtins", "dict", ["](", pair, "e"], { a: null }],
    ["builtins", "bytes", [], new Uint8Array(0)],
    ["builtins", "bytes", ["C", 1, 7], Uint8Array.of(7)],
    ["builtins", "bytearray", [text("\xff"), text("latin-1")], Uint8Array.of(255)],
    ["_codecs", "encode", [text("\xffa"), text("latin1")], Uint8Array.of(255, 97)],
    ["_codecs", "encode", [text("a"), text("ISO-8859-1")], Uint8Array.of(97)],
    ["_codecs", "encode", [text("a"), text("iso8859-1")], Uint8Array.of(97)],
    ["collections", "OrderedDict", ["](", pair, "e"], { a: null }],
    ["collections", "Counter", ["}", text("a"), "Ns"], { a: null }],
    ["collections", "defaultdict", [writeGlobal("builtins", "list")], {}],
    ["collections", "defaultdict", [writeGlobal("__builtin__", "int"), "}", text("a"), "Ns"], { a: null }],
    ["collections", "deque", [some], [null, true]],
  ])("%s.%s", (module, name, args, value) => {
    expect(plain(read(build(module, name, ...args)))).toEqual(value);
  });

  it("are copies, which what they were made of does not change", () => {
    // x = {}; y = dict(x); x["a"] = None; (x, y)
    const shared = ["}q", 0, "0", writeGlobal("builtins", "dict"), "h", 0, TUPLE1, "Rq", 1, "0"];
    const [x, y] = read(...shared, "h", 0, text("a"), "Nsh", 1, TUPLE2) as TreeValue[];
    expect([plain(x!), plain(y!)]).toEqual([{ a: null }, {}]);
  });

  it.each<[args: readonly Piece[], message: string]>([
    [[build("builtins", "list", "N")], "None is not a sequence"],
    [[build("builtins", "set", "K", 7)], "7 is not a sequence"],
    [[build("builtins", "tuple", text("abc"))], 'the string "abc" is not a sequence'],
    [[build("builtins", "dict", "](Ne")], "None is not a sequence"],
    [[build("builtins", "dict", "](N", TUPLE1, "e")], "a tuple is not a pair of key and value"],
    [[build("builtins", "dict", "]()e")], "a tuple is not a pair of key and value"],
    [[build("builtins", "bytes", "N")], "None in encoding nothing are not bytes"],
    [
      [build("_codecs", "encode", text("a"), text("utf-8"))],
      'the string "a" in encoding the string "utf-8" are not bytes',
    ],
    [
      [build("_codecs", "encode", text("Ā"), text("latin1"))],
      'the string "Ā" in encoding the string "latin1" are not bytes',
    ],
    [
      [build("_codecs", "encode", "C", 1, 7, text("latin1"))],
      '1 bytes in encoding the string "latin1" are not bytes',
    ],
    [[build("_codecs", "encode", text("a"), text("xlatin1"))], /are not bytes$/],
    [[build("_codecs", "encode", text("a"), text("latin1x"))], /are not bytes$/],
  ] as [readonly Piece[], string][])(
    "%# are refused where they are made of something else",
    (pieces, message) => {
      const error = failure(pieces);
      expect(error).toMatchObject({ _tag: "FormatError", likely: LIKELY_DAMAGED, at: { file: "x.pt" } });
      if (typeof message === "string") expect(error.message).toBe(message);
      else expect(error.message).toMatch(message);
    },
  );
});

describe("classes", () => {
  it.each([
    ["_io", "BytesIO"],
    ["argparse", "Namespace"],
    ["builtins", "complex"],
    ["builtins", "range"],
    ["builtins", "slice"],
    ["datetime", "date"],
    ["datetime", "datetime"],
    ["datetime", "time"],
    ["datetime", "timedelta"],
    ["datetime", "timezone"],
    ["decimal", "Decimal"],
    ["fractions", "Fraction"],
    ["pathlib", "Path"],
    ["pathlib", "PosixPath"],
    ["pathlib", "PurePath"],
    ["pathlib", "PurePosixPath"],
    ["pathlib", "PureWindowsPath"],
    ["pathlib", "WindowsPath"],
    ["types", "SimpleNamespace"],
    ["uuid", "UUID"],
  ])("%s.%s is plain data of the standard library: kept as it is, without being asked to", (module, name) => {
    const className = `${module}.${name}`;
    expect(read(writeGlobal(module, name), "K", 7, TUPLE1, "R")).toEqual({
      kind: "object",
      className,
      args: [7],
      state: undefined,
    });
    expect(read(writeGlobal(module, name))).toEqual({
      kind: "object",
      className,
      args: [],
      state: undefined,
    });
  });

  it.each(["bool", "float", "int", "object", "str"])("builtins.%s is a value, by its name", (name) => {
    expect(read(writeGlobal("builtins", name))).toBe(`builtins.${name}`);
  });

  it.each([
    ["__builtin__", "xrange", "builtins.range"],
    ["__builtin__", "unicode", "builtins.str"],
    ["__builtin__", "long", "builtins.int"],
    ["__builtin__", "set", "builtins.set"],
  ])("%s.%s of Python 2 is %s", (module, name, modern) => {
    const error = failure([writeGlobal(module, name), "Nb"]);
    expect(error.message).toContain(modern);
  });

  it.each(
    (
      "os posix nt subprocess sys imp builtins pty socket urllib " +
      "ftplib webbrowser requests code ctypes multiprocessing threading _thread " +
      "asyncio signal pickle dill marshal types operator " +
      "_operator itertools gc tempfile io pdb timeit profile " +
      "cProfile pip zipimport sqlite3 commands " +
      "popen2 platform weakref msvcrt"
    ).split(" "),
  )("of %s are never built, nor recorded", (module) => {
    for (const [from, name] of [
      [module, "run"],
      [`${module}.inner`, "run"],
      ["torch", `${module}.run`],
    ] as const)
      expect(failure([writeGlobal(from, name)], { unknownClasses: "record" })).toMatchObject({
        message: `refused to run ${from}.${name}`,
        hint: "do not load it in Python; find out where it comes from",
      });
  });

  it("of other modules may have the name of a dangerous one", () => {
    const options = { unknownClasses: "record" } as const;
    const found = readPickle(pickle(writeGlobal("trainer.os", "sys")), SOURCE, options);
    expect(found).toMatchObject({ className: "trainer.os.sys" });
  });

  it.each([
    ["torch.storage", "_load_from_bytes", "save tensors with torch.save"],
    ["torch._utils", "_rebuild_nested_tensor", "save nested tensors as lists"],
    ["torch._utils", "_rebuild_sparse_tensor", "save it as tensor.to_dense()"],
    ["torch._utils", "_rebuild_qtensor", "save it as tensor.dequantize()"],
    ["torch._utils", "_rebuild_wrapper_subclass", "save it as tensor.full_tensor()"],
    ["torch._utils", "_rebuild_meta_tensor_no_storage", "it has no values to read"],
    ["torch._utils", "_rebuild_device_tensor_from_numpy", "save it as tensor.cpu()"],
    ["torch._utils", "_rebuild_device_tensor_from_cpu_tensor", "save it as tensor.cpu()"],
    ["torch.jit._pickle", "build_intlist", "save its tensors with torch.save"],
  ])("%s.%s is not read, with what to do instead", (module, name, hint) => {
    expect(failure([writeGlobal(module, name)])).toMatchObject({
      _tag: "UnsupportedError",
      message: `${module}.${name} is not read`,
      hint: expect.stringContaining(hint),
    });
  });
});

describe("the keys of a dict", () => {
  it.each<[pieces: readonly Piece[], name: string]>([
    [[text("a")], "a"],
    [["K", 7], "7"],
    [[float(0.5)], "0.5"],
    [["N"], "None"],
    [[0x88], "True"],
    [[0x89], "False"],
    [[text("a"), "K", 1, TUPLE2], "('a', 1)"],
    [["N", 0x88, TUPLE2], "(None, True)"],
    [[")"], "()"],
  ])("%j are written as Python writes them", (pieces, name) => {
    expect(Object.keys(read("}", ...pieces, "Ns") as object)).toEqual([name]);
  });

  it.each<[pieces: readonly Piece[], name: string]>([
    [["]"], "a list"],
    [["}"], "a dict"],
    [["C", 2, 0, 0], "2 bytes"],
    [["]", TUPLE1], "a tuple"],
    [[writeGlobal("builtins", "int")], "builtins.int"],
    [[writeGlobal("uuid", "UUID"), ")", NEWOBJ], "an object of uuid.UUID"],
  ])("%j are refused", (pieces, name) => {
    expect(failure(["}", ...pieces, "Ns"])).toMatchObject({
      _tag: "UnsupportedError",
      message: `dict has ${name} as a key; strings, numbers and tuples of them are read`,
      hint: "save it with strings as keys",
    });
  });

  it("may come twice: the last value stands, as in Python", () => {
    expect(plain(read("}(", text("a"), "N", text("a"), 0x88, "u"))).toEqual({ a: true });
    expect(plain(read("}(K", 1, "NK", 1, 0x88, "u"))).toEqual({ 1: true });
  });
});

describe("values that are not data", () => {
  it("are named by the first 40 characters of a text", () => {
    expect(failure([text("a".repeat(40)), ")R"]).message).toBe(
      `refused to call the string "${"a".repeat(40)}"`,
    );
    expect(failure([text("a".repeat(41)), ")R"]).message).toBe(
      `refused to call the string "${"a".repeat(40)}…"`,
    );
  });

  it.each<[pieces: readonly Piece[], name: string]>([
    [["N"], "None"],
    [[0x88], "true"],
    [["K", 7], "7"],
    [["]"], "a list"],
    [["C", 1, 7], "1 bytes"],
  ])("%j are not called", (pieces, name) => {
    expect(failure([...pieces, ")R"]).message).toBe(`refused to call ${name}`);
  });

  it("of an empty OBJ are nothing", () => {
    expect(failure(["(o"]).message).toBe("refused to call nothing");
  });
});

describe("a tree", () => {
  it("of a value that is no dict has it under the name value", () => {
    expect(Object.keys(asTreeMap(read("}", text("a"), "Ns")))).toEqual(["a"]);
    for (const pieces of [["N"], ["]"], ["K", 7], [text("a")], ["C", 1, 7], ["](K", 1, "e"]]) {
      const value = read(...pieces);
      const root = asTreeMap(value);
      expect(root.value).toBe(value);
      expect(Object.getPrototypeOf(root)).toBeNull();
    }
  });

  it("holds a shared value once, wherever it is named", () => {
    const [first, second] = read("]q", 0, text("a"), "ah", 0, TUPLE2) as TreeValue[];
    expect(first).toBe(second);
  });

  it("tells who contains itself", () => {
    expect(failure(["}q", 0, text("a"), "h", 0, "s"]).message).toBe(
      "pickle holds a dict that contains itself",
    );
  });

  it("keeps lists of numbers typed: 32-bit whole numbers, or doubles", () => {
    expect(read("K", 1, "J", uint32(0xffff_ffff), TUPLE2)).toEqual(Int32Array.of(1, -1));
    expect(read("K", 1, float(1), TUPLE2)).toEqual(Int32Array.of(1, 1));
    expect(read("K", 1, float(-0), TUPLE2)).toEqual(Float64Array.of(1, -0));
    expect(read("K", 1, 0x8a, 5, 0, 0, 0, 0, 1, TUPLE2)).toEqual(Float64Array.of(1, 2 ** 32));
    expect(read("K", 1, 0x88, TUPLE2)).toEqual([1, true]);
    expect(read("](K", 1, "e", text("a"), "a")).toEqual([1, "a"]);
    expect(read("](K", 1, "eK", 2, "a")).toEqual(Int32Array.of(1, 2));
    expect(read("](K", 1, "e", float(0.5), "aK", 3, "a")).toEqual(Float64Array.of(1, 0.5, 3));
    expect(read("](M", 1, 2, "J", uint32(5), "e")).toEqual(Int32Array.of(513, 5));
    expect(read("](", 0x8a, 1, 255, "e")).toEqual(Float64Array.of(-1));
  });

  it("counts a tensor that is named again by a sixteenth of its elements", () => {
    // 2^21 elements, so 2^17 each time; a pickle of 2^21 bytes may have 2^24 + 2^25 values.
    const tensor = build(
      ...(["numpy._core.numeric", "_frombuffer"] as const),
      ...["B", uint32(2 ** 21), new Uint8Array(2 ** 21)],
      ...[dtype("u1"), "J", uint32(2 ** 21), TUPLE1, text("C")],
    );
    const name = (times: number): readonly Piece[] => [
      tensor,
      "q",
      0,
      "0](",
      ...Array<Piece[]>(times).fill(["h", 0]).flat(),
      "e",
    ];
    expect(read(...name(380))).toHaveLength(380);
    expect(failure(name(390)).message).toMatch(/^pickle of \d+ bytes unfolds to \d+(\.\d+)? values; at most/);
  });
});

function dtype(code: string, order = "|"): Uint8Array {
  return assemble(
    writeGlobal("numpy", "dtype"),
    ...[text(code), 0x89, 0x88, TUPLE3, "R"],
    ...["(K", 3, text(order), "NNNJ", uint32(0xffff_ffff), "J", uint32(0xffff_ffff), "K", 0, "tb"],
  );
}

describe("NumPy's values", () => {
  const scalar = (type: Piece, ...data: readonly Piece[]): readonly Piece[] => [
    writeGlobal("numpy._core.multiarray", "scalar"),
    ...["(", type, ...data, "tR"],
  ];
  const frombuffer = (type: Piece, data: readonly Piece[], shape: readonly Piece[], order = "C"): Piece =>
    build("numpy.core.numeric", "_frombuffer", ...data, type, ...shape, text(order));
  const objects = (shape: readonly Piece[], data: readonly Piece[]): readonly Piece[] => [
    writeGlobal("numpy._core.multiarray", "_reconstruct"),
    ...[writeGlobal("numpy", "ndarray"), "K", 0, TUPLE1, text("b"), TUPLE3, "R"],
    ...["(K", 1, ...shape, dtype("O"), 0x89, ...data, "tb"],
  ];

  it.each<[name: string, pieces: readonly Piece[], value: unknown]>([
    ["a float", scalar(dtype("f8", "<"), "C", 8, new Uint8Array(Float64Array.of(0.5).buffer)), 0.5],
    ["a big-endian int", scalar(dtype("i2", ">"), "C", 2, 1, 2), 258],
    ["a bool", scalar(dtype("b1"), "C", 1, 1), true],
    ["False", scalar(dtype("b1"), "C", 1, 0), false],
    ["a text", scalar(dtype("U2", "<"), "C", 8, "a\0\0\0b\0\0\0"), "ab"],
    ["bytes", scalar(dtype("S3"), "C", 3, "ab\0"), "ab"],
    ["an empty text", scalar(dtype("U0", "<"), "C", 0), ""],
    ["a type", [dtype("f4", "<")], "f4"],
  ])("%s", (_, pieces, value) => {
    expect(read(...pieces)).toBe(value);
  });

  it("arrays in the order of Fortran, from one buffer", async () => {
    for (const [order, rows] of [
      ["C", [1, 2, 3, 4, 5, 6]],
      ["F", [1, 3, 5, 2, 4, 6]],
    ] as const) {
      const data = ["C", 6, 1, 2, 3, 4, 5, 6];
      const tensor = read(frombuffer(dtype("u1"), data, ["K", 2, "K", 3, TUPLE2], order)) as Tensor;
      expect(tensor.shape).toEqual([2, 3]);
      expect([...(await tensor.readRows(0, 2))]).toEqual(rows);
    }
  });

  it("object arrays of any number of dimensions, as lists in lists", () => {
    const four = ["](K", 1, "K", 2, "K", 3, text("d"), "e"];
    expect(read(...objects(["K", 4, TUPLE1], four))).toEqual([1, 2, 3, "d"]);
    expect(read(...objects(["K", 2, "K", 2, TUPLE2], four))).toEqual([Int32Array.of(1, 2), [3, "d"]]);
    expect(read(...objects(["K", 2, "K", 1, "K", 2, TUPLE3], four))).toEqual([
      [Int32Array.of(1, 2)],
      [[3, "d"]],
    ]);
    expect(read(...objects([")"], ["](Ne"]))).toBeNull();
    expect(read(...objects(["K", 3, "K", 0, TUPLE2], ["]"]))).toEqual([]);
    expect(read(...objects(["K", 2, TUPLE1], ["](K", 1, "K", 2, "e"]))).toEqual(Int32Array.of(1, 2));
  });

  it.each<[name: string, pieces: readonly Piece[], message: string]>([
    ["a type of no text", [build("numpy", "dtype", "N")], "numpy.dtype of None"],
    ["a type's state", [build("numpy", "dtype", text("f4")), "Nb"], "pickled numpy.dtype has no byte order"],
    [
      "a type's byte order",
      [build("numpy", "dtype", text("f4")), "K", 3, text("<<"), TUPLE2, "b"],
      "pickled numpy.dtype has no byte order",
    ],
    [
      "a type's fields",
      [build("numpy", "dtype", text("V4")), "(K", 3, text("|"), "N", text("a"), TUPLE1, "tb"],
      "NumPy record types are not read",
    ],
    ["an array that was never filled", objects([")"], ["N"]).slice(0, 8), "was never filled in"],
    ["an array's state", [...objects([")"], ["N"]).slice(0, 8), "Nb"], "has no state of five parts"],
    [
      "an array that is filled twice",
      [...objects([")"], ["](Ne"]), "(NNNNNtb"],
      "has no state of five parts",
    ],
    ["an array without a type", [frombuffer("N", ["C", 0], [")"])], "None is not a numpy.dtype"],
    ["an array without a shape", [frombuffer(dtype("u1"), ["C", 0], ["N"])], "None is not a shape"],
    [
      "an array of a shape of texts",
      [frombuffer(dtype("u1"), ["C", 0], [text("a"), TUPLE1])],
      "a tuple is not a shape",
    ],
    [
      "too few objects",
      objects(["K", 3, TUPLE1], ["](Ne"]),
      "of shape [3] needs a list of 3 objects, it has 1",
    ],
    [
      "too many numbers",
      objects(["K", 1, TUPLE1], ["](K", 1, "K", 2, "e"]),
      "needs a list of 1 objects, it has 2",
    ],
    ["no objects", objects(["K", 1, TUPLE1], ["N"]), "needs a list of 1 objects, it has None"],
    [
      "too few bytes",
      [frombuffer(dtype("i4", "<"), ["C", 3, 1, 2, 3], ["K", 1, TUPLE1])],
      "needs 4 bytes, it has 3 bytes",
    ],
    [
      "a text array's bytes",
      [frombuffer(dtype("U2", "<"), ["C", 4, 0, 0, 0, 0], ["K", 1, TUPLE1])],
      "needs 8 bytes, it has 4",
    ],
    [
      "no bytes",
      [frombuffer(dtype("u1"), [text("a")], ["K", 1, TUPLE1])],
      'needs 1 bytes, it has the string "a"',
    ],
    [
      "a scalar of too few bytes",
      scalar(dtype("f8", "<"), "C", 4, 0, 0, 0, 0),
      "NumPy scalar of 8 bytes has 4 bytes",
    ],
    ["a scalar of no bytes", scalar(dtype("f8", "<"), "N"), "NumPy scalar of 8 bytes has None"],
    ["a scalar object", scalar(dtype("O"), "C", 0), "NumPy scalar of -1 bytes has 0 bytes"],
  ])("are refused: %s", (_, pieces, message) => {
    expect(failure(pieces).message).toContain(message);
  });
});
