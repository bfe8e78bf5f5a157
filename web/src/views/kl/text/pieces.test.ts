import { expect, it } from "vitest";
import { splitPieces } from "./pieces.ts";

it("cuts a long text at the ends of lines, and overlong lines anywhere", () => {
  const lines = Array.from({ length: 1000 }, (_, at) => (at % 50 === 49 ? ".\n" : "a"));
  const pieces = splitPieces(lines);
  expect(pieces[0]).toEqual([0, 150]);
  expect(pieces.at(-1)).toEqual([900, 1000]);
  expect(pieces.flatMap(([from, to]) => lines.slice(from, to))).toEqual(lines);
  expect(splitPieces(Array.from({ length: 2500 }, () => "a"))).toEqual([
    [0, 1024],
    [1024, 2048],
    [2048, 2500],
  ]);
  expect(splitPieces([])).toEqual([]);
});
