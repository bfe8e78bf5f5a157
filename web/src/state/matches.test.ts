import { expect, test } from "vitest";
import { parseFilter } from "../../../src/analyses/filter/filter.ts";
import { bundleRefusal } from "./matches.ts";

const inBundle = (text: string): string | undefined => bundleRefusal(parseFilter(text), { bundled: true });

test("a bundle says what of a filter it uses, and nothing where it uses all of it", () => {
  const said =
    "a bundle cannot search tokens; logratio view of the run can; " +
    "conditions on tokens are only checked against the largest |Δ| of each sequence";
  expect(inBundle("turn:3 is:number")).toBe(said);
  // The least |Δ| leaves sequences out, the turn does not: neither "used" nor "not used" would be true of both.
  expect(inBundle("abs>0.5 turn:3")).toBe(said);
  expect(inBundle("step:10 correct:no")).toBeUndefined();
  // The largest |Δ| of each sequence answers it.
  expect(inBundle("abs>0.5")).toBeUndefined();
  expect(bundleRefusal(parseFilter("turn:3"), {})).toBeUndefined();
});
