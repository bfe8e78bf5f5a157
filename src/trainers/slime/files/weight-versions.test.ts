import { expect, test } from "vitest";
import { spreadVersions } from "./weight-versions.ts";

test.each([
  ["one version for all sampled tokens", ["3"], [1, 1, 0, 1], [3, 3, -1, 3]],
  ["the same version several times", ["3", "3", "3"], [1, 0, 1], [3, -1, 3]],
  ["one for each turn", ["3", 4], [1, 1, 0, 1], [3, 3, -1, 4]],
  ["a version that is not a number in one of two turns", ["default", "4"], [1, 0, 1], [-1, -1, 4]],
  ["two in one turn: resumed somewhere in it", ["3", "4"], [1, 1, 1], undefined],
  ["no version that is a number", ["default"], [1, 1], undefined],
  ["none", [], [1, 1], undefined],
])("%s", (_, versions, mask, expected) => {
  const spread = spreadVersions(versions, Uint8Array.from(mask));
  expect(spread && [...spread]).toEqual(expected);
});
