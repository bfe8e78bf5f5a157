import { expect, it } from "vitest";
import { TimeLeft } from "./time-left.ts";

/** What is said each quarter of a second while bytes come so. */
function say(bytesAt: (seconds: number) => number, total: number, seconds: number): (number | null)[] {
  const left = new TimeLeft();
  return Array.from({ length: 4 * seconds + 1 }, (_, at) => left.update(bytesAt(at / 4), total, 250 * at));
}

it("is unknown for the first seconds, then right for a steady pace, and unknown when all is read", () => {
  const said = say((at) => Math.min(1000, 50 * at), 1000, 21);
  expect(said.slice(0, 12)).toEqual(said.slice(0, 12).map(() => null));
  expect(said[4 * 10]).toBeCloseTo(10);
  expect(said[4 * 19]).toBeCloseTo(1);
  expect(said.slice(4 * 20)).toEqual([null, null, null, null, null]);
});

it("says nothing from a slow start: 1 % in the first three seconds of a run that takes ten", () => {
  const said = say((at) => (at < 3 ? (10 * at) / 3 : 10 + 141 * (at - 3)), 1000, 10);
  for (const seconds of said) if (seconds !== null) expect(seconds).toBeLessThan(10);
  expect(said.filter((seconds) => seconds !== null).length).toBeGreaterThan(2);
});

it("says nothing where bytes come in a few large pieces", () => {
  const said = say((at) => 400 * Math.floor(at / 7), 2000, 34);
  expect(said.filter((seconds) => seconds !== null)).toEqual([]);
});
