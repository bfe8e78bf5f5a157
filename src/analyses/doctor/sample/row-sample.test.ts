import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteReader, ByteWriter, FormatError } from "../../../core/base/index.ts";
import type { SampledRow } from "./row.ts";
import { decodeRow, encodeRow } from "./row-bytes.ts";
import { RowSample } from "./row-sample.ts";

const LIMIT = 40;

function makeRow(group: number, row: number, tokens: number, more: Partial<SampledRow> = {}): SampledRow {
  const values = Float32Array.from({ length: tokens }, (_, t) => -t - row / 7);
  return {
    ...{ file: `f${row % 3}`, step: row % 2 === 0 ? Number.NaN : row, rank: Number.NaN, pack: 0, row },
    ...{ environment: undefined, group, hasPrompt: true, reward: 1, advantage: Number.NaN },
    ...{ mask: new Uint8Array(tokens).fill(1), rollout: values, trainer: Float64Array.from(values) },
    ...{ ids: undefined, prompt: undefined, reference: undefined, rescore: undefined },
    ...{ rolloutEntropy: undefined, trainerEntropy: undefined, rolloutTop: undefined, trainerTop: undefined },
    ...{ positions: undefined, versions: undefined },
    ...more,
  };
}

const rowsOf = fc
  .array(fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 30 })), { maxLength: 30 })
  .map((drawn) => drawn.map(([group, tokens], row) => makeRow(group, row, tokens)));

it("keeps the same rows whatever order and tree they come in: groups of the smallest keys up to the limit", () => {
  fc.assert(
    fc.property(
      rowsOf.chain((rows) =>
        fc.tuple(
          fc.constant(rows),
          fc.shuffledSubarray(rows, { minLength: rows.length }),
          fc.array(fc.nat(2), { minLength: rows.length, maxLength: rows.length }),
        ),
      ),
      ([rows, order, places]) => {
        const samples = [0, 1, 2].map(() => new RowSample(LIMIT));
        for (const [i, row] of order.entries()) samples[places[i]!]!.add(row.group, row);
        // One of them travelled before it was merged: it was trimmed.
        const [first, second, third] = samples as [RowSample, RowSample, RowSample];
        expect(second.bound).toBeGreaterThan(0);
        second.merge(third);
        first.merge(second);
        expect(first.list()).toEqual(keepNaively(rows));
        expect(first.isWhole).toBe(rows.reduce((sum, { mask }) => sum + mask.length, 0) <= LIMIT);
      },
    ),
    { numRuns: 500 },
  );
});

/** Groups by key as long as all of them fit; the first one in any case. In the order of the sample's own list. */
function keepNaively(rows: readonly SampledRow[]): SampledRow[] {
  const keys = [...new Set(rows.map(({ group }) => group))].sort((a, b) => a - b);
  const kept: number[] = [];
  let tokens = 0;
  for (const key of keys) {
    for (const { group, mask } of rows) if (group === key) tokens += mask.length;
    if (tokens > LIMIT && kept.length > 0) break;
    kept.push(key);
  }
  const known = (value: number): number => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value);
  return rows
    .filter(({ group }) => kept.includes(group))
    .sort((a, b) =>
      known(a.step) !== known(b.step)
        ? known(a.step) - known(b.step)
        : a.file < b.file
          ? -1
          : a.file > b.file
            ? 1
            : a.row - b.row,
    );
}

it("writes a row and reads it back, every column in its own width", () => {
  const row = makeRow(2 ** 52 + 1, 5, 3, {
    environment: "",
    mask: Uint8Array.of(1, 0, 1),
    ids: Int32Array.of(7, -1, 150_000),
    prompt: Int32Array.of(1, 2),
    rescore: Float64Array.of(-1e-300, Number.NaN, Number.NEGATIVE_INFINITY),
    rolloutTop: {
      k: 2,
      ids: Int32Array.of(1, 2, 3, 4, 5, -1),
      logprobs: Float32Array.of(-1, -2, -3, -4, -5, NaN),
    },
    positions: Int32Array.of(4, 5, 6),
    versions: Int32Array.of(0, 0, 1),
  });
  const to = new ByteWriter();
  encodeRow(row, to);
  const bytes = to.finish();
  const from = new ByteReader(bytes, "row");
  const back = decodeRow(from);
  from.end();
  expect(back).toStrictEqual(row);
  for (let at = 0; at < bytes.length - 4; at++)
    expect(() => decodeRow(new ByteReader(bytes.subarray(0, at), "row"))).toThrow(FormatError);
});
