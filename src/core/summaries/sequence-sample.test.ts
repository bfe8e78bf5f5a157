import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../../../test/support/property-seed.ts";
import { type SampledSequence, SequenceSample } from "./sequence-sample.ts";
import { travel } from "./travel.test-data.ts";

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
});

describe("SequenceSample", () => {
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
            (parts[shards.next().value as number] as SequenceSample).add(cluster, true, sequence(deltaAbs));
          }
          const [a, b, c, d] = parts as [SequenceSample, SequenceSample, SequenceSample, SequenceSample];
          d.merge(b);
          const travelled = travel(c, (from) => SequenceSample.decode(from, limit));
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
});
