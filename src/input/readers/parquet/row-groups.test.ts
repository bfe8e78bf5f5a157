import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GROUPS_OF_A_SIZE, ROW_GROUP_ROWS, type RowRun, rowGroups } from "./row-groups.ts";
import type { ColumnBatch, ColumnSpec } from "./schema.ts";

const specs: readonly ColumnSpec[] = [{ name: "lp", type: { list: "float32" } }];

/** Sequences of `length` tokens. */
function makeBatch(rows: number, length: number, onWritten?: () => void): ColumnBatch {
  const offsets = Int32Array.from({ length: rows + 1 }, (_, row) => row * length);
  const columns = [{ values: new Float32Array(rows * length), offsets }];
  return { length: rows, columns, ...(onWritten && { onWritten }) };
}

async function* iterate(batches: readonly ColumnBatch[]): AsyncGenerator<ColumnBatch> {
  yield* batches;
}

const countRows = (runs: readonly RowRun[]): number =>
  runs.reduce((sum, { start, end }) => sum + end - start, 0);

async function listSizes(batches: readonly ColumnBatch[], limit: number): Promise<number[]> {
  const sizes: number[] = [];
  for await (const runs of rowGroups(specs, iterate(batches), limit)) sizes.push(countRows(runs));
  return sizes;
}

describe("rowGroups", () => {
  test("doubles row groups after many of them, so that the list of them stays short", async () => {
    const sizes = await listSizes([makeBatch(GROUPS_OF_A_SIZE + 5, 3), makeBatch(4, 3)], 3);
    expect(sizes.slice(0, GROUPS_OF_A_SIZE).every((rows) => rows === 1)).toBe(true);
    expect(sizes.slice(GROUPS_OF_A_SIZE)).toEqual([2, 2, 2, 2, 1]);
  });

  test("ends a row group of short rows, too", async () => {
    expect(await listSizes([makeBatch(ROW_GROUP_ROWS + 1, 0)], 10)).toEqual([ROW_GROUP_ROWS, 1]);
  });

  test("tells of each batch with rows once, when all of its rows are written and not earlier", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(9), { maxLength: 8 }),
        fc.integer({ min: 1, max: 30 }),
        async (lengths, limit) => {
          const told: number[] = [];
          const batches = lengths.map((rows, i) => makeBatch(rows, 2, () => told.push(i)));
          const written = lengths.map(() => 0);
          const whole = (): number[] =>
            lengths.flatMap((rows, i) => (rows > 0 && written[i] === rows ? [i] : []));
          for await (const runs of rowGroups(specs, iterate(batches), limit)) {
            expect(told).toEqual(whole());
            for (const { batch, start, end } of runs) written[batches.indexOf(batch)]! += end - start;
          }
          expect(written).toEqual(lengths);
          expect(told).toEqual(whole());
        },
      ),
    );
  });
});
