import { expect, test } from "vitest";
import { readVector, vectorLength } from "./tree-values.ts";

test.each([
  ["numbers", [1, 2, 3], 3],
  ["missing values and truth values", [1, null, true], 3],
  ["a text among numbers", [1, "then", 3], undefined],
  ["one row of a matrix", [[1, 2]], 2],
  ["a list of lists", [[1], [2]], undefined],
])("%s: the length is that of what is read", async (_, value, length) => {
  expect(vectorLength(value)).toBe(length);
  expect((await readVector(value))?.length).toBe(length);
});
