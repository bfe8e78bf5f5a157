import { expect, it } from "vitest";
import { FIELDS, type MismatchTable, mismatchSums } from "../../core/kernels/index.ts";
import { joinTables } from "./join-tables.ts";

/** Rows of the given numbers of tokens; every third token of all is masked, so that a turn has two. */
function table(lengths: readonly number[], shift: number): MismatchTable {
  const offsets = Int32Array.from(
    [0, ...lengths].map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0)),
  );
  const tokens = offsets.at(-1)!;
  return mismatchSums({
    rollout: Float32Array.from({ length: tokens }, (_, i) => -1 - i / 10),
    trainer: Float32Array.from({ length: tokens }, (_, i) => -1 - i / 10 + shift),
    mask: Uint8Array.from({ length: tokens }, (_, i) => (i % 3 === 2 ? 0 : 1)),
    offsets,
  });
}

it("puts rows one after the other, and adds turns", () => {
  const [a, b] = [table([2, 5], 0.1), table([8], -0.2)];
  const joined = joinTables([a, b]);
  expect([...joined.rowTurns]).toEqual([...a.rowTurns, ...b.rowTurns]);
  expect([...joined.rows]).toEqual([...a.rows, ...b.rows]);
  expect([...joined.turnRows]).toEqual([3, 2, 1]);
  expect(joined.turns).toHaveLength(3 * FIELDS);
  // The third turn is of the last row alone.
  expect([...joined.turns.subarray(2 * FIELDS)]).toEqual([...b.turns.subarray(2 * FIELDS)]);
});

it("of nothing is nothing", () => {
  expect(joinTables([])).toMatchObject({ rowTurns: new Int32Array(0), turns: new Float64Array(0) });
});
