import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLines } from "./lines.ts";
import { parseLine } from "./parse-line.ts";

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Number and text of every line; a fault as `!why`. */
async function collectLines(
  bytes: Uint8Array,
  size: number,
  maxLineBytes?: number,
): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for await (const block of readLines(
    pieces(bytes, size),
    maxLineBytes === undefined ? {} : { maxLineBytes },
  ))
    block.lines.forEach((line, i) => {
      found.push([block.first + i, line ?? `!${block.faults.get(i)}`]);
    });
  return found;
}

describe("readLines", () => {
  it("gives every line its number, wherever chunks end", async () => {
    const text = fc.array(fc.stringMatching(/^[a-z数🙂]{0,6}$/u), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 40 }), fc.boolean(), async (lines, size, ends) => {
        const whole = lines.join("\n") + (ends ? "\n" : "");
        const wanted = whole.split("\n").map((line, i): [number, string] => [i + 1, line]);
        // An empty rest after the last line end is not a line.
        if (wanted.at(-1)![1] === "") wanted.pop();
        expect(await collectLines(Buffer.from(whole), size)).toEqual(wanted);
      }),
    );
  });

  it("drops a byte order mark, and says which lines are not UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from("\ufeff{}\n"),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from("b\n"),
    ]);
    expect(await collectLines(bytes, 1000)).toEqual([
      [1, "{}"],
      [2, "!bytes that are not UTF-8"],
      [3, "b"],
    ]);
  });

  it("passes over a line beyond the limit and goes on counting", async () => {
    const text = `a\n${"x".repeat(100)}\nb\nc\n`;
    for (const size of [7, 10, 64]) {
      const found = await collectLines(Buffer.from(text), size, 20);
      expect(found.map(([number]) => number)).toEqual([1, 2, 3, 4]);
      expect(found.filter(([, line]) => !line.startsWith("!")).map(([, line]) => line)).toEqual(
        size === 64 ? expect.arrayContaining(["a", "b", "c"]) : ["a", "b", "c"],
      );
    }
    expect(await collectLines(Buffer.from("y".repeat(50)), 8, 20)).toEqual([
      [1, "!50 bytes long; at most 20 are taken"],
    ]);
  });

  it("takes a line of the limit's length, and not one that is a byte longer, byte by byte", async () => {
    const line = fc.integer({ min: 0, max: 8 }).map((length) => "x".repeat(length));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean(), async (lines, ends) => {
        const whole = lines.join("\n") + (ends ? "\n" : "");
        const wanted = whole.split("\n").map((text, i): [number, string] => {
          const fault = `!${text.length} bytes long; at most 4 are taken`;
          return [i + 1, text.length > 4 ? fault : text];
        });
        if (wanted.at(-1)![1] === "") wanted.pop();
        expect(await collectLines(Buffer.from(whole), 1, 4)).toEqual(wanted);
      }),
    );
  });

  it("drops only a mark at the start of the file, and says whether the last line has an end", async () => {
    expect(await collectLines(Buffer.from("\ufeff"), 9)).toEqual([[1, ""]]);
    expect(await collectLines(Buffer.from("a\n\ufeffb\n"), 2)).toEqual([
      [1, "a"],
      [2, "\ufeffb"],
    ]);
    const ends = async (text: string, maxLineBytes = 9): Promise<boolean[]> => {
      const blocks = [];
      for await (const block of readLines(pieces(Buffer.from(text), 4), { maxLineBytes })) blocks.push(block);
      return blocks.map(({ unterminated }) => unterminated);
    };
    expect(await ends("abc\nde")).toEqual([false, true]);
    expect(await ends("abc\nde\n")).toEqual([false, false]);
    expect(await ends("abcdefgh\nabcdefgh", 5)).toEqual([false, true]);
  });

  it("tells the lines of one chunk that are not UTF-8 from those that are, first and last too", async () => {
    const bytes = Buffer.from([0xff, 0x0a, 0x61, 0x0a, 0xfe, 0x62]);
    expect(await collectLines(bytes, 9)).toEqual([
      [1, "!bytes that are not UTF-8"],
      [2, "a"],
      [3, "!bytes that are not UTF-8"],
    ]);
  });
});

describe("parseLine", () => {
  it("reads what Python writes where JSON has no word", () => {
    expect(parseLine('{"a": NaN, "b": -Infinity, "c": "NaN \\" Infinity", "d": Infinity}\r')).toEqual({
      record: { a: null, b: Number.NEGATIVE_INFINITY, c: 'NaN " Infinity', d: Number.POSITIVE_INFINITY },
    });
  });

  it.each([
    ['{"iteration": 1, "ra{"iteration": 1, "rank": 0}', "torn", "several records run into each other"],
    ['{"a": 1}{"a": 2}', "torn", "several records run into each other"],
    ['{"a": 1, "b', "torn", "a record is cut off"],
    ['0.5, "b": 1}', "torn", "the start of a record is missing"],
    ["Traceback (most recent call last):", "torn", "not JSON"],
    ["[1, 2]", "foreign", "JSON, but an array and not an object"],
    ["NaN", "foreign", "JSON, but null and not an object"],
    ["12", "foreign", "JSON, but a number and not an object"],
    ['"{}"', "foreign", "JSON, but a string and not an object"],
    ['{"a": 1, x{"rank": 0', "torn", "several records run into each other"],
    ['  {"a": 1, "b', "torn", "a record is cut off"],
    ['{"a": NaN, ,}', "torn", "not JSON"],
    ['{"a": "Infinity" "b"}', "torn", "not JSON"],
    ["{a: 1}  ", "torn", "not JSON"],
  ])("%s is %s: %s", (line, fault, why) => {
    expect(parseLine(line)).toEqual({ fault, why });
  });

  it("does not mind blank lines", () => {
    expect(parseLine(" \r")).toEqual({ blank: true });
  });
});
