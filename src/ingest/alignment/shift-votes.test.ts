import fc from "fast-check";
import { expect, it } from "vitest";
import { shiftsKernel } from "../../core/kernels/wasm/shifts-kernel.ts";
import {
  addRow,
  addRowPlainly,
  type ComparedRow,
  IN_PLACE_SUMS,
  placeOf,
  SHIFT_SUMS,
} from "./shift-votes.ts";

const SHIFTS = [-3, -1, 1, 2, undefined, 40];

const logprob = fc.oneof(
  { weight: 8, arbitrary: fc.float({ min: -20, max: 0, noNaN: true }) },
  { weight: 3, arbitrary: fc.constantFrom(0, -0, -0.5, -0.25) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -9999, -9998, 0.001, 0.0011, 7, -1e-40),
  },
);
const token = fc.record({ rollout: logprob, trainer: logprob, isMasked: fc.boolean() });

function findTurns(mask: readonly boolean[]): number[] {
  const turns: number[] = [];
  for (const [t, isIn] of mask.entries()) {
    if (isIn && mask[t - 1] !== true) turns.push(t);
    if (isIn && mask[t + 1] !== true) turns.push(t + 1);
  }
  return turns;
}

function emptySums(): Float64Array {
  return new Float64Array(placeOf(SHIFTS.length, SHIFTS.length, true));
}

it("adds the same bits in the kernel as plainly, row after row, whatever the values and turns", () => {
  expect(shiftsKernel()).toBeDefined();
  const row = fc.tuple(fc.array(token, { maxLength: 90 }), fc.boolean(), fc.nat(9));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const [inKernel, plain] = [emptySums(), emptySums()];
      for (const [tokens, hasMask, start] of rows) {
        const before = new Array<number>(start).fill(-1);
        const row: ComparedRow = {
          rollout: Float32Array.from([...before, ...tokens.map((one) => one.rollout)]),
          trainer: Float32Array.from([...before, ...tokens.map((one) => one.trainer)]),
          start,
          end: start + tokens.length,
          turns: findTurns(tokens.map(({ isMasked }) => !hasMask || isMasked)).map((t) => t + start),
          shifts: SHIFTS,
        };
        addRow(inKernel, row);
        addRowPlainly(plain, row);
      }
      expect(inKernel).toEqual(plain);
    }),
    { numRuns: 1000 },
  );
});

it("counts what a row of two turns has", () => {
  const rollout = Float32Array.from({ length: 40 }, (_, t) => -1 - ((t * 7) % 5));
  // One entry late.
  const trainer = Float32Array.from({ length: 40 }, (_, t) => rollout[t - 1] ?? -1);
  const sums = emptySums();
  addRow(sums, { rollout, trainer, start: 0, end: 40, turns: [0, 20, 22, 40], shifts: SHIFTS });
  expect(sums.subarray(0, IN_PLACE_SUMS - 1)).toEqual(Float64Array.of(38, 38));
  const later = placeOf(SHIFTS.indexOf(1), SHIFTS.length, true);
  // In the second turn, all tokens but the last have an entry after them: one stretch, which agrees.
  expect([...sums.subarray(later, later + SHIFT_SUMS)]).toEqual([17, 0, expect.any(Number), 1, 1]);
});

it("takes double precision, and rows longer than the kernel has room for, plainly", () => {
  const { room } = shiftsKernel()!;
  for (const rollout of [new Float64Array(50), new Float32Array(room + 1)]) {
    for (let t = 0; t < rollout.length; t++) rollout[t] = -1.1 - ((t * 7) % 5) / 3;
    const { length } = rollout;
    const row = { rollout, trainer: rollout.slice().reverse(), start: 0, end: length, turns: [0, length] };
    const [sums, plain] = [emptySums(), emptySums()];
    addRow(sums, { ...row, shifts: SHIFTS });
    addRowPlainly(plain, { ...row, shifts: SHIFTS });
    expect(sums).toEqual(plain);
    expect(sums[0]).toBe(length);
  }
});
