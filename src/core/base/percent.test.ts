import { describe, expect, it } from "vitest";
import { percent, percentFixed } from "./percent.ts";

describe("shares as per cent", () => {
  it("never say nothing or all of what is neither", () => {
    expect(
      [0, 1, 0.5, 0.123, 0.0004, 0.99949, 0.9996, 1 - 1e-16].map((share) => percentFixed(share, 1)),
    ).toEqual(["0.0 %", "100.0 %", "50.0 %", "12.3 %", "<0.1 %", "99.9 %", ">99.9 %", ">99.9 %"]);
    expect([0, 1, 0.004, 0.994, 0.9951].map((share) => percentFixed(share, 0))).toEqual([
      "0 %",
      "100 %",
      "<1 %",
      "99 %",
      ">99 %",
    ]);
  });

  it("in significant digits too", () => {
    expect([0, 1, 0.123, 0.00012345, 0.994, 0.9996].map((share) => percent(share))).toEqual([
      "0 %",
      "100 %",
      "12 %",
      "0.012 %",
      "99 %",
      ">99 %",
    ]);
    expect([0.9994, 0.9996, 1].map((share) => percent(share, 3))).toEqual(["99.9 %", ">99.9 %", "100 %"]);
  });
});
