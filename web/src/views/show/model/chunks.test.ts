import fc from "fast-check";
import { expect, test } from "vitest";
import { countLines, splitChunks } from "./chunks.ts";

test("chunks cover every token once and, except for the last, have 256 to 512 tokens", () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.nat(100), fc.integer({ min: 1, max: 700 }), (length, from, every) => {
      const chunks = splitChunks({ from, to: from + length }, (token) => token % every === every - 1);
      let at = from;
      for (const chunk of chunks) {
        expect(chunk.from).toBe(at);
        expect(chunk.to - chunk.from).toBeLessThanOrEqual(512);
        if (chunk !== chunks.at(-1)) expect(chunk.to - chunk.from).toBeGreaterThanOrEqual(256);
        at = chunk.to;
      }
      expect(at).toBe(from + length);
    }),
  );
});

test("chunks end with a line if possible, and are marked otherwise", () => {
  const lines = splitChunks({ from: 0, to: 1000 }, (token) => token % 100 === 99);
  expect(lines.map(({ to, broken }) => [to, broken])).toEqual([
    [500, false],
    [1000, false],
  ]);
  expect(splitChunks({ from: 0, to: 600 }, () => false).map(({ broken }) => broken)).toEqual([true, false]);
});

test("lines are counted as they wrap", () => {
  const lines = (text: string, columns: number): number =>
    countLines(new TextEncoder().encode(text), columns);
  expect(lines("", 10)).toBe(1);
  expect(lines("ab\ncd", 10)).toBe(2);
  expect(lines("ab\n", 10)).toBe(1);
  expect(lines("ab\n\n", 10)).toBe(2);
  expect(lines("x".repeat(21), 10)).toBe(3);
  expect(lines("数".repeat(10), 10)).toBe(2);
});
