import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classifyToken, DEFAULT_CATEGORIES, tokenClassifier } from "./categories.ts";
import { categoryStatistics } from "./category-statistics.ts";
import { type CategoryConfig, extendCategories } from "./extend-categories.ts";

const path = new URL("../../../../test/fixtures/kl/categories.json", import.meta.url);
const expected = JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;

test("tokens fall where RL-Probe puts them", () => {
  const classify = tokenClassifier(DEFAULT_CATEGORIES);
  const ours = Object.keys(expected).map((token) => [token, classifyToken(token), classify(token)]);
  expect(ours).toEqual(Object.entries(expected).map(([token, category]) => [token, category, category]));
  expect(new Set(Object.values(expected)).size).toBe(7);
});

describe("categories of one's own", () => {
  test("are tried last, or before the one that they name", () => {
    const categories = extendCategories({
      latex: { patterns: ["\\\\[a-z]+", "\\$+$"], before: "math_symbol" },
      greeting: { words: [" Hello "] },
    });
    const of = (token: string): string => classifyToken(token, categories);
    expect([" \\Frac{1}", "$$", "$1", "HELLO", "x", "é"].map(of)).toEqual([
      "latex",
      "latex",
      "other",
      "greeting",
      "variable",
      "other",
    ]);
    expect(categories.map((category) => category.name)).toEqual([
      "latex",
      "math_symbol",
      "number",
      "logical",
      "step_marker",
      "variable",
      "punctuation",
      "greeting",
    ]);
    expect(DEFAULT_CATEGORIES).toHaveLength(6);
  });

  test("fit from the first character, as a whole", () => {
    const categories = extendCategories({ unit: { patterns: ["cm|kg"] } });
    expect(["cm", "cm²", "2cm", "xkg"].map((token) => classifyToken(token, categories))).toEqual([
      "unit",
      "unit",
      "other",
      "other",
    ]);
  });

  test("add words and patterns to a category that exists", () => {
    const categories = extendCategories({ number: { words: ["One"], patterns: ["\\d+,\\d+$"] } });
    expect(["one", "1,000", "12"].map((token) => classifyToken(token, categories))).toEqual([
      "number",
      "number",
      "number",
    ]);
    expect(categories).toHaveLength(6);
  });

  test.each<[unknown, string]>([
    [[], "token categories must be an object with names as keys"],
    [{ other: { words: ["a"] } }, 'cannot be named "other"'],
    [{ " ": { words: ["a"] } }, "cannot be named"],
    [{ unit: ["cm"] }, 'token category "unit" is an object'],
    [{ unit: {} }, "neither words nor patterns"],
    [{ unit: { words: "cm" } }, '"words" of token category "unit" is a list of texts, not "cm"'],
    [{ unit: { words: [1] } }, "is a list of texts"],
    [{ unit: { keywords: ["cm"] } }, 'has a field "keywords"'],
    [{ unit: { patterns: ["(cm"] } }, 'pattern "(cm" of token category "unit" is not a regular expression'],
    [{ unit: { patterns: ["cm)(kg"] } }, "is not a regular expression"],
    [{ unit: { patterns: ["\\d*"] } }, "fits every token"],
    [{ unit: { words: ["cm"], before: "numbers" } }, 'before "numbers", which is not a category'],
    [{ unit: { words: ["cm"], before: 3 } }, "is the name of a category, not 3"],
    [{ number: { words: ["one"], before: "logical" } }, "exists already"],
  ])("%j is refused", (config, message) => {
    expect(() => extendCategories(config as Record<string, CategoryConfig>)).toThrow(message);
  });
});

test("statistics name every category, and a NaN stays in its own", () => {
  const figures = categoryStatistics(["x", " 1", "y", "2", "?"], [1, 2, 3, Number.NaN, 4]);
  expect(Object.keys(figures)).toEqual([...DEFAULT_CATEGORIES.map(({ name }) => name), "other"]);
  expect(figures.variable).toEqual({ count: 2, meanKl: 2, stdKl: 1, maxKl: 3, minKl: 1 });
  expect(figures.number).toEqual({
    count: 2,
    meanKl: Number.NaN,
    stdKl: Number.NaN,
    maxKl: Number.NaN,
    minKl: Number.NaN,
  });
  expect(figures.other).toEqual({ count: 0, meanKl: 0, stdKl: 0, maxKl: 0, minKl: 0 });
  expect(() => categoryStatistics(["x"], [])).toThrow("expected one KL value per token, got 0 for 1");
});
