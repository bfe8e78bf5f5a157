import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LengthMismatchError, UsageError } from "../base/errors.ts";
import { COUNT, FIELDS } from "./layout.ts";
import { type MaskedTokens, mismatchSums, type TokenBlock } from "./mismatch.ts";
import { turnMarks, turnOfMark } from "./turns.ts";

interface Token {
  readonly own: boolean;
  readonly chosen: boolean;
}

function makeBlock(rows: readonly (readonly Token[])[]): TokenBlock & { readonly turnMask: Uint8Array } {
  const tokens = rows.flat();
  const offsets = [0];
  for (const row of rows) offsets.push(offsets.at(-1)! + row.length);
  return {
    rollout: Float32Array.from(tokens, (_, t) => -1 - t / 8),
    trainer: Float32Array.from(tokens, (_, t) => -1 - t / 16),
    mask: Uint8Array.from(tokens, ({ own, chosen }) => (own && chosen ? 1 : 0)),
    turnMask: Uint8Array.from(tokens, ({ own }) => (own ? 1 : 0)),
    offsets: Int32Array.from(offsets),
  };
}

describe("turns of tokens that were chosen", () => {
  it("keep the numbers that they have among all tokens, in sums and in what is lent", () => {
    const token = fc.record({ own: fc.boolean(), chosen: fc.boolean() });
    fc.assert(
      fc.property(fc.array(fc.array(token, { maxLength: 20 }), { minLength: 1, maxLength: 5 }), (rows) => {
        const block = makeBlock(rows);
        const turnOf = new Map<number, number>();
        const counts = new Map<number, number>();
        const sequences = new Map<number, Set<number>>();
        for (const [row, tokens] of rows.entries()) {
          const marks = turnMarks(block.turnMask, block.offsets[row]!, block.offsets[row + 1]!);
          for (const at of tokens.keys()) {
            const index = block.offsets[row]! + at;
            const turn = turnOfMark(marks[at]!);
            if (block.mask[index] === 0 || turn === undefined) continue;
            turnOf.set(index, turn);
            counts.set(turn, (counts.get(turn) ?? 0) + 1);
            sequences.set(turn, (sequences.get(turn) ?? new Set()).add(row));
          }
        }
        const lent = new Map<number, number>();
        const sink = ({ count, index, turn }: MaskedTokens): void => {
          for (let i = 0; i < count; i++) lent.set(index[i]!, turn[i]!);
        };
        const { turns, turnRows, rowTurns, rows: sums } = mismatchSums(block, { sink });
        expect([...lent].toSorted(([a], [b]) => a - b)).toEqual([...turnOf]);
        expect(turnRows.length).toBe(Math.max(-1, ...counts.keys()) + 1);
        for (const [turn, count] of turnRows.entries()) {
          expect(count).toBe(sequences.get(turn)?.size ?? 0);
          expect(turns[turn * FIELDS + COUNT]).toBe(counts.get(turn) ?? 0);
        }
        const { mask, rollout, trainer, offsets } = block;
        const plain = mismatchSums({ mask, rollout, trainer, offsets }, { engine: "scalar" });
        for (let row = 0; row < rows.length; row++) {
          expect(sums[row * FIELDS + COUNT]).toBe(plain.rows[row * FIELDS + COUNT]);
          const own = [...sequences.values()].filter((of) => of.has(row)).length;
          expect(rowTurns[row]).toBe(own);
        }
      }),
    );
  });

  it("must be in a turn, and the columns of one length", () => {
    const block = makeBlock([[{ own: true, chosen: true }]]);
    expect(() => mismatchSums({ ...block, turnMask: Uint8Array.of(0) })).toThrow(UsageError);
    expect(() => mismatchSums({ ...block, turnMask: Uint8Array.of(1, 1) })).toThrow(LengthMismatchError);
  });
});
