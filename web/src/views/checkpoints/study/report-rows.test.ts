import { expect, it } from "vitest";
import { placeOf, rowsOf, sentenceParts } from "./report-rows.ts";

it("unfolds small objects into columns, and leaves lists out", () => {
  expect(
    rowsOf([{ a: 1, interval: { low: 0, high: 2 }, deep: { test: { p: 0.5 } }, list: [1], none: null }]),
  ).toEqual([{ a: 1, "interval.low": 0, "interval.high": 2, "deep.test.p": 0.5, none: null }]);
});

it("finds the places that a sentence names", () => {
  expect(sentenceParts("most in q12.t40, then q3.")).toEqual([
    { text: "most in ", handle: false },
    { text: "q12.t40", handle: true },
    { text: ", then ", handle: false },
    { text: "q3", handle: true },
    { text: ".", handle: false },
  ]);
  expect(placeOf("q12.t40")).toEqual({ text: 12, token: 40 });
  expect(placeOf("q3")).toEqual({ text: 3 });
  expect(placeOf("s3.q1")).toBeUndefined();
});
