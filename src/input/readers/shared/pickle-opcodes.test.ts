import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLogratioError, type LogratioError } from "../../../core/base/errors.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import { type PickleSource, readPickle } from "./pickle.ts";
import {
  assemble,
  call,
  float,
  type Piece,
  pickle,
  text,
  uint32,
  writeGlobal,
} from "./pickle-writer.test-data.ts";

const SOURCE = { file: "x.pt" };
const read = (...pieces: readonly Piece[]): unknown => readPickle(pickle(...pieces), SOURCE);

function failure(bytes: Uint8Array, source: PickleSource = SOURCE): LogratioError {
  try {
    readPickle(bytes, source);
  } catch (error) {
    if (isLogratioError(error)) return error;
    throw error;
  }
  throw new Error("the pickle was read");
}

const length8 = (length: number): Uint8Array => assemble(uint32(length), uint32(0));
const [NEWTRUE, NEWFALSE, LONG1, LONG4, MEMOIZE, FRAME] = [0x88, 0x89, 0x8a, 0x8b, 0x94, 0x95];
const [TUPLE1, TUPLE2, TUPLE3, EMPTY_SET, ADDITEMS, FROZENSET] = [0x85, 0x86, 0x87, 0x8f, 0x90, 0x91];
const [STACK_GLOBAL, NEWOBJ, NEWOBJ_EX] = [0x93, 0x81, 0x92];
const namespace = writeGlobal("argparse", "Namespace");
const bytesOf = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

describe("the opcodes of protocols 2 to 5", () => {
  it.each<[name: string, pieces: readonly Piece[], value: unknown]>([
    ["NONE", ["N"], null],
    ["NEWTRUE", [NEWTRUE], true],
    ["NEWFALSE", [NEWFALSE], false],
    ["BININT", ["J", uint32(0xffff_fffb)], -5],
    ["BININT1", ["K", 255], 255],
    ["BININT2", ["M", 0x34, 0xf2], 0xf234],
    ["LONG1", [LONG1, 2, 0x34, 0xf2], 0xf234 - 2 ** 16],
    ["LONG4", [LONG4, uint32(2), 0x34, 0x12], 0x1234],
    ["BINFLOAT", [float(-0.1)], -0.1],
    ["BINUNICODE", ["X", uint32(3), "a\xc3\xa9"], "aé"],
    ["SHORT_BINUNICODE", [0x8c, 3, "abc"], "abc"],
    ["BINUNICODE8", [0x8d, length8(3), "abc"], "abc"],
    ["BINBYTES", ["B", uint32(2), 7, 8], bytesOf(7, 8)],
    ["SHORT_BINBYTES", ["C", 2, 7, 8], bytesOf(7, 8)],
    ["BINBYTES8", [0x8e, length8(2), 7, 8], bytesOf(7, 8)],
    ["BYTEARRAY8", [0x96, length8(2), 7, 8], bytesOf(7, 8)],
    ["EMPTY_LIST", ["]"], []],
    ["APPEND", ["]", text("a"), "aNa"], ["a", null]],
    ["APPENDS", ["](NNe(", NEWTRUE, "e"], [null, null, true]],
    ["LIST", ["(N", NEWTRUE, "l"], [null, true]],
    ["EMPTY_TUPLE", [")"], []],
    ["TUPLE", ["(N", NEWTRUE, "t"], [null, true]],
    ["TUPLE1", ["N", TUPLE1], [null]],
    ["TUPLE2", ["N", NEWTRUE, TUPLE2], [null, true]],
    ["TUPLE3", ["N", NEWTRUE, NEWFALSE, TUPLE3], [null, true, false]],
    ["EMPTY_DICT", ["}"], {}],
    ["SETITEM", ["}", text("a"), "Ns", text("b"), NEWTRUE, "s"], { a: null, b: true }],
    ["SETITEMS", ["}(", text("a"), "N", text("b"), NEWTRUE, "u"], { a: null, b: true }],
    ["DICT", ["(", text("a"), "N", text("b"), NEWTRUE, "d"], { a: null, b: true }],
    ["EMPTY_SET and ADDITEMS", [EMPTY_SET, "(N", NEWTRUE, ADDITEMS], [null, true]],
    ["FROZENSET", ["(N", NEWTRUE, FROZENSET], [null, true]],
    ["POP", ["NN0"], null],
    ["POP of a MARK", ["N(0"], null],
    ["POP_MARK", ["N(NNN1"], null],
    ["DUP", [text("a"), "2", TUPLE2], ["a", "a"]],
    ["BINPUT and BINGET", ["]", text("a"), "q", 5, "ah", 5, "a"], ["a", "a"]],
    ["LONG_BINPUT and LONG_BINGET", ["]", text("a"), "r", uint32(300), "aj", uint32(300), "a"], ["a", "a"]],
    ["MEMOIZE", ["]", MEMOIZE, text("a"), MEMOIZE, "ah", 1, "a"], ["a", "a"]],
    ["FRAME", [FRAME, length8(1), "N"], null],
    ["GLOBAL", [writeGlobal("builtins", "int")], "builtins.int"],
    ["STACK_GLOBAL", [text("builtins"), text("int"), STACK_GLOBAL], "builtins.int"],
    ["REDUCE", [call("collections", "OrderedDict", "").subarray(0, 25), ")R"], {}],
  ])("%s", (_, pieces, value) => {
    const found = read(...pieces);
    // Maps have no prototype.
    expect(
      found !== null && Object.getPrototypeOf(found) === null ? { ...(found as object) } : found,
    ).toEqual(value);
  });

  it.each<[name: string, pieces: readonly Piece[]]>([
    ["INST", ["(", text("a"), "N", "iargparse\nNamespace\n"]],
    ["OBJ", ["(", namespace, text("a"), "No"]],
    ["NEWOBJ", [namespace, text("a"), "N", TUPLE2, NEWOBJ]],
    ["NEWOBJ_EX", [namespace, text("a"), "N", TUPLE2, "}", NEWOBJ_EX]],
    ["REDUCE", [namespace, text("a"), "N", TUPLE2, "R"]],
  ])("%s records a call with its arguments, and makes no object", (_, pieces) => {
    expect(read(...pieces)).toEqual({
      kind: "object",
      className: "argparse.Namespace",
      args: ["a", null],
      state: undefined,
    });
  });

  it("NEWOBJ_EX records keywords behind the arguments", () => {
    const keywords = ["}", text("key"), "K", 7, "s"];
    expect(read(namespace, text("a"), TUPLE1, ...keywords, NEWOBJ_EX)).toMatchObject({
      args: ["a", { key: 7 }],
    });
  });

  it("BUILD, APPENDS and SETITEMS fill a recorded object", () => {
    expect(read(namespace, ")", NEWOBJ, "}", text("a"), "K", 1, "sb")).toMatchObject({ state: { a: 1 } });
    expect(read(namespace, ")", NEWOBJ, "(NNe")).toMatchObject({ items: [null, null] });
    expect(read(namespace, ")", NEWOBJ, "(", text("a"), "Nu")).toMatchObject({ items: { a: null } });
    expect(read(namespace, ")", NEWOBJ)).not.toHaveProperty("items");
  });

  it("BUILD leaves a dict's attributes out, which are no items", () => {
    const metadata = ["}", text("_metadata"), "Ns"];
    expect({ ...(read("}", text("a"), "Ns", ...metadata, "b") as object) }).toEqual({ a: null });
  });

  it("LONG1 and LONG4 are two's complement integers of any width, rounded to a double", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 100n), max: 2n ** 100n }),
        fc.nat(3),
        fc.boolean(),
        (value, more, long) => {
          let width = value === 0n ? 0 : 1;
          while (width > 0 && BigInt.asIntN(8 * width, value) !== value) width++;
          width += more;
          const bytes = Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
          const head = long ? [LONG4, uint32(width)] : [LONG1, width];
          expect(read(...head, bytesOf(...bytes))).toBe(Number(value));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("STOP may have more behind it where a file holds several pickles", () => {
    expect(readPickle(assemble(pickle("N"), "more"), { ...SOURCE, trailing: true })).toBeNull();
  });
});

describe("opcodes that find something else on the stack", () => {
  it.each<[pieces: readonly Piece[], message: string]>([
    [["0"], "POP needs a value on the stack"],
    [["1"], "POP_MARK needs a MARK"],
    [["2"], "DUP needs a value on the stack"],
    [["N(2"], "DUP needs a value on the stack"],
    [["a"], "APPEND needs a value on the stack"],
    [["Na"], "APPEND needs a value on the stack"],
    [["N(e"], "APPENDS needs a list"],
    [["(e"], "APPENDS needs a value on the stack"],
    [["l"], "LIST needs a MARK"],
    [["t"], "TUPLE needs a MARK"],
    [[TUPLE1], "TUPLE1 needs a value on the stack"],
    [["N", TUPLE2], "TUPLE2 needs a value on the stack"],
    [[TUPLE2], "TUPLE2 needs a value on the stack"],
    [["NN", TUPLE3], "TUPLE3 needs a value on the stack"],
    [["N", TUPLE3], "TUPLE3 needs a value on the stack"],
    [[TUPLE3], "TUPLE3 needs a value on the stack"],
    [["NNNs"], "SETITEM needs a dict"],
    [["NNs"], "SETITEM needs a value on the stack"],
    [["Ns"], "SETITEM needs a value on the stack"],
    [["s"], "SETITEM needs a value on the stack"],
    [["u"], "SETITEMS needs a MARK"],
    [["N(NNu"], "SETITEMS needs a dict"],
    [["(NNu"], "SETITEMS needs a value on the stack"],
    [["d"], "DICT needs a MARK"],
    [["(Nd"], "DICT needs a value for each key"],
    [["](N", ADDITEMS], "ADDITEMS needs a set"],
    [["(N", ADDITEMS], "ADDITEMS needs a value on the stack"],
    [[ADDITEMS], "ADDITEMS needs a MARK"],
    [[FROZENSET], "FROZENSET needs a MARK"],
    [["q", 0], "BINPUT needs a value on the stack"],
    [["r", uint32(0)], "LONG_BINPUT needs a value on the stack"],
    [[MEMOIZE], "MEMOIZE needs a value on the stack"],
    [["j", uint32(9)], "GET needs a value in memo slot 9"],
    [[STACK_GLOBAL], "STACK_GLOBAL needs a value on the stack"],
    [[text("a"), STACK_GLOBAL], "STACK_GLOBAL needs a value on the stack"],
    [["N", text("a"), STACK_GLOBAL], "STACK_GLOBAL needs two strings"],
    [[text("a"), "N", STACK_GLOBAL], "STACK_GLOBAL needs two strings"],
    [["iargparse\nNamespace\n"], "INST needs a MARK"],
    [["o"], "OBJ needs a MARK"],
    [["R"], "REDUCE needs a value on the stack"],
    [[")R"], "REDUCE needs a value on the stack"],
    [[namespace, "NR"], "REDUCE needs a tuple of arguments"],
    [[NEWOBJ], "NEWOBJ needs a value on the stack"],
    [[")", NEWOBJ], "NEWOBJ needs a value on the stack"],
    [[namespace, "N", NEWOBJ], "NEWOBJ needs a tuple of arguments"],
    [[NEWOBJ_EX], "NEWOBJ_EX needs a value on the stack"],
    [["}", NEWOBJ_EX], "NEWOBJ_EX needs a value on the stack"],
    [[")}", NEWOBJ_EX], "NEWOBJ_EX needs a value on the stack"],
    [["b"], "BUILD needs a value on the stack"],
    [["Nb"], "BUILD needs a value on the stack"],
    [[namespace, ")", NEWOBJ, "NbNb"], "BUILD needs an object without a state"],
    [["NNb"], "BUILD cannot fill None"],
    [["Q"], "BINPERSID needs a value on the stack"],
    [[LONG4, uint32(0xffff_ffff)], "LONG4 needs a length that is not negative"],
    [["(N0"], "STOP needs one value on the stack"],
  ])("%j", (pieces, message) => {
    const error = failure(pickle(...pieces));
    expect(error).toMatchObject({ _tag: "FormatError", likely: LIKELY_DAMAGED, at: { file: "x.pt" } });
    expect(error.message).toBe(`pickle is corrupt: ${message}`);
  });

  it("say at which byte of their file, and in which member", () => {
    const source = { file: "x.pt", entry: "x/data.pkl", base: 100 };
    expect(failure(pickle("N1"), source).at).toEqual({ ...source, base: undefined, offset: 103 });
    expect(failure(pickle("X"), source)).toMatchObject({
      message: "pickle is cut off: the opcode at byte 102 needs 4 bytes, found 1",
      at: { file: "x.pt", entry: "x/data.pkl", offset: 102 },
    });
    expect(failure(assemble(pickle("N"), "NN"), source)).toMatchObject({
      message: "2 bytes follow the end of the pickle at byte 4",
      at: { offset: 104 },
    });
  });

  it.each([
    [
      0x82,
      "pickle uses an extension code (copyreg.add_extension)",
      "save plain data: tensors, lists and dicts",
    ],
    [
      0x83,
      "pickle uses an extension code (copyreg.add_extension)",
      "save plain data: tensors, lists and dicts",
    ],
    [
      0x84,
      "pickle uses an extension code (copyreg.add_extension)",
      "save plain data: tensors, lists and dicts",
    ],
    [
      0x97,
      "pickle keeps its buffers externally (protocol 5, buffer_callback)",
      "save it without buffer_callback",
    ],
    [
      0x98,
      "pickle keeps its buffers externally (protocol 5, buffer_callback)",
      "save it without buffer_callback",
    ],
  ])("0x%x is known, and is not read", (opcode, message, hint) => {
    expect(failure(pickle(opcode, 0, 0, 0, 0))).toMatchObject({ _tag: "UnsupportedError", message, hint });
  });

  it.each([..."FILPSVTUpg"])("%s is of protocol 0 or 1", (opcode) => {
    expect(failure(pickle(opcode))).toMatchObject({
      _tag: "UnsupportedError",
      message: expect.stringMatching(/belongs to protocol 0 or 1; 2 to 5 are read$/),
      hint: "save it again with protocol=2 or higher",
    });
  });

  it("ints have up to 129 bytes, and memo slots up to 2^24", () => {
    expect(read(LONG4, uint32(129), new Uint8Array(129))).toBe(0);
    expect(failure(pickle(LONG4, uint32(130), new Uint8Array(130))).message).toBe(
      "pickle holds an int of 130 bytes; at most 129 are read",
    );
    expect(failure(pickle("Nr", uint32(2 ** 24)))._tag).toBe("LimitError");
  });
});

describe("what a pickle is estimated to take in memory", () => {
  const cost = (...pieces: readonly Piece[]): number => {
    const budget = { spent: 0, expandable: false };
    readPickle(pickle(...pieces), { ...SOURCE, budget });
    return budget.spent;
  };
  // Memory for an opcode, and for its byte in the pickle.
  const OPCODE = 33;

  it("grows by two bytes for each character of a text, beside its bytes", () => {
    expect(cost(text("a".repeat(1000))) - cost(text(""))).toBe(3000);
    expect(cost("B", uint32(1000), new Uint8Array(1000)) - cost("B", uint32(0))).toBe(1000);
  });

  it("grows with each container, most with a dict", () => {
    const container = 304;
    for (const pieces of [["]"], [")"], [EMPTY_SET]]) expect(cost(...pieces) - cost("N")).toBe(container);
    for (const pieces of [["(l"], ["(t"], ["(", FROZENSET]])
      expect(cost(...pieces) - cost("N")).toBe(container + OPCODE);
    expect(cost("}") - cost("N")).toBe(304 + 240);
    expect(cost("(d") - cost("N")).toBe(304 + 240 + OPCODE);
  });

  it("grows with the items that a call copies from another container", () => {
    const copy = (count: number, type: string): number =>
      cost(writeGlobal("builtins", type), "](", "N".repeat(count), "e", TUPLE1, "R");
    for (const type of ["list", "tuple", "set"])
      expect(copy(20, type) - copy(10, type)).toBe(10 * (OPCODE + 24));
    const dict = (count: number): number =>
      cost(
        writeGlobal("builtins", "dict"),
        "}(",
        ...Array.from({ length: count }, (_, i) => ["K", i, "N"]).flat(),
        "u",
        TUPLE1,
        "R",
      );
    expect(dict(10) - dict(0)).toBe(10 * (2 * OPCODE + 1 + 48));
  });

  it("grows twice by the bytes that a call makes of text, and not by those that it hands on", () => {
    const encode = (count: number): number =>
      cost(writeGlobal("_codecs", "encode"), text("a".repeat(count)), text("latin1"), TUPLE2, "R");
    expect(encode(100) - encode(0)).toBe(100 * (3 + 2));
    const hand = (count: number): number =>
      cost(writeGlobal("builtins", "bytes"), "B", uint32(count), new Uint8Array(count), TUPLE1, "R");
    expect(hand(100) - hand(0)).toBe(100);
  });

  it("of batches of numbers grows with their array, and not with the opcodes", () => {
    const run = (count: number, number: Uint8Array): number =>
      cost("](", ...new Array<Uint8Array>(count).fill(number), "e");
    expect(run(100, bytesOf(0x4b, 7)) - run(50, bytesOf(0x4b, 7))).toBe(50 * (2 + 2 * 4));
    expect(run(100, float(1)) - run(50, float(1))).toBe(50 * (9 + 2 * 8));
  });

  it("notes that there may be more inside byte strings, however they were made", () => {
    const isExpandable = (...pieces: readonly Piece[]): boolean => {
      const budget = { spent: 0, expandable: false };
      readPickle(pickle(...pieces), { ...SOURCE, budget });
      return budget.expandable;
    };
    expect(isExpandable("]", text("a"), "a")).toBe(false);
    expect(isExpandable("C", 0)).toBe(true);
    expect(isExpandable(writeGlobal("builtins", "bytes"), ")R")).toBe(true);
  });
});
