import { expect, it } from "vitest";
import { QuickCalls } from "./quick-calls.ts";

/** Makes calls of the given durations in ms; returns whether they are still quick after each. */
function make(durations: readonly number[]): boolean[] {
  let time = 0;
  const calls = new QuickCalls(() => time);
  return durations.map((ms) => {
    expect(
      calls.run(() => {
        time += ms;
        return ms;
      }),
    ).toBe(ms);
    return calls.areQuick;
  });
}

it("stay quick where the system answers from memory, also with a pause now and then", () => {
  const durations = Array.from({ length: 10_000 }, (_, i) => (i % 500 === 499 ? 12 : 0.04));
  expect(make(durations)).not.toContain(false);
});

it("are not quick any more after ten files of a network file system, however many were quick before", () => {
  for (const before of [0, 5000]) {
    const answers = make([...new Array<number>(before).fill(0.03), ...new Array<number>(30).fill(2)]);
    expect(answers.indexOf(false)).toBe(before + 10);
    // Permanently: nothing is requested that way again.
    expect(answers.slice(before + 10)).not.toContain(true);
  }
});

it("count the time of a call that fails", () => {
  let time = 0;
  const calls = new QuickCalls(() => time);
  const fail = (): never => {
    time += 21;
    throw new Error("EIO");
  };
  expect(() => calls.run(fail)).toThrow("EIO");
  expect(calls.areQuick).toBe(false);
});
