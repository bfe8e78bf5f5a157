import { expect, test } from "vitest";
import { comparedPath, parseComparedPath } from "./compared-path.ts";

test("the first has no number, and every path leads back", () => {
  expect([0, 1, 11].map((at) => comparedPath("other", at))).toEqual(["other", "other-2", "other-12"]);
  for (const name of ["compare", "other"] as const)
    for (let at = 0; at < 30; at++) expect(parseComparedPath(comparedPath(name, at))).toBe(at);
});

test.each(["other-1", "other-0", "other-", "others", "another", "other-02", "compare-x"])(
  "%s is none",
  (path) => {
    expect(parseComparedPath(path)).toBeUndefined();
  },
);
