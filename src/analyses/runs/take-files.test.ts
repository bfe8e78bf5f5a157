import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { FileOutcome, FileReading } from "../../ingest/run-files.ts";
import type { RunEvidence } from "../evidence/run-evidence.ts";
import type { BatchFilter } from "../filter/filter-batches.ts";
import { type TakeOptions, takeFiles } from "./take-files.ts";

const batches = [1, 2].map((step) => recordBatch([{ deltas: "-.5", step }]));

/** Files 0 to 3, taken in the order given; those of `broken` cannot be read. */
async function take(
  order: readonly number[],
  more: Partial<TakeOptions> = {},
  broken: readonly number[] = [],
) {
  const left = [...order];
  const added: RecordBatch[] = [];
  const failed: number[] = [];
  const read = (place: number): FileReading => ({
    async *batches() {
      if (broken.includes(place)) throw new Error(`file ${place}`);
      yield* batches;
    },
    outcome: () => ({ place }) as unknown as FileOutcome,
  });
  const taken = await takeFiles({
    next: () => left.shift(),
    read,
    filter: undefined,
    evidence: { add: (batch: RecordBatch) => added.push(batch) } as unknown as RunEvidence,
    isStopped: () => false,
    onFailed: (place) => failed.push(place),
    ...more,
  });
  return { taken, added, failed };
}

describe("files taken by a thread", () => {
  it("are summed batch by batch, each with its outcome", async () => {
    const { taken, added, failed } = await take([2, 0]);
    expect(added).toEqual([...batches, ...batches]);
    expect(taken).toEqual({
      outcomes: [
        [2, { place: 2 }],
        [0, { place: 0 }],
      ],
      failure: undefined,
    });
    expect(failed).toEqual([]);
    expect((await take([])).taken).toEqual({ outcomes: [], failure: undefined });
  });

  it("do not end with one that fails; the first of these in the order of files is told", async () => {
    const { taken, added, failed } = await take([3, 1, 2], {}, [3, 2]);
    expect(failed).toEqual([3, 2]);
    expect(taken.failure).toEqual({ place: 2, error: new Error("file 2") });
    expect(taken.outcomes.map(([place]) => place)).toEqual([3, 1, 2]);
    expect(added).toEqual(batches);
    expect((await take([1, 3], {}, [1, 3])).taken.failure?.place).toBe(1);
  });

  it("end where reading is stopped, after the batch that was being read", async () => {
    const { taken, added } = await take([0, 1], { isStopped: async (place) => place === 0 });
    expect(added).toEqual([batches[0], ...batches]);
    expect(taken.outcomes).toHaveLength(2);
  });

  it("pass a filter, which may leave nothing of a batch", async () => {
    const filter = { apply: (batch: RecordBatch) => (batch === batches[0] ? undefined : batch) };
    const { added } = await take([0], { filter: filter as unknown as BatchFilter });
    expect(added).toEqual([batches[1]]);
  });
});
