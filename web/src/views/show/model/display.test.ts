import { expect, test } from "vitest";
import {
  exact,
  exactBytes,
  hexBytes,
  isUnseen,
  literal,
  readable,
  tokenName,
  turnsDirection,
} from "./display.ts";

test("exact mode shows every character", () => {
  expect(exact(" a\tb\n")).toBe("·a→\tb⏎\n");
  expect(exact("\u200b")).toBe("‹U+200B›");
  expect(exact("\u00a0\r")).toBe("‹U+00A0›‹U+000D›");
  expect(exact("\u{e0041}")).toBe("‹U+E0041›");
});

test("runs of newlines are counted, long texts cut between characters", () => {
  expect(readable("\n\n")).toBe("\n\n");
  expect(readable("\n".repeat(10_000))).toBe("\n⏎×9,998\n");
  expect(readable("x".repeat(5000))).toBe(`${"x".repeat(2000)}… (5,000 characters)`);
  for (const text of ["😀".repeat(3000), `x${"😀".repeat(3000)}`])
    expect(readable(text)).toMatch(/😀… \(6,00\d characters\)$/u);
});

test("a literal is one line, whatever it contains", () => {
  expect(literal("\n  x")).toBe('"\\n  x"');
  expect(literal("\u202e<b>")).toBe('"‹U+202E›<b>"');
  expect(literal("abc", 2)).toBe('"ab" +1');
  expect(literal("\ud800")).toBe('"\\ud800"');
});

test("bytes, direction, and invisible text", () => {
  expect(hexBytes(Uint8Array.of(0xe2, 0x80, 0x9c))).toBe("e2 80 9c");
  expect(turnsDirection("a\u202eb")).toBe(true);
  expect(turnsDirection("שלום")).toBe(false);
  expect(isUnseen("\u200b\u200d")).toBe(true);
  expect(isUnseen(" ")).toBe(false);
  expect(isUnseen("\u3000")).toBe(false);
});

test("bytes that are not text are shown as bytes, and text beside them as text", () => {
  expect(exactBytes(Uint8Array.of(0x61, 0xf0, 0x9f, 0x20, 0xc3, 0xa9, 0xff))).toBe("a‹f0›‹9f›·é‹ff›");
  expect(exactBytes(new TextEncoder().encode("x\ufffd😀"))).toBe("x\ufffd😀");
  expect(tokenName("\ufffd", Uint8Array.of(0x98, 0x80))).toBe("‹98 80›");
  expect(tokenName(" a", Uint8Array.of(0x20, 0x61))).toBe('" a"');
});
