import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FormatError,
  isLogratioError,
  LimitError,
  type LogratioError,
  UnsupportedError,
} from "../../../core/base/errors.ts";
import { readPickle } from "./pickle.ts";
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

const SOURCE = { file: "x.pt", entry: "x/data.pkl" };

function failure(bytes: Uint8Array, options = {}): LogratioError {
  try {
    readPickle(bytes, SOURCE, options);
  } catch (error) {
    if (isLogratioError(error)) return error;
    throw error;
  }
  throw new Error("the pickle was read");
}

describe("hostile pickles", () => {
  const cases: readonly [string, string, string][] = [
    ["posix", "system", "refused to run posix.system"],
    ["os", "system", "refused to run os.system"],
    ["nt", "system", "refused to run nt.system"],
    ["subprocess", "Popen", "refused to run subprocess.Popen"],
    ["__builtin__", "eval", "refused to run __builtin__.eval"],
    ["builtins", "exec", "refused to run builtins.exec"],
    ["builtins", "getattr", "refused to run builtins.getattr"],
    ["builtins", "__import__", "refused to run builtins.__import__"],
    ["importlib", "import_module", "refused to run importlib.import_module"],
    ["sys", "exit", "refused to run sys.exit"],
    ["runpy", "run_path", "refused to run runpy.run_path"],
    ["torch", "os.system", "refused to run torch.os.system"],
    ["functools", "partial", "refused to run functools.partial"],
    ["pickle", "loads", "refused to run pickle.loads"],
  ];

  it.each(cases)("refuses %s.%s in both modes, and says where", (module, name, message) => {
    const bytes = pickle(call(module, name, "echo"));
    for (const unknownClasses of ["refuse", "record"]) {
      const error = failure(bytes, { unknownClasses });
      expect(error).toBeInstanceOf(FormatError);
      expect(error.message).toBe(message);
      expect(error.at).toEqual({ ...SOURCE, offset: 2 });
      expect(error.likely).toBe(
        "the file was crafted to run code on the machine that loads it; nothing was run",
      );
    }
  });

  it("refuses a call that hides in a dict, at its own offset", () => {
    const before = assemble("}", text("rollout_log_probs"));
    const error = failure(pickle(before, call("posix", "system", "echo"), "s"));
    expect(error.message).toBe("refused to run posix.system");
    expect(error.at.offset).toBe(2 + before.length);
  });

  it("refuses functions named by STACK_GLOBAL, INST and OBJ", () => {
    expect(failure(pickle(text("os"), text("system"), 0x93)).message).toBe("refused to run os.system");
    expect(failure(pickle("(", text("echo"), "ios\nsystem\n")).message).toBe("refused to run os.system");
    expect(failure(pickle("(", writeGlobal("os", "system"), text("echo"), "o")).message).toBe(
      "refused to run os.system",
    );
  });

  it("refuses to call what is no class", () => {
    expect(failure(pickle(text("os"), ")", "R")).message).toBe('refused to call the string "os"');
    expect(failure(pickle(writeGlobal("numpy", "ndarray"), ")", "R")).message).toBe(
      "refused to call numpy.ndarray, which is only allowed as a value",
    );
  });

  it("refuses unknown classes, or records them", () => {
    const bytes = pickle(
      writeGlobal("trainer.types", "Sample"),
      ")",
      0x81,
      "}",
      text("reward"),
      float(0.5),
      "s",
      "b",
    );
    const error = failure(bytes);
    expect(error.message).toBe(
      "refused to build trainer.types.Sample, a class that is not on the allow-list of plain data",
    );
    expect(error.at.offset).toBe(2);
    expect(readPickle(bytes, SOURCE, { unknownClasses: "record" })).toEqual({
      kind: "object",
      className: "trainer.types.Sample",
      args: [],
      state: { reward: 0.5 },
    });
  });
});

describe("pickles that ask for too much", () => {
  it("stops lists that name each other (billion laughs)", () => {
    const levels: Piece[] = ["]q", 0, "(K", 1, "K", 2, "e0"];
    for (let level = 1; level <= 12; level++) {
      levels.push("]q", level, "(");
      for (let i = 0; i < 10; i++) levels.push("h", level - 1);
      levels.push("e0");
    }
    const bytes = pickle(...levels, "h", 12);
    const error = failure(bytes);
    expect(error).toBeInstanceOf(LimitError);
    expect(error.message).toBe("pickle of 327 bytes unfolds to 31111111 values; at most 16782448 are read");
  });

  it("stops deep nesting", () => {
    const deep = failure(pickle(")", ...new Array<number>(1000).fill(0x85)));
    expect(deep).toBeInstanceOf(LimitError);
    expect(deep.message).toBe("pickle is nested deeper than 256 levels");
    const fine = pickle(")", ...new Array<number>(255).fill(0x85));
    expect(JSON.stringify(readPickle(fine, SOURCE))).toBe(`${"[".repeat(256)}${"]".repeat(256)}`);
  });

  it("stops memo bombs", () => {
    const error = failure(pickle("]r", uint32(0xffff_fff0)));
    expect(error).toBeInstanceOf(LimitError);
    expect(error.message).toBe("pickle uses memo slot 4294967280; at most 16777216 are kept");
  });

  it("stops ints of many bytes", () => {
    const error = failure(pickle(0x8b, uint32(1_000_000), new Uint8Array(1_000_000)));
    expect(error).toBeInstanceOf(LimitError);
    expect(error.message).toBe("pickle holds an int of 1000000 bytes; at most 129 are read");
  });

  it("stops a flood of containers", () => {
    // Each list is dropped at once (POP), so that only the count grows and not the test's memory.
    const flood = new Uint8Array(2 * (2 ** 23 + 1)).map((_, i) => (i % 2 === 0 ? 0x5d : 0x30));
    const error = failure(pickle(flood, "N"));
    expect(error).toBeInstanceOf(LimitError);
    expect(error.message).toMatch(/^the pickle would take .* MiB decoded; the limit is 1,024 MiB$/);
  });

  it("refuses a list that contains itself", () => {
    const error = failure(pickle("]q", 0, "h", 0, "a"));
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toBe("pickle holds a list that contains itself");
  });

  it("declares lengths past the end of the bytes", () => {
    expect(failure(pickle("X", uint32(1_000_000_000))).message).toBe(
      "pickle is cut off: the opcode at byte 2 needs 1000000000 bytes, found 1",
    );
    const eight = assemble(0x80, 4, 0x8e, uint32(0xffff_ffff), uint32(0xffff_ffff), ".");
    expect(failure(eight).message).toBe(
      "pickle is cut off: the opcode at byte 2 needs 18446744073709552000 bytes, found 1",
    );
  });
});

describe("broken pickles", () => {
  const cases: readonly [string, Uint8Array, string][] = [
    ["without STOP", assemble(0x80, 2, "]"), "pickle is cut off: it has no STOP in its 3 bytes"],
    ["empty", new Uint8Array(0), "pickle is cut off: it has no STOP in its 0 bytes"],
    ["with an empty stack", pickle(), "pickle is corrupt: STOP needs one value on the stack"],
    ["with two values", pickle("NN"), "pickle is corrupt: STOP needs one value on the stack"],
    ["with a missing MARK", pickle("]e"), "pickle is corrupt: APPENDS needs a MARK"],
    ["with a value below a MARK", pickle("]N(ae"), "pickle is corrupt: APPEND needs a value on the stack"],
    ["appending to a string", pickle(text("a"), "Na"), "pickle is corrupt: APPEND needs a list"],
    ["with an odd SETITEMS", pickle("}(Nu"), "pickle is corrupt: SETITEMS needs a value for each key"],
    ["reading an empty memo slot", pickle("h", 3), "pickle is corrupt: GET needs a value in memo slot 3"],
    ["with an unknown opcode", pickle(0xff), "pickle is corrupt: 0xff is not an opcode"],
    ["with bytes behind it", assemble(pickle("N"), "N"), "1 bytes follow the end of the pickle at byte 4"],
    ["with an unfinished name", assemble(0x80, 2, "cposix"), "pickle is cut off: a name has no line end"],
    [
      "with two keys of one text",
      pickle("}(K", 1, "N", text("1"), "Nu"),
      'dict has two keys that both become "1"',
    ],
  ];

  it.each(cases)("says what is wrong with one %s", (_, bytes, message) => {
    const error = failure(bytes);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toBe(message);
  });

  it("names what it does not read", () => {
    expect(failure(assemble(0x80, 6, "N.")).message).toBe("pickle protocol 6 is not read; 2 to 5 are");
    expect(failure(assemble("(lp0\nI1\na.")).message).toBe(
      'pickle opcode 0x70 ("p") belongs to protocol 0 or 1; 2 to 5 are read',
    );
    expect(failure(pickle(0x97))).toBeInstanceOf(UnsupportedError);
    expect(failure(pickle(0x82, 1))).toBeInstanceOf(UnsupportedError);
    expect(failure(pickle(text("0"), "Q"))).toMatchObject({
      message: "pickle refers to external objects (BINPERSID)",
      hint: "save tensors with torch.save",
      at: { offset: 8 },
    });
    expect(failure(pickle("}(]Nu")).message).toBe(
      "dict has a list as a key; strings, numbers and tuples of them are read",
    );
  });
});

describe("lists of numbers", () => {
  /** As Python's pickler writes a list: batches of `batch`, a FRAME somewhere. */
  const pickled = (values: readonly number[], batch: number, frame: boolean): Uint8Array => {
    const pieces: Piece[] = ["]"];
    for (let i = 0; i < values.length; i += batch) {
      pieces.push("(");
      for (const value of values.slice(i, i + batch)) {
        if (Object.is(value & 255, value)) pieces.push("K", value);
        else pieces.push(float(value));
        if (frame) pieces.push(0x95, new Uint8Array(8));
      }
      pieces.push("e");
    }
    return pickle(...pieces);
  };

  it("reads any batches of any numbers", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.double())),
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        (values, batch, frame) => {
          const read = readPickle(pickled(values, batch, frame), SOURCE);
          expect(ArrayBuffer.isView(read) ? Array.from(read as Float64Array) : read).toEqual(values);
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });

  it("keeps ints and floats apart", () => {
    expect(readPickle(pickled([1, 2], 2, false), SOURCE)).toEqual(Int32Array.of(1, 2));
    expect(readPickle(pickle("](", float(1), float(2), "e"), SOURCE)).toEqual(Float64Array.of(1, 2));
    expect(readPickle(pickle("](K", 1, "e(", float(0.5), "e"), SOURCE)).toEqual(Float64Array.of(1, 0.5));
    expect(readPickle(pickle("]", float(1), "a"), SOURCE)).toEqual(Float64Array.of(1));
  });

  it("falls back where a batch holds anything else", () => {
    expect(readPickle(pickle("](K", 1, "e(K", 2, "Ne"), SOURCE)).toEqual([1, 2, null]);
    expect(readPickle(pickle("](K", 1, "e(]K", 2, "ae"), SOURCE)).toEqual([1, Int32Array.of(2)]);
  });

  it("is cut off in the middle of a number", () => {
    const bytes = assemble(0x80, 2, "](", float(1), float(2)).slice(0, -3);
    expect(failure(bytes).message).toBe("pickle is cut off: the opcode at byte 13 needs 8 bytes, found 5");
  });
});

describe("NumPy inside pickles", () => {
  const dtype = (code: string, order: string): Uint8Array =>
    assemble(
      writeGlobal("numpy", "dtype"),
      ...[text(code), 0x89, 0x88, 0x87, "R"],
      ...["(K", 3, text(order), "NNNJ", uint32(0xffff_ffff), "J", uint32(0xffff_ffff), "K", 0, "tb"],
    );
  const array = (core: string, shape: Piece[], type: Uint8Array, data: Uint8Array): Uint8Array =>
    pickle(
      writeGlobal(core, "_reconstruct"),
      ...[writeGlobal("numpy", "ndarray"), "K", 0, 0x85, text("b"), 0x87, "R"],
      ...["(K", 1, ...shape, type, 0x89, "C", data.length, data, "tb"],
    );

  it("reads arrays of NumPy before version 2", async () => {
    const bytes = array(
      "numpy.core.multiarray",
      ["K", 3, 0x85],
      dtype("i2", ">"),
      Uint8Array.of(0, 1, 0, 2, 1, 0),
    );
    const tensor = readPickle(bytes, SOURCE);
    expect(tensor).toMatchObject({ kind: "tensor", dtype: "int16", shape: [3] });
    if (tensor === null || typeof tensor !== "object" || !("readRows" in tensor))
      throw new Error("no tensor");
    expect(await (tensor as { readRows(a: number, b: number): Promise<unknown> }).readRows(1, 3)).toEqual(
      Int16Array.of(2, 256),
    );
  });

  it("compares the shape with the bytes", () => {
    const core = "numpy._core.multiarray";
    const long = array(core, ["K", 3, 0x85], dtype("f4", "<"), new Uint8Array(8));
    expect(failure(long).message).toBe("pickled numpy.ndarray of shape [3] needs 12 bytes, it has 8 bytes");
    const size = assemble(0x8a, 8, new Uint8Array(7), 0x10);
    const absurd = array(core, [size, 0x85], dtype("f4", "<"), new Uint8Array(8));
    expect(failure(absurd)).toBeInstanceOf(LimitError);
    expect(failure(absurd).message).toBe(
      "pickled numpy.ndarray declares the shape [1152921504606847000], 1152921504606847000 elements; at most 281474976710656 are read",
    );
    const objects = array(core, ["K", 2, 0x85], dtype("O", "|"), new Uint8Array(0));
    expect(failure(objects).message).toBe(
      "pickled numpy.ndarray of shape [2] needs a list of 2 objects, it has 0 bytes",
    );
  });
});
