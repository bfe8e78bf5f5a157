import { expect, test } from "vitest";
import { parseFilter } from "../../../src/analyses/filter/filter.ts";
import { bundleRefusal } from "./matches.ts";

const inBundle = (text: string): string | undefined => bundleRefusal(parseFilter(text), { bundled: true });

test("a bundle says which part of a filter it uses, or nothing if it uses all", () => {
  const said =
    "a bundle cannot search tokens; logratio view of the run can; " +
    "conditions on tokens are only checked against the largest |Δ| of each sequence";
  expect(inBundle("turn:3 is:number")).toBe(said);
  // `abs>0.5` leaves sequences out, `turn:3` does not, so neither "used" nor "not used" is true of the filter.
  expect(inBundle("abs>0.5 turn:3")).toBe(said);
  expect(inBundle("step:10 correct:no")).toBeUndefined();
  // The largest |Δ| of each sequence is enough to answer this.
  expect(inBundle("abs>0.5")).toBeUndefined();
  expect(bundleRefusal(parseFilter("turn:3"), {})).toBeUndefined();
});
