import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LogitBlock, mismatchSums, type TokenBlock } from "../../core/kernels/index.ts";
import { joinTables } from "./join-tables.ts";
import { emptySlot, sharedBlocks, sharedRows } from "./shared-rows.ts";

/** Rows of the lengths given, no two tokens alike. */
function block(
  lengths: readonly number[],
  make: (bytes: number) => ArrayBufferLike = (bytes) => new ArrayBuffer(bytes),
  [Rollout, Trainer]: readonly [
    typeof Float32Array | typeof Float64Array,
    typeof Float32Array | typeof Float64Array,
  ] = [Float32Array, Float32Array],
): TokenBlock {
  const offsets = Int32Array.from([0, ...lengths]);
  for (let row = 1; row < offsets.length; row++) offsets[row]! += offsets[row - 1]!;
  const tokens = offsets.at(-1)!;
  const rollout = new Rollout(make(tokens * Rollout.BYTES_PER_ELEMENT) as ArrayBuffer);
  const trainer = new Trainer(make(tokens * Trainer.BYTES_PER_ELEMENT) as ArrayBuffer);
  const mask = new Uint8Array(make(tokens) as ArrayBuffer);
  for (let t = 0; t < tokens; t++) {
    rollout[t] = -1 - t;
    trainer[t] = -1.25 - t;
    mask[t] = t % 3 === 2 ? 0 : 1;
  }
  return { rollout, trainer, mask, offsets };
}

const isShared = ({ buffer }: ArrayBufferView): boolean => buffer instanceof SharedArrayBuffer;
const shared = (bytes: number) => new SharedArrayBuffer(bytes);
const own = (bytes: number) => new ArrayBuffer(bytes);

describe("rows for a thread", () => {
  const widths = fc.constantFrom(
    [Float32Array, Float32Array] as const,
    [Float64Array, Float32Array] as const,
    [Float32Array, Float64Array] as const,
    [Float64Array, Float64Array] as const,
  );
  const lengths = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 });

  it("are the rows asked for, in their type, in shared memory, one range after the other in one slot", () => {
    fc.assert(
      fc.property(lengths, widths, fc.constantFrom(own, shared), (rows, types, make) => {
        const whole = block(rows, make, types);
        const slot = emptySlot();
        for (let from = 0; from < rows.length; from++)
          for (let to = from + 1; to <= rows.length; to++) {
            const [start, end] = [whole.offsets[from]!, whole.offsets[to]!];
            const part = sharedRows(whole, from, to, slot);
            expect(part.rollout).toEqual(whole.rollout.slice(start, end));
            expect(part.trainer).toEqual(whole.trainer.slice(start, end));
            expect(part.mask).toEqual(whole.mask.slice(start, end));
            expect([...part.offsets]).toEqual(
              Array.from({ length: to - from + 1 }, (_, row) => whole.offsets[from + row]! - start),
            );
            expect([part.rollout, part.trainer, part.mask].every(isShared)).toBe(true);
          }
      }),
    );
  });

  it("are views where the columns are shared already, else copies in a slot that grows and is used again", () => {
    const slot = emptySlot();
    const there = block([4, 4], shared);
    expect(sharedRows(there, 1, 2, slot).rollout.buffer).toBe(there.rollout.buffer);
    expect(slot.buffer.byteLength).toBe(0);
    const mixed = { ...there, trainer: block([4, 4]).trainer };
    const part = sharedRows(mixed, 0, 2, slot);
    const grown = slot.buffer;
    expect([part.rollout, part.trainer, part.mask].map(({ buffer }) => buffer)).toEqual([
      grown,
      grown,
      grown,
    ]);
    expect(grown.byteLength).toBe(8 * 4 + 8 * 4 + 8);
    sharedRows(mixed, 0, 1, slot);
    expect(slot.buffer).toBe(grown);
    expect(mixed.rollout[0]).toBe(-1);
  });
});

describe("blocks of logits for threads", () => {
  const logits = (values: Float32Array | Uint16Array): LogitBlock => ({
    format: values instanceof Float32Array ? "float32" : "bfloat16",
    values,
    rows: 1,
    vocabulary: values.length,
  });

  it("are as they are where they are shared already, else copies in the slot", () => {
    const slot = emptySlot();
    const there = logits(new Float32Array(shared(12)).fill(2));
    expect(sharedBlocks([there], slot)).toEqual([there]);
    expect(slot.buffer.byteLength).toBe(0);
    const halves = logits(Uint16Array.of(1, 2, 3));
    const [p, q] = sharedBlocks([halves, there], slot);
    expect(q).toBe(there);
    expect(p).toEqual(halves);
    expect(p.values.buffer).toBe(slot.buffer);
    const [first, second] = sharedBlocks([halves, logits(Float32Array.of(5))], slot);
    expect([first.values, second.values]).toEqual([halves.values, Float32Array.of(5)]);
  });
});

describe("tables of consecutive rows", () => {
  it("are joined to the table of all rows, bit for bit, and turns that only some of them have", () => {
    const turns = fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(turns, fc.nat(6), (rows, cut) => {
        // Of each row: runs of tokens with mask 1, each followed by one token with mask 0.
        const bits = rows.map((runs) => runs.flatMap((length) => [...Array<number>(length).fill(1), 0]));
        const whole = block(bits.map(({ length }) => length));
        const data = { ...whole, mask: Uint8Array.from(bits.flat()) };
        const ranges = [
          [0, Math.min(cut, rows.length)],
          [Math.min(cut, rows.length), rows.length],
        ] as const;
        const parts = ranges
          .filter(([from, to]) => from < to)
          .map(([rowStart, rowEnd]) => mismatchSums(data, { rowStart, rowEnd }));
        const [joined, expected] = [joinTables(parts), mismatchSums(data)];
        expect(joined.rows).toEqual(expected.rows);
        expect(joined.rowTurns).toEqual(expected.rowTurns);
        expect(joined.turnRows).toEqual(expected.turnRows);
        expect(joined.turns).toHaveLength(expected.turns.length);
        for (const [i, value] of expected.turns.entries()) expect(joined.turns[i]).toBeCloseTo(value, 6);
      }),
    );
  });

  it("of no rows are a table of none", () => {
    const { rows, rowTurns, turns, turnRows } = joinTables([]);
    expect([rows, rowTurns, turns, turnRows].map(({ length }) => length)).toEqual([0, 0, 0, 0]);
  });
});
