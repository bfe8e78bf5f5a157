import { expect, it } from "vitest";
import { formatSteps, parseSteps, stepsBetween } from "./step-range.ts";

it("reads and writes ranges of steps", () => {
  expect(parseSteps("30..60")).toEqual([30, 60]);
  expect(parseSteps("60..30")).toEqual([30, 60]);
  expect(parseSteps("30")).toEqual([30, 30]);
  expect(parseSteps("")).toBeNull();
  expect(parseSteps("a..b")).toBeNull();
  expect(formatSteps([30, 60])).toBe("30..60");
});

it("snaps a drag to existing steps", () => {
  const steps = [10, 20, 50];
  expect(stepsBetween(steps, 8, 21.5)).toEqual([10, 20]);
  expect(stepsBetween(steps, 44, 45)).toEqual([50, 50]);
  expect(stepsBetween([], 0, 1)).toBeNull();
});
