import { expect, test } from "vitest";
import { countOf, formatCount, formatNumber, formatSigned } from "./format.ts";

test("numbers are short, with a true minus sign", () => {
  expect(formatNumber(0.0212999)).toBe("0.0213");
  expect(formatNumber(-12.345)).toBe("−12.3");
  expect(formatNumber(0.0000123)).toBe("1.23e−5");
  expect(formatNumber(1_234_567)).toBe("1.23e+6");
  expect(formatNumber(0)).toBe("0");
  expect(formatNumber(0.5)).toBe("0.5");
});

test("what is missing is not zero, and infinities say so", () => {
  expect([Number.NaN, null, undefined].map((value) => formatNumber(value))).toEqual(["–", "–", "–"]);
  expect(formatNumber(-Infinity)).toBe("−∞");
  expect(formatSigned(Infinity)).toBe("+∞");
  expect(formatCount(Number.NaN)).toBe("–");
});

test("signs and counts", () => {
  expect(formatSigned(0.25)).toBe("+0.25");
  expect(formatSigned(0)).toBe("0");
  expect(formatCount(25257)).toBe("25,257");
  expect(countOf(1, "token")).toBe("1 token");
  expect(countOf(2, "token")).toBe("2 tokens");
});
