import { expect, it } from "vitest";
import { bestMatches, fuzzyScore } from "./fuzzy.ts";

const find = (query: string, ...texts: string[]): string[] => bestMatches(query, texts, (text) => text, 10);

it("finds whole words, starts of words and scattered letters, in this order", () => {
  expect(find("seq", "stale equals", "to Sequences", "Sequences", "other")).toEqual([
    "Sequences",
    "to Sequences",
    "stale equals",
  ]);
  expect(find("s30", "s130.q1", "s30.q4")).toEqual(["s30.q4", "s130.q1"]);
});

it("finds nothing if a letter is missing, and everything for an empty query", () => {
  expect(fuzzyScore("xyz", "sequence")).toBeUndefined();
  expect(find("", "b", "a")).toEqual(["b", "a"]);
});
