import { expect, test } from "vitest";
import { displayed, formatCount, formatCounted, formatFigure, formatNumber, formatSigned } from "./index.ts";

test("numbers have a true minus sign, in exponents too", () => {
  expect(formatNumber(-12.345)).toBe("−12.3");
  expect(formatNumber(0.0000123)).toBe("1.23e−5");
  expect(formatNumber(-0.0000123, 2)).toBe("−1.2e−5");
  expect(formatFigure(1 - 1e-9, "near-one")).toBe("1−1.0e−9");
});

test("what is missing is not zero, and infinities say so", () => {
  expect([Number.NaN, null, undefined].map((value) => formatNumber(value))).toEqual(["–", "–", "–"]);
  expect(formatNumber(-Infinity)).toBe("−∞");
  expect(formatSigned(Infinity)).toBe("∞");
  expect(formatCount(Number.NaN)).toBe("–");
  expect(formatNumber(0)).toBe("0");
});

test("signs and counts", () => {
  expect(formatSigned(0.25)).toBe("+0.250");
  expect(formatSigned(0)).toBe("0");
  expect(formatCount(25257)).toBe("25,257");
  expect(formatCounted(1, "token")).toBe("1 token");
  expect(formatCounted(2, "token")).toBe("2 tokens");
});

test("figures within sentences change, names and ranges do not", () => {
  expect(displayed("One token (Δ -10.7, p 0.983 → 2.2e-5)")).toBe("One token (Δ −10.7, p 0.983 → 2.2e−5)");
  for (const text of ["step-1 of gpt-4-turbo", "10-20", "--cap -x", "2026-11-21", "a/-1.npz"])
    expect(displayed(text)).toBe(text);
});
