import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../../../test/support/property-seed.ts";
import type { SampledSequence } from "./sampled-clusters.ts";
import { SequenceSample } from "./sequence-sample.ts";
import { travelInto } from "./travel.test-data.ts";

const sequence = (deltaAbs: number, step = 3): SampledSequence => ({
  handle: "s3.q1",
  step,
  rank: Number.NaN,
  correct: deltaAbs > 0.5 ? 1 : 0,
  environment: "maths",
  engine: "replica-1",
  finish: null,
  staleness: Number.NaN,
  turns: [4, deltaAbs],
  excess: [deltaAbs - 0.5],
  deciles: [4, deltaAbs],
  jumps: 0,
  reward: Number.NaN,
  tokens: 10,
});

describe("SequenceSample", () => {
  test("lists what it has, whatever was listed before", () => {
    const [sample, other] = [new SequenceSample(2), new SequenceSample(1)];
    const listed = (): number[] => sample.list().map(({ cluster }) => cluster);
    sample.add(5, true, sequence(0.1));
    expect(listed()).toEqual([5]);
    expect(sample.list()).toBe(sample.list());
    sample.add(3, true, sequence(0.2));
    expect(listed()).toEqual([3, 5]);
    // Of the other sample everything from cluster 4 on was dropped.
    for (const cluster of [2, 4, 6]) other.add(cluster, true, sequence(0.3));
    sample.merge(other);
    expect(listed()).toEqual([2]);
    // A cluster of more than the limit is dropped as a whole, and with it what comes behind it.
    const none = new SequenceSample(1);
    for (const deltaAbs of [0.1, 0.2]) none.add(1, true, sequence(deltaAbs));
    expect(none.list()).toEqual([]);
    sample.merge(none);
    expect(listed()).toEqual([]);
  });

  test("of shards merged in any tree and order is the sample of the whole, whole clusters only", () => {
    const drawn = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        maxLength: 120,
      },
    );
    fc.assert(
      fc.property(
        drawn,
        fc.integer({ min: 1, max: 30 }),
        fc.infiniteStream(fc.nat(3)),
        (rows, limit, shards) => {
          const whole = new SequenceSample(limit);
          const parts = [0, 1, 2, 3].map(() => new SequenceSample(limit));
          for (const [cluster, deltaAbs] of rows) {
            whole.add(cluster, true, sequence(deltaAbs));
            parts[shards.next().value as number]!.add(cluster, true, sequence(deltaAbs));
          }
          const [a, b, c, d] = parts as [SequenceSample, SequenceSample, SequenceSample, SequenceSample];
          d.merge(b);
          const travelled = travelInto(c, new SequenceSample(limit));
          travelled.merge(d);
          travelled.merge(a);
          expect(travelled.list()).toEqual(whole.list());
          expect(travelled.isWhole).toBe(whole.isWhole);

          const kept = whole.list();
          const bySize = new Map<number, number>();
          for (const [cluster] of rows) bySize.set(cluster, (bySize.get(cluster) ?? 0) + 1);
          expect(kept.reduce((sum, { sequences }) => sum + sequences.length, 0)).toBeLessThanOrEqual(limit);
          for (const { cluster, sequences } of kept)
            expect(sequences).toHaveLength(bySize.get(cluster) as number);
        },
      ),
    );
  });

  test("keeps a run whole that fits, and says what it no longer wants", () => {
    const sample = new SequenceSample(4);
    for (const cluster of [9, 2, 7, 2]) sample.add(cluster, true, sequence(cluster / 10));
    expect(sample.isWhole).toBe(true);
    expect(sample.list().map(({ cluster }) => cluster)).toEqual([2, 7, 9]);
    sample.add(1, true, sequence(0.1));
    expect(sample.list().map(({ cluster }) => cluster)).toEqual([1, 2, 7]);
    expect(sample.isWhole).toBe(false);
    expect(sample.wants(9)).toBe(false);
    expect(sample.wants(5)).toBe(true);
  });

  test("arrives as it was sent, with every name and number of its sequences", () => {
    const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(Number.NaN));
    const name = fc.option(fc.constantFrom("", "=", "maths", "stop"));
    // A turn without tokens has no sum.
    const pairs = (maxLength: number) =>
      fc
        .array(fc.tuple(fc.nat(3), fc.double({ noNaN: true })), { maxLength })
        .map((all) => all.flatMap(([tokens, sum]) => [tokens, tokens === 0 ? 0 : sum]));
    const drawn = fc.record({
      handle: fc.string(),
      step: number,
      rank: number,
      correct: number,
      environment: name,
      engine: name,
      finish: name,
      staleness: number,
      turns: pairs(3),
      excess: fc.array(fc.double({ noNaN: true }), { maxLength: 3 }),
      deciles: pairs(10),
      jumps: fc.nat(300),
      reward: fc.double(),
      tokens: fc.nat(9000),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.boolean(), drawn), { maxLength: 8 }), (all) => {
        const sample = new SequenceSample(6);
        for (const [cluster, isPrompt, one] of all) sample.add(cluster, isPrompt, one);
        const read = travelInto(sample, new SequenceSample(6));
        expect(read.list()).toEqual(sample.list());
        expect([read.unit, read.isWhole]).toEqual([sample.unit, sample.isWhole]);
      }),
    );
  });

  test("lists a cluster's sequences by handle, and those of one handle by their sums", () => {
    const named = (handle: string, deltaAbs: number): SampledSequence => ({ ...sequence(deltaAbs), handle });
    const all = [named("s1.q2", 0.1), named("s1.q1", 0.3), named("s1.q1", 0.2), named("s1.q10", 0.9)];
    for (const order of [all, [...all].reverse()]) {
      const sample = new SequenceSample();
      for (const one of order) sample.add(7, true, one);
      const [cluster] = sample.list();
      expect(cluster!.sequences.map(({ handle, turns }) => [handle, turns[1]])).toEqual([
        ["s1.q1", 0.2],
        ["s1.q1", 0.3],
        ["s1.q10", 0.9],
        ["s1.q2", 0.1],
      ]);
    }
  });

  test("lists a sequence before one that goes on where it ends", () => {
    const long = { ...sequence(0.5), jumps: 2, turns: [4, 0.5, 1, 0.1] };
    const short = { ...long, turns: [4, 0.5], deciles: [1, 0.1], excess: [4], jumps: 0.5 };
    const shorter = { ...long, turns: [4, 0.5], deciles: [1, 0.1], excess: [4], jumps: 0.25 };
    const sample = new SequenceSample();
    for (const one of [long, short, shorter]) sample.add(1, true, one);
    expect(sample.list()[0]!.sequences.map(({ jumps }) => jumps)).toEqual([0.25, 0.5, 2]);
  });

  test("lets go while sequences arrive, when there are a quarter more than it keeps", () => {
    const sample = new SequenceSample(4);
    for (const cluster of [5, 4, 3, 2, 1]) sample.add(cluster, true, sequence(0.1));
    expect(sample.wants(5)).toBe(true);
    sample.add(0, true, sequence(0.1));
    expect([0, 1, 2, 3, 4, 5].map((cluster) => sample.wants(cluster))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("is whole up to the number that it keeps", () => {
    const sample = new SequenceSample(2);
    for (const cluster of [1, 2]) sample.add(cluster, true, sequence(0.1));
    expect(sample.isWhole).toBe(true);
    // Sequences of one cluster count one by one.
    sample.add(2, true, sequence(0.1));
    expect(sample.isWhole).toBe(false);
  });

  test("is of prompts where that of every sequence is known, in all of its parts", () => {
    const make = (...isPrompt: readonly boolean[]): SequenceSample => {
      const sample = new SequenceSample();
      for (const [i, is] of isPrompt.entries()) sample.add(i, is, sequence(0.1));
      return sample;
    };
    expect([make(), make(true, true), make(true, false)].map(({ unit }) => unit)).toEqual([
      "sequence",
      "prompt",
      "sequence",
    ]);
    for (const [first, second, unit] of [
      [make(true), make(true, true), "prompt"],
      [make(true), make(false), "sequence"],
      [make(false), make(true), "sequence"],
    ] as const) {
      expect(travelInto(first, travelInto(second, make())).unit).toBe(unit);
      second.merge(first);
      expect(second.unit).toBe(unit);
    }
  });

  test("wants nothing that a part which was merged has let go", () => {
    const full = new SequenceSample(1);
    for (const cluster of [3, 5]) full.add(cluster, true, sequence(0.1));
    full.list();
    const [merged, read] = [new SequenceSample(9), new SequenceSample(9)];
    for (const into of [merged, read]) for (const cluster of [2, 4]) into.add(cluster, true, sequence(0.1));
    merged.merge(full);
    travelInto(full, read);
    for (const into of [merged, read]) {
      expect([3, 4].map((cluster) => into.wants(cluster))).toEqual([true, false]);
      expect(into.list().map(({ cluster }) => cluster)).toEqual([2, 3]);
    }
  });

  test("refuses counts without their sums", () => {
    const odd = new SequenceSample();
    odd.add(1, true, { ...sequence(0.5), turns: [4, 0.5, 3] });
    expect(() => travelInto(odd, new SequenceSample())).toThrow("counts and sums are not in pairs");
  });
});
