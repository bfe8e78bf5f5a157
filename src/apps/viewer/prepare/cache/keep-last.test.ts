import { expect, test } from "vitest";
import { keepLast, keepOne } from "./keep-last.ts";

test("an answer is computed once while it is among the last", async () => {
  const asked: number[] = [];
  const ask = keepLast(2, async ({ at }: { at: number }) => {
    asked.push(at);
    return at * 10;
  });
  expect(await Promise.all([ask({ at: 1 }), ask({ at: 1 }), ask({ at: 2 })])).toEqual([10, 10, 20]);
  await ask({ at: 1 });
  expect(asked).toEqual([1, 2]);
  // 2 was asked for longest ago: 3 takes its place.
  await ask({ at: 3 });
  await ask({ at: 1 });
  expect(asked).toEqual([1, 2, 3]);
  await ask({ at: 2 });
  expect(asked).toEqual([1, 2, 3, 2]);
});

test("an answer that failed is computed again", async () => {
  let times = 0;
  const fail = async (): Promise<number> => {
    if (++times === 1) throw new Error("for once");
    return times;
  };
  const ask = keepLast(2, fail);
  await expect(ask("x")).rejects.toThrow("for once");
  expect(await ask("x")).toBe(2);
  times = 0;
  const one = keepOne(fail);
  await expect(one()).rejects.toThrow("for once");
  expect(await one()).toBe(2);
  expect(await one()).toBe(2);
});
