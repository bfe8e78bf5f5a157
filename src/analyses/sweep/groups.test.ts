import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../../core/base/byte-reader.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { LENGTH_BUCKETS, lengthBucket, lengthQuartiles, TURN_BUCKETS, turnBucket } from "./buckets.ts";
import { GroupSurvivors } from "./group-survivors.ts";
import { findRewardGroup, rewardGroups, roundedReward } from "./reward-groups.ts";

const countInto = (lengths: readonly number[]): Float64Array => {
  const counts = new Float64Array(LENGTH_BUCKETS);
  for (const length of lengths) counts[lengthBucket(length)]!++;
  return counts;
};
/** How many of some values lie in each of some ranges, both ends included. */
const countIn = (values: readonly number[], ranges: readonly { from: number; to: number }[]): number[] =>
  ranges.map(({ from, to }) => values.filter((value) => value >= from && value <= to).length);

describe("groups of lengths", () => {
  it("tell lengths apart to a fifth, up to 2³¹ tokens", () => {
    expect([1, 2, 4, 8].map(lengthBucket)).toEqual([0, 4, 8, 12]);
    expect([lengthBucket(100), lengthBucket(101), lengthBucket(120)]).toEqual([26, 26, 27]);
    expect(lengthBucket(2 ** 40)).toBe(LENGTH_BUCKETS - 1);
    expect([turnBucket(0), turnBucket(14), turnBucket(15), turnBucket(99)]).toEqual([0, 14, 15, 15]);
    expect(turnBucket(TURN_BUCKETS)).toBe(TURN_BUCKETS - 1);
  });

  it("hold every sequence once, are at most four, and about as large as each other", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lengths, (drawn) => {
        const groups = lengthQuartiles(countInto(drawn));
        const counts = countIn(drawn, groups);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(drawn.length);
        expect(groups.length).toBeLessThanOrEqual(4);
        expect(groups.map(({ from }) => from)).toEqual(
          [...groups.map(({ from }) => from)].sort((a, b) => a - b),
        );
        for (const { first, last, from, to } of groups) {
          expect(from).toBeLessThanOrEqual(to);
          expect([lengthBucket(from) >= first, lengthBucket(to) <= last]).toEqual([true, true]);
        }
      }),
    );
  });

  it("are quarters where lengths differ, and one where they do not", () => {
    const even = lengthQuartiles(countInto([16, 16, 64, 64, 256, 256, 1024, 1024]));
    expect(countIn([16, 16, 64, 64, 256, 256, 1024, 1024], even)).toEqual([2, 2, 2, 2]);
    expect(even[0]).toMatchObject({ from: 16, first: 16, last: 16 });
    expect(lengthQuartiles(countInto([300, 300, 300]))).toHaveLength(1);
    expect(lengthQuartiles(new Float64Array(LENGTH_BUCKETS))).toEqual([]);
  });
});

describe("groups of rewards", () => {
  const groupsOf = (rewards: readonly number[]) => {
    const counts = new Map<number, number>();
    for (const reward of rewards.map(roundedReward)) counts.set(reward, (counts.get(reward) ?? 0) + 1);
    return rewardGroups(counts);
  };

  it("are the rewards themselves where they are at most five", () => {
    expect(groupsOf([1, 0, 1, -1])).toEqual([
      { from: -1, to: -1 },
      { from: 0, to: 0 },
      { from: 1, to: 1 },
    ]);
    expect(groupsOf([1, 2, 3, 4, 5])).toHaveLength(5);
    expect(groupsOf([1, 2, 3, 4, 5, 6, 7, 8])).toEqual([
      { from: 1, to: 2 },
      { from: 3, to: 4 },
      { from: 5, to: 6 },
      { from: 7, to: 8 },
    ]);
    expect(groupsOf([])).toEqual([]);
  });

  it("hold every reward once, in at most four groups of about as many where there are more", () => {
    const rewards = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 6, maxLength: 60 });
    fc.assert(
      fc.property(rewards, (drawn) => {
        const rounded = drawn.map(roundedReward);
        const groups = groupsOf(drawn);
        const counts = countIn(rounded, groups);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(drawn.length);
        expect(groups.length).toBeLessThanOrEqual(new Set(rounded).size > 5 ? 4 : 5);
        for (const reward of drawn) {
          const { from, to } = groups[findRewardGroup(groups, reward)]!;
          expect([from <= roundedReward(reward), roundedReward(reward) <= to]).toEqual([true, true]);
        }
      }),
    );
  });

  it("round to two digits, and what is tiny to 0", () => {
    expect([0.1234, -12.6, 0.0009, -0.0009, 0.001].map(roundedReward)).toEqual([0.12, -13, 0, 0, 0.001]);
    expect(roundedReward(Number.NaN)).toBeNaN();
    expect([findRewardGroup([{ from: 0, to: 1 }], Number.NaN), findRewardGroup([], 1)]).toEqual([-1, -1]);
    expect(findRewardGroup([{ from: 0, to: 1 }], 1.001)).toBe(0);
  });
});

describe("groups without a survivor", () => {
  type Row = readonly [step: number, group: number, kept: readonly boolean[]];
  const row: fc.Arbitrary<Row> = fc.tuple(
    fc.constantFrom(1, 2, Number.NaN),
    fc.integer({ min: 0, max: 90 }),
    fc.tuple(fc.boolean(), fc.boolean()),
  );
  const add = (survivors: GroupSurvivors, rows: readonly Row[]): GroupSurvivors => {
    for (const [step, group, kept] of rows) {
      const slot = survivors.slotOf(step, `g${group}`);
      for (const [correction, survives] of kept.entries()) if (survives) survivors.keep(slot, correction);
    }
    survivors.close();
    return survivors;
  };
  const read = (survivors: GroupSurvivors) => [survivors.groups, survivors.lost(0), survivors.lost(1)];
  const count = (rows: readonly Row[]) => {
    const keys = [...new Set(rows.map(([step, group]) => `${step} ${group}`))];
    const lost = (correction: number) =>
      keys.filter(
        (key) => !rows.some(([step, group, kept]) => `${step} ${group}` === key && kept[correction]),
      ).length;
    return [keys.length, lost(0), lost(1)];
  };

  it("are counted by step and group, in one go or in parts that merge", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 200, size: "max" }), fc.nat(200), (rows, cut) => {
        expect(read(add(new GroupSurvivors(2), rows))).toEqual(count(rows));
        const [left, right] = [rows.slice(0, cut), rows.slice(cut)].map((part) =>
          add(new GroupSurvivors(2), part),
        ) as [GroupSurvivors, GroupSurvivors];
        right.merge(left);
        expect(read(right)).toEqual(count(rows));
      }),
    );
  });

  it("are one over several batches and in bytes, however far apart their sequences lie", () => {
    const survivors = new GroupSurvivors(2);
    add(survivors, [
      [1, 0, [true, false]],
      [1, 1, [false, false]],
      [2, 0, [false, true]],
    ]);
    add(survivors, [[1, 1, [true, false]]]);
    expect(read(survivors)).toEqual([3, 1, 2]);
    add(survivors, [[2, 0, [true, false]]]);
    expect(read(survivors)).toEqual([3, 0, 2]);
    const other = new GroupSurvivors(2);
    other.merge(survivors);
    expect(read(other)).toEqual([3, 0, 2]);
    const to = new ByteWriter();
    other.encode(to);
    const from = new ByteReader(to.finish(), "groups");
    const sent = add(new GroupSurvivors(2), [[1, 0, [false, true]]]);
    sent.mergeFrom(from);
    from.end();
    expect(read(sent)).toEqual([3, 0, 1]);
  });
});
