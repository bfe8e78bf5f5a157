import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listOf, recordOf, TEXT, WHOLE } from "../base/codec.ts";
import { TopList, topOf } from "./top-list.ts";

interface Item {
  readonly score: number;
  readonly key: string;
}

const make = (): TopList<Item> =>
  new TopList(
    3,
    (item) => item.score,
    (item) => item.key,
  );
const LISTS = topOf(listOf(recordOf<Item>({ score: WHOLE, key: TEXT })));
const items = fc.uniqueArray(fc.record({ score: fc.integer({ min: 0, max: 5 }), key: fc.string() }), {
  selector: (item) => item.key,
});

describe("TopList", () => {
  it("keeps the best of everything added, ties to the smaller key, whatever the order and the sharding", () => {
    fc.assert(
      fc.property(items, fc.nat(), (all, cut) => {
        const sorted = [...all].sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1)).slice(0, 3);
        const [left, right] = [make(), make()];
        all.forEach((item, i) => {
          (i < cut % (all.length + 1) ? left : right).add(item);
        });
        LISTS.merge(right, left);
        expect(right.list()).toEqual(sorted);
      }),
    );
  });

  it("knows before it is made whether an item that ties with the last would enter", () => {
    fc.assert(
      fc.property(items, fc.string(), (all, key) => {
        const list = make();
        for (const item of all) list.add(item);
        const score = Number.isFinite(list.threshold) ? list.threshold : 0;
        fc.pre(!all.some((item) => item.key === key && item.score === score));
        const admitted = list.admitsTie(key);
        const item = { score, key };
        list.add(item);
        expect(list.list().includes(item)).toBe(admitted);
      }),
    );
  });
});
