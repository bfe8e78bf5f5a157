import { expect, it } from "vitest";
import { columnWidth, toObjects } from "./results.ts";

it("gives columns with the same name, in any case, different names", () => {
  const columns = ["a", "A", "a", "b"].map((name) => ({ name, type: "INTEGER" }));
  expect(toObjects(columns, [[1, 2, 3, null]])).toEqual([{ a: 1, A_2: 2, a_3: 3, b: null }]);
});

it("makes columns as wide as their values, within bounds", () => {
  const rows = [["x", "y".repeat(20), "z".repeat(500), null]];
  expect([0, 1, 2, 3].map((at) => columnWidth("n", rows, at))).toEqual([70, 184, 420, 70]);
  expect(columnWidth("rollout_logprob", [], 0)).toBe(144);
});
