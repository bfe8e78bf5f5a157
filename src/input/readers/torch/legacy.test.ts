import { describe, expect, it } from "vitest";
import type { Tensor } from "../../io/columns.ts";
import { assemble, type Piece, pickle, text } from "../shared/pickle-writer.test-data.ts";
import { isLegacy } from "./legacy.ts";
import {
  build,
  dict,
  FLOATS,
  failure,
  int,
  legacy,
  list,
  NEWFALSE,
  open,
  storage,
  TUPLE1,
  tensor,
  tuple,
} from "./pieces.test-data.ts";

const rows = async (value: unknown): Promise<number[]> => [
  ...(await (value as Tensor).readRows(0, (value as Tensor).shape[0]!)),
];

describe("a legacy file", () => {
  it("is told by its magic number, with a frame before it or not", () => {
    const whole = legacy("N", { keys: list(), storages: [] });
    expect(isLegacy(whole)).toBe(true);
    const framed = assemble(whole.subarray(0, 2), 0x95, new Uint8Array(8), whole.subarray(2));
    expect(isLegacy(framed)).toBe(true);
    for (let i = 0; i < 14; i++) {
      if (i === 1) continue;
      const other = whole.slice();
      other[i]! ^= 1;
      expect(isLegacy(other), `byte ${i}`).toBe(false);
    }
    expect(isLegacy(whole.subarray(0, 13))).toBe(false);
  });

  it("holds its storages one behind the other, in the order of its list", async () => {
    const twos = new Uint8Array(Int32Array.of(-1, 7).buffer);
    const root = dict({
      a: tensor({ offset: 1, shape: [2], strides: [3] }),
      b: tensor({ type: "torch.IntStorage", key: "b", length: 2 }),
    });
    const file = legacy(root, {
      keys: list(text("b"), text("0")),
      storages: [
        [2, twos],
        [6, FLOATS],
      ],
    });
    const document = await open(file);
    expect([document.format, document.metadata]).toEqual(["torch", {}]);
    expect(await rows(document.root.a)).toEqual([2, 5]);
    expect(await rows(document.root.b)).toEqual([-1, 7]);
    await document.close();
  });

  it("of a big-endian machine is read as one", async () => {
    const machine = dict({ little_endian: NEWFALSE });
    const file = legacy(tensor(), { machine, bigEndian: true, storages: [[6, FLOATS.slice().reverse()]] });
    expect(await rows((await open(file)).root.value)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it("may share a storage between tensors", async () => {
    const { root } = await open(legacy(dict({ a: tensor(), b: tensor({ offset: 5, shape: [1] }) })));
    expect([await rows(root.a), await rows(root.b)]).toEqual([[1, 2, 3, 4, 5, 6], [6]]);
  });

  it.each<[what: string, bytes: Uint8Array, tag: string, message: string | RegExp]>([
    [
      "another version",
      legacy("N", { version: int(1000) }),
      "UnsupportedError",
      "torch files of the legacy version 1000 are not read; 1001 is",
    ],
    [
      "no list of storages",
      legacy(tensor(), { keys: "N" }),
      "FormatError",
      "legacy torch file has no list of its storages",
    ],
    [
      "a storage that is not named",
      legacy(tensor(), { keys: list(text("0"), text("1")), storages: [[6, FLOATS]] }),
      "FormatError",
      'legacy torch file lists the string "1", a storage that nothing refers to',
    ],
    [
      "a storage without a name",
      legacy(tensor(), { keys: list("N") }),
      "FormatError",
      "legacy torch file lists None, a storage that nothing refers to",
    ],
    [
      "a storage that is not there",
      legacy(tensor(), { keys: list(), storages: [] }),
      "FormatError",
      "legacy torch file lacks the storage 0 that its pickle refers to",
    ],
    [
      "a storage of another length",
      legacy(tensor(), { storages: [[5, FLOATS]] }),
      "FormatError",
      "torch storage 0 has another size: the pickle declares 6 elements, found 5",
    ],
    [
      "a storage that is cut off",
      legacy(tensor(), { storages: [[6, FLOATS.subarray(1)]] }),
      "FormatError",
      "legacy torch file is cut off: storage 0 needs 24 bytes, found 23",
    ],
    [
      "a storage whose length is cut off",
      legacy(tensor(), { storages: [] }),
      "FormatError",
      "legacy torch file is cut off: storage 0 needs 24 bytes, found 0",
    ],
    [
      "a storage of two sizes",
      legacy(list(tensor(), tensor({ length: 5 }))),
      "FormatError",
      "torch storage 0 is declared with 24 bytes, and again with 20",
    ],
    [
      "a negative length",
      legacy(tensor({ length: -1, shape: [1] })),
      "FormatError",
      "torch storage 0 declares -1 elements",
    ],
    [
      "complex numbers",
      legacy(tensor({ type: "torch.ComplexFloatStorage" })),
      "UnsupportedError",
      "torch storages of complex64 are not read",
    ],
    [
      "a view of another storage",
      legacy(tensor({ view: tuple(text("1"), int(0), int(6)) })),
      "UnsupportedError",
      "torch storages that are views of other storages are not read",
    ],
    ["a storage alone", legacy(storage()), "UnsupportedError", "a bare torch storage is not read"],
    [
      "a torch tensor on no storage",
      legacy(tensor({ on: "N" })),
      "FormatError",
      "torch tensor is built on None",
    ],
  ])("is refused with %s", async (_, bytes, tag, message) => {
    const error = await failure(bytes);
    expect([error._tag, error.message]).toEqual([tag, message]);
    expect(error.at.file).toBe("step_1.pt");
  });

  it("says at which byte of the file its storages are wrong", async () => {
    const whole = legacy(tensor());
    const wrong = legacy(tensor(), { storages: [[5, FLOATS]] });
    expect((await failure(wrong)).at).toEqual({ file: "step_1.pt", offset: whole.length - 24 - 8 });
    expect((await failure(legacy(tensor({ view: "N", on: "N" })))).at.offset).toBeGreaterThan(40);
  });

  it("may say None where a view would be named", async () => {
    expect(await rows((await open(legacy(tensor({ view: "N" })))).root.value)).toHaveLength(6);
  });
});

describe("tensors inside a plain pickle", () => {
  const inside = (bytes: Uint8Array): Piece =>
    build(
      "torch.storage",
      "_load_from_bytes",
      "B",
      new Uint8Array(Uint32Array.of(bytes.length).buffer),
      bytes,
    );
  const at = (root: Piece): Uint8Array => pickle(dict({ x: root }));

  it("hold a storage as a legacy file of its own", async () => {
    const document = await open(at(tensor({ on: inside(legacy(storage())) })));
    expect(document.format).toBe("pickle");
    expect(await rows(document.root.x)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each<[what: string, root: Piece, message: string]>([
    [
      "no file",
      inside(Uint8Array.of(1, 2)),
      "torch storage is made from 2 bytes, not from a file of torch.save",
    ],
    [
      "no bytes",
      build("torch.storage", "_load_from_bytes", "N"),
      "torch storage is made from None, not from a file of torch.save",
    ],
    [
      "a file of something else",
      inside(legacy("]", { keys: list(), storages: [] })),
      "torch storage is made from a list",
    ],
  ])("are refused with %s", async (_, root, message) => {
    expect(await failure(at(root))).toMatchObject({ _tag: "FormatError", message });
  });

  it("stand at most eight levels deep inside each other", async () => {
    const nest = (levels: number): Uint8Array => {
      let file = legacy(storage());
      for (let level = 1; level < levels; level++)
        file = legacy(inside(file), { keys: list(), storages: [] });
      return at(tensor({ on: inside(file) }));
    };
    expect(await rows((await open(nest(8))).root.x)).toHaveLength(6);
    expect(await failure(nest(9))).toMatchObject({
      _tag: "LimitError",
      message: "pickles are nested in each other more than 8 levels deep",
    });
    // Two side by side are not nested.
    const one = tensor({ on: inside(legacy(storage())) });
    const many = await open(pickle(list(...Array<Piece>(12).fill(one)), TUPLE1));
    expect((many.root.value as unknown[][])[0]).toHaveLength(12);
  });
});
