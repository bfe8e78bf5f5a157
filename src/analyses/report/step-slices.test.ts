import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { sized } from "../../../test/support/run-size.ts";
import { ByteReader } from "../../core/base/byte-reader.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { NUMBER } from "../../core/base/codec.ts";
import { FIELDS } from "../../core/kernels/layout.ts";
import { emptySums } from "../../core/kernels/merge.ts";
import { mismatchSums } from "../../core/kernels/mismatch.ts";
import type { MismatchSummary } from "../../core/summaries/mismatch-summary.ts";
import { Slices, slicesBy } from "./slices.ts";
import { StepSlices } from "./step-slices.ts";

interface Addition {
  readonly step: number;
  readonly unit: number;
  readonly deltas: readonly number[];
}

const additions: fc.Arbitrary<Addition[]> = fc.array(
  fc.record({
    step: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 10, -1, Number.NaN),
    unit: fc.integer({ min: 0, max: 3 }),
    deltas: fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 1, maxLength: 40 }),
  }),
  { maxLength: 60 },
);

function addTo(slice: MismatchSummary, { unit, deltas }: Addition): void {
  const { rolloutLogprobs, trainerLogprobs, responseMask, offsets } = recordBatch([
    { deltas: deltas.join(" ") },
  ]);
  slice.beginUnit(`file\0${unit}`);
  const block = { rollout: rolloutLogprobs!, trainer: trainerLogprobs!, mask: responseMask, offsets };
  const { rows, turns, turnRows } = mismatchSums(block, { sink: (tokens) => slice.addTokens(tokens) });
  slice.addTurns(turns, turnRows);
  slice.addSequence(rows, 0 * FIELDS, Math.abs(Math.round(1e6 * deltas[0]!)), false);
}

function fill(slices: StepSlices | Slices<number>, all: readonly Addition[]): void {
  for (const addition of all) {
    addTo(slices.get(addition.step), addition);
    if (slices instanceof StepSlices) slices.settle();
  }
}

function encode(slices: StepSlices | Slices<number>): Uint8Array {
  const to = new ByteWriter();
  if (slices instanceof StepSlices) slices.encode(to);
  else slicesBy(NUMBER).encode(slices, to);
  return to.finish();
}

describe("slices by step", () => {
  it("are the same whether they stay open or not, and whatever their order", () => {
    fc.assert(
      fc.property(additions, fc.integer({ min: 1, max: 4 }), (all, mostOpen) => {
        const [few, plain] = [new StepSlices(mostOpen), new Slices<number>()];
        fill(few, all);
        fill(plain, all);
        expect(few.size).toBe(plain.byKey.size);
        expect(encode(few)).toEqual(encode(plain));
        expect([...few.sorted()].map(([step]) => step)).toEqual(plain.sorted().map(([step]) => step));
      }),
    );
  });

  it("merge in memory and from bytes to what adding all gives", () => {
    fc.assert(
      fc.property(additions, additions, (first, second) => {
        const [whole, merged, read, other] = [1, 2, 3, 1].map((most) => new StepSlices(most)) as [
          StepSlices,
          StepSlices,
          StepSlices,
          StepSlices,
        ];
        // The same unit in both parts would be added in another order.
        const apart = second.map((addition) => ({ ...addition, unit: addition.unit + 4 }));
        fill(whole, [...first, ...apart]);
        fill(merged, first);
        fill(read, first);
        fill(other, apart);
        merged.merge(other);
        read.mergeFrom(new ByteReader(encode(other), "a part"));
        expect(encode(merged)).toEqual(encode(whole));
        expect(encode(read)).toEqual(encode(whole));
      }),
      { numRuns: sized(20, 100) },
    );
  });

  it("stay open once they were opened again", () => {
    const slices = new StepSlices(1);
    for (const step of [1, 2, 3]) slices.get(step);
    slices.settle();
    const again = slices.get(1);
    for (const step of [4, 5, 6]) slices.get(step);
    slices.settle();
    expect(slices.get(1)).toBe(again);
    expect([...slices.sorted()].find(([step]) => step === 1)?.[1]).toBe(again);
    expect(again.sums).toEqual(emptySums());
  });
});
