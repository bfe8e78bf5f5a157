import { expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import type { RecordBatch, Sides } from "../../../core/schema/index.ts";
import { WeightsSeen } from "./weights-seen.ts";

const batch = (steps: readonly number[], rollout?: string, trainer?: string): RecordBatch => {
  const sides: Sides = {
    ...(rollout !== undefined && { rollout: { weights: rollout } }),
    ...(trainer !== undefined && { trainer: { weights: trainer } }),
  };
  return { length: steps.length, steps: Float64Array.from(steps), sides } as unknown as RecordBatch;
};

function seen(...batches: readonly RecordBatch[]): WeightsSeen {
  const sums = new WeightsSeen();
  for (const each of batches) sums.add(each);
  return sums;
}

function bytes(sums: WeightsSeen): Uint8Array {
  const to = new ByteWriter();
  sums.encode(to);
  return to.finish();
}

it("counts the sequences of each step by what they state, in order", () => {
  const sums = seen(
    batch([2, 2, Number.NaN], "b", "a"),
    batch([1], "b"),
    batch([2], "a", "a"),
    batch([2], "b", "a"),
    batch([3]),
  );
  expect(sums.list()).toEqual([
    { step: 1, rollout: "b", trainer: null, sequences: 1 },
    { step: 2, rollout: "a", trainer: "a", sequences: 1 },
    { step: 2, rollout: "b", trainer: "a", sequences: 3 },
    { step: Number.NaN, rollout: "b", trainer: "a", sequences: 1 },
  ]);
});

it("merges in any order to the same, and keeps a bounded number of a step's digests", () => {
  const parts = Array.from({ length: 6 }, (_, part) =>
    seen(...Array.from({ length: 50 }, (_, i) => batch([1], `w${(i * 7 + part * 31) % 150}`, "t"))),
  );
  const join = (order: readonly WeightsSeen[]): WeightsSeen => {
    const all = new WeightsSeen();
    for (const each of order) all.merge(each);
    return all;
  };
  const whole = join(parts);
  expect(whole.list()).toHaveLength(64);
  expect(bytes(join([...parts].reverse()))).toEqual(bytes(whole));
  const names = whole.list().map(({ rollout }) => rollout);
  const all = [...new Set(parts.flatMap((part) => part.list().map(({ rollout }) => rollout)))].sort();
  expect(names).toEqual(all.slice(0, 64));
  const again = new WeightsSeen();
  again.mergeFrom(new ByteReader(bytes(whole), "part"));
  expect(again.list()).toEqual(whole.list());
});
