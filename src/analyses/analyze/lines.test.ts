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
  ])("%s is %s: %s", (line, fault, why) => {
    expect(parseLine(line)).toEqual({ fault, why });
  });

  it("does not mind blank lines", () => {
    expect(parseLine(" \r")).toEqual({ blank: true });
  });
});
