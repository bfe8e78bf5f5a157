import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_MEMORY_LIMIT, setMemoryLimit } from "../../../core/base/memory-limit.ts";
import { splitElements } from "./elements.ts";
import { splitLines } from "./lines.ts";
import { createCarry, type Piece, type Splitter } from "./pieces.ts";

/** The text of every piece, with its place, from bytes that come in chunks of these sizes. */
function split(splitter: Splitter, bytes: Buffer, sizes: readonly number[]): object[] {
  const found: object[] = [];
  const take = (piece: Piece): void => {
    const { start, end, offset, line, cut, fault } = piece;
    const text = Buffer.from(piece.bytes.subarray(start, end)).toString();
    // The zero byte that stops an inner loop without a bounds check.
    if (fault === undefined) expect(piece.bytes[end] ?? 0).not.toBe(0x30);
    found.push({ text: fault?.message ?? text, offset, line, cut });
  };
  let pos = 0;
  for (let i = 0; pos < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    // The splitter must not look at bytes of earlier chunks.
    splitter.push(Uint8Array.from(bytes.subarray(pos, pos + size)));
    pos += size;
    for (let piece = splitter.next(); piece !== undefined; piece = splitter.next()) take(piece);
  }
  const last = splitter.finish();
  if (last !== undefined) take(last);
  return found;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe("lines", () => {
  it("are pieces with their number and place, blank ones none, in whatever chunks they come", () => {
    const line = fc.constantFrom("", " ", "a", "{}", " b ", "é", "0");
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), fc.boolean(), sizes, (lines, hasMark, isCut, chunks) => {
        const text = `${hasMark ? "\ufeff" : ""}${lines.join("\n")}${isCut ? "" : "\n"}`;
        const wanted: object[] = [];
        let offset = hasMark ? 3 : 0;
        for (const [i, one] of lines.entries()) {
          const cut = isCut && i === lines.length - 1;
          if (one.trim() !== "") wanted.push({ text: one, offset, line: i + 1, cut });
          offset += Buffer.byteLength(one) + 1;
        }
        expect(split(splitLines(100, "a"), Buffer.from(text), chunks)).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  it("longer than the limit are passed over where they come in several chunks", () => {
    const found = split(splitLines(5, "a"), Buffer.from("abc\nabcdefgh\nx\nabcdefgh"), [4]);
    const message = "one JSON value has more than the limit of 5 bytes of text";
    expect(found).toEqual([
      { text: "abc", offset: 0, line: 1, cut: false },
      { text: message, offset: 4, line: 2, cut: false },
      { text: "x", offset: 13, line: 3, cut: false },
      { text: message, offset: 15, line: 4, cut: true },
    ]);
  });
});

describe("elements of an array", () => {
  it("are pieces with the line that they begin on, in whatever chunks they come", () => {
    const element = fc.constantFrom("{}", '{"a":\n1}', "[1,\n\n2]", '{"]":"\\"}"}', "[]", '{"é":[{}]}');
    const between = fc.constantFrom(",", ", ", "\n,\n", ",\n ");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(element, between), { minLength: 1 }),
        fc.boolean(),
        sizes,
        (all, hasMark, chunks) => {
          let text = `${hasMark ? "\ufeff" : ""} [\n`;
          const wanted: object[] = [];
          for (const [i, [one, comma]] of all.entries()) {
            wanted.push({
              text: one,
              offset: Buffer.byteLength(text),
              line: text.split("\n").length,
              cut: false,
            });
            text += one + (i < all.length - 1 ? comma : "");
          }
          // A stream's first bytes come together, so a mark is never cut.
          expect(split(splitElements(100, "a"), Buffer.from(`${text}\n] \n`), [5, ...chunks])).toEqual(
            wanted,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each<[text: string, pieces: readonly (readonly [text: string, offset: number])[]]>([
    ["{}", [['expected "[", found "{"', 0]]],
    [
      "[{} {}, {}]",
      [
        ["{}", 1],
        ['expected "," or "]" after an element, found "{"', 4],
        ["{}", 4],
        ["{}", 8],
      ],
    ],
    [
      "[{}; x, {}]",
      [
        ["{}", 1],
        ['expected "," or "]" after an element, found ";"', 3],
        ["{}", 8],
      ],
    ],
    [
      "[,{}]",
      [
        ['expected a value, found ","', 1],
        ["{}", 2],
      ],
    ],
    ["[}]", [['expected a value, found "}"', 1]]],
    [
      "[{}]x",
      [
        ["{}", 1],
        ['expected nothing after the array, found "x"', 4],
      ],
    ],
    [
      "[{}",
      [
        ["{}", 1],
        ['the array is cut off: it has no closing "]"', 3],
      ],
    ],
    [
      "[{}, ",
      [
        ["{}", 1],
        ['the array is cut off: it has no closing "]"', 5],
      ],
    ],
    [
      "[1, tru",
      [
        ["1", 1],
        ["tru", 4],
      ],
    ],
    ['[{"a', [['{"a', 1]]],
  ])("%j: what is wrong between them is a piece", (text, pieces) => {
    const found = (sizes: readonly number[]) =>
      split(splitElements(100, "a"), Buffer.from(text), sizes).map((piece) => {
        const { text, offset } = piece as { text: string; offset: number };
        return [text, offset];
      });
    if (text.startsWith("{")) expect(splitElementsFirst(text)).toEqual(pieces[0]);
    else for (const sizes of [[1], [100]]) expect(found(sizes)).toEqual(pieces);
  });

  it("longer than the limit are passed over where they come in several chunks", () => {
    const found = split(splitElements(5, "a"), Buffer.from('[{},\n{"a": 1},\n{}, {"a": 1'), [4]);
    expect(found).toMatchObject([
      { text: "{}", line: 1 },
      { text: "one JSON value has more than the limit of 5 bytes of text", line: 2, offset: 5, cut: false },
      { text: "{}", line: 3 },
      { text: "one JSON value has more than the limit of 5 bytes of text", line: 3, offset: 19, cut: true },
    ]);
  });
});

/** Only the first piece: a caller that opens such a text does not get here. */
function splitElementsFirst(text: string): readonly [string, number] {
  const splitter = splitElements(100, "a");
  splitter.push(Buffer.from(text));
  const piece = splitter.next()!;
  return [piece.fault!.message, piece.offset];
}

describe("what is carried from chunk to chunk", () => {
  it("comes back whole and in order, with a zero byte behind it, whatever the sizes", () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constantFrom(4095, 4096, 4097, 20_000, 70_000));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 30 }), (all) => {
        const carry = createCarry(2 ** 30, "a");
        const chunks = all.map((length, i) =>
          Uint8Array.from({ length: length + 2 }, (_, k) => (i * 31 + k) & 255),
        );
        for (const round of [0, 1]) {
          for (const chunk of chunks) carry.append(chunk, 1, chunk.length - 1);
          const wanted = Buffer.concat(chunks.map((chunk) => chunk.subarray(1, -1)));
          expect([round, carry.length()]).toEqual([round, wanted.length]);
          expect(Buffer.from(carry.take()).equals(Buffer.concat([wanted, Buffer.alloc(1)]))).toBe(true);
          expect(carry.length()).toBe(0);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("is nothing beyond its limit, and starts anew after it was taken", () => {
    const carry = createCarry(5, "a.jsonl");
    carry.append(Buffer.from("12345"), 0, 5);
    expect(carry.overflow()).toBeUndefined();
    carry.append(Buffer.from("6"), 0, 1);
    expect(carry.overflow()).toMatchObject({ _tag: "LimitError", at: { file: "a.jsonl" } });
    carry.append(Buffer.from("7"), 0, 1);
    expect(carry.length()).toBe(7);
    expect([...carry.take()]).toEqual([0]);
    expect([carry.overflow(), carry.length()]).toEqual([undefined, 0]);
    carry.append(Buffer.from("8"), 0, 1);
    expect([...carry.take()]).toEqual([0x38, 0]);
  });

  it("is at most half of the memory limit, since the text is there twice", () => {
    setMemoryLimit(2 ** 20);
    try {
      const carry = createCarry(2 ** 30, "a");
      const half = new Uint8Array(2 ** 19);
      carry.append(half, 0, half.length);
      expect(carry.overflow()).toBeUndefined();
      carry.append(half, 0, 1);
      expect(carry.overflow()).toMatchObject({
        message: `one JSON value has more than the limit of ${2 ** 19} bytes of text`,
        hint: "if it is valid and there is enough memory: --memory 2 (MiB)",
      });
    } finally {
      setMemoryLimit(DEFAULT_MEMORY_LIMIT);
    }
  });
});
