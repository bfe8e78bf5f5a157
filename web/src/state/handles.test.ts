import { expect, it } from "vitest";
import { madeTable } from "../../../src/analyses/filter/made-table.test-data.ts";
import { describeMissing, findSequence, moveToHandle, nameSequence } from "./handles.ts";

const table = madeTable([
  { step: 12, row: 0 },
  { step: 12, row: 1 },
  { step: 30, row: 0 },
  { step: 12, row: 1 },
]);

it("names a sequence by its handle, and tells the second with a handle from the first", () => {
  expect([0, 1, 2, 3, 4].map((index) => nameSequence(table, index))).toEqual([
    "s12.q0",
    "s12.q1",
    "s30.q0",
    "s12.q1~2",
    undefined,
  ]);
  for (const index of [0, 1, 2, 3])
    expect(findSequence(table, nameSequence(table, index)!)?.index).toBe(index);
});

it("finds a handle's sequence and token, and the others that it may mean", () => {
  expect(findSequence(table, "s30.q0.t7")).toEqual({ index: 2, token: 7, same: [2] });
  expect(findSequence(table, "s12.q1")).toEqual({ index: 1, token: undefined, same: [1, 3] });
  expect(findSequence(table, "s12.q1~2.t4")).toEqual({ index: 3, token: 4, same: [3] });
  expect(moveToHandle(table, "s30.q0.t7")).toEqual({ view: "sequence", sequence: 2, token: 7 });
  for (const name of ["s12.q1~3", "s12.q1~0", "s12.q1~", "s12.q99", "q0", "abc", "", "s12.q1.t4~2"])
    expect(findSequence(table, name), name).toBeUndefined();
});

it("for a missing sequence, says what was looked for and what there is", () => {
  expect(describeMissing(table, "s30.q99.t4")).toBe(
    "s30.q99.t4 is not in this run: step 30 has 1 sequence, s30.q0.",
  );
  expect(describeMissing(table, "s12.q99")).toBe(
    "s12.q99 is not in this run: step 12 has 3 sequences, from s12.q0 to s12.q1.",
  );
  expect(describeMissing(table, "s13.q0")).toBe(
    "s13.q0 is not in this run: it has no step 13. It has 4 sequences, from s12.q0 to s12.q1.",
  );
  expect(describeMissing(table, "no\u202ething")).toMatch(
    /^no.*thing is not the handle of a sequence, such as s12\.r3\.q41; this run has 4 sequences/,
  );
});
