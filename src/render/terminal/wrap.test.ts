import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "./columns.ts";
import { wrap, wrapParts } from "./wrap.ts";

describe("wrap", () => {
  it("breaks at spaces, and inside words only where it must", () => {
    expect(wrap("the trainer finds the token likelier", 12)).toEqual([
      "the trainer",
      "finds the",
      "token",
      "likelier",
    ]);
    expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
    expect(wrap("数学数学", 4)).toEqual(["数学", "数学"]);
    expect(wrap("", 10)).toEqual([""]);
    expect(wrap("aa bb cc", 8, 4)).toEqual(["aa", "bb cc"]);
  });

  it("loses no word and keeps the width", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zΔ数]{1,9}$/), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 2, max: 30 }),
        (words, width) => {
          const lines = wrap(words.join(" "), width);
          expect(lines.join("").replaceAll(" ", "")).toBe(words.join(""));
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

it("wrapParts breaks between parts", () => {
  expect(wrapParts(["12 files", "3 steps", "9 ranks"], " · ", 18)).toEqual(["12 files · 3 steps", "9 ranks"]);
  expect(wrapParts([], " · ", 18)).toEqual([]);
});
