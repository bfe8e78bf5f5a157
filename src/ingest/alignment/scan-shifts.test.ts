import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/random.ts";
import { type Drawing, type Drawn, drawLogprobs, moveEntries, packDrawn } from "./logprobs.test-data.ts";
import { logTail, type ShiftScan, ShiftScanner } from "./scan-shifts.ts";
import { shiftTrainer } from "./shift-trainer.ts";

function scan(sequences: readonly Drawn[]): ShiftScan {
  const scanner = new ShiftScanner();
  scanner.add(packDrawn(sequences));
  return scanner.finish();
}

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const drawings: fc.Arbitrary<Drawing> = fc.record({
  sequences: fc.integer({ min: 12, max: 40 }),
  tokens: fc.integer({ min: 50, max: 150 }),
  open: fc.double({ min: 0.1, max: 0.6, noNaN: true }),
  noise: fc.double({ min: 0, max: 0.3, noNaN: true }),
});
const shifts = fc.constantFrom(-3, -2, -1, 1, 2, 3);

describe("a shift of a few entries", () => {
  it("is found, and --align by it brings the columns together", () => {
    fc.assert(
      fc.property(seeds, drawings, shifts, (seed, drawing, by) => {
        const moved = drawLogprobs(seed, drawing).map((one) => ({
          ...one,
          trainer: moveEntries(one.trainer, by),
        }));
        const { found } = scan(moved);
        expect(found).toMatchObject({ offset: by, scope: "all" });
        expect(found!.deltaAbs).toBeLessThan(found!.deltaAbsInPlace);
        const scanner = new ShiftScanner();
        scanner.add(shiftTrainer(packDrawn(moved), by).batch);
        expect(scanner.finish().found).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it("is found behind the first turn alone", () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(-1, 1), (seed, by) => {
        const drawn = drawLogprobs(seed, { sequences: 40, tokens: 160, open: 0.4, noise: 0.05 });
        const moved = drawn.map(({ rollout, trainer, mask }) => {
          // A long first turn, tool output, a short second one.
          const cut = Math.floor(0.7 * mask.length);
          const late = moveEntries(trainer.slice(cut), by);
          const both = trainer.slice();
          both.set(late, cut);
          return { rollout, trainer: both, mask: mask.map((one, t) => (t >= cut && t < cut + 3 ? 0 : one)) };
        });
        expect(scan(moved).found).toMatchObject({ offset: by, scope: "later" });
      }),
      { numRuns: 30 },
    );
  });

  it("by the padding of each row is padding on the other side", () => {
    fc.assert(
      fc.property(seeds, fc.boolean(), (seed, isLeft) => {
        const drawn = drawLogprobs(seed, { sequences: 60, tokens: 80, open: 0.4, noise: 0.02 });
        const width = Math.max(...drawn.map(({ mask }) => mask.length)) + 1;
        const moved = drawn.map(({ rollout, trainer, mask }) => {
          const padding = width - mask.length;
          const right = new Float32Array(mask.length);
          right.set(trainer.subarray(0, Math.max(0, mask.length - padding)), Math.min(padding, mask.length));
          const left = new Float32Array(mask.length);
          left.set(trainer.subarray(Math.min(padding, mask.length)));
          return { rollout, trainer: isLeft ? right : left, mask, width };
        });
        expect(scan(moved).found).toMatchObject({ offset: isLeft ? "left" : "right" });
      }),
      { numRuns: 30 },
    );
  });

  it("by padding is looked for where rows have more of it than the shifts of a few tokens cover", () => {
    const [drawn] = drawLogprobs(3, { sequences: 1, tokens: 60, open: 0.4, noise: 0.05 });
    const compared = (padding: number) =>
      scan([{ ...drawn!, width: drawn!.mask.length + padding }])
        .shifts.filter(({ offset }) => typeof offset === "string")
        .map(({ offset, tokens }) => [offset, tokens > 0]);
    for (const padding of [0, 1, 3])
      expect(compared(padding)).toEqual([
        ["left", false],
        ["right", false],
      ]);
    expect(compared(4)).toEqual([
      ["left", true],
      ["right", true],
    ]);
  });
});

describe("no shift is found", () => {
  /** Other columns that are wrong in some way, but not shifted. */
  const faults: Readonly<Record<string, (one: Drawn, random: () => number) => Float32Array>> = {
    none: ({ trainer }) => trainer,
    "a column of another row": ({ trainer }, random) => trainer.map(() => Math.log(1 - random())),
    "a constant": ({ trainer }) => trainer.map(() => -0.7),
    "0 everywhere": ({ trainer }) => trainer.map(() => 0),
    "half of it lost": ({ trainer }, random) => trainer.map((value) => (random() < 0.5 ? 0 : value)),
    "another temperature": ({ trainer }) => trainer.map((value) => value / 2),
    "a drift along the response": ({ trainer }) => trainer.map((_, t) => -10 + t / trainer.length),
    "independent, and growing": ({ trainer }, random) =>
      trainer.map((_, t) => Math.log(1 - random()) * (1.2 - t / trainer.length)),
  };

  it.each(Object.entries(faults))("with %s", (_, fault) => {
    fc.assert(
      fc.property(seeds, drawings, (seed, drawing) => {
        const random = seededRandom(seed + 1);
        const drawn = drawLogprobs(seed, drawing);
        const width = Math.max(...drawn.map(({ mask }) => mask.length)) + 5;
        const read = drawn.map((one) => ({ ...one, trainer: fault(one, random), width }));
        expect(scan(read).found).toBeUndefined();
      }),
      { numRuns: 120 },
    );
  });

  it("of a handful of tokens, and the scan says that it cannot tell", () => {
    const moved = drawLogprobs(7, { sequences: 3, tokens: 20, open: 0.4, noise: 0 }).map((one) => ({
      ...one,
      trainer: moveEntries(one.trainer, 1),
    }));
    expect(scan(moved)).toMatchObject({ found: undefined, canTell: false });
  });
});

describe("sums of scans", () => {
  it("add up to the scan of all sequences, however they are split over files", () => {
    fc.assert(
      fc.property(seeds, drawings, fc.integer({ min: 0, max: 3 }), (seed, drawing, shift) => {
        const sequences = drawLogprobs(seed, drawing).map((one) => ({
          ...one,
          trainer: moveEntries(one.trainer, shift),
        }));
        const whole = scan(sequences);
        const together = new ShiftScanner();
        for (const from of [0, 5, 11]) {
          const part = new ShiftScanner();
          part.add(packDrawn(sequences.slice(from, from === 11 ? undefined : from === 0 ? 5 : 11)));
          together.addSums(part.sums());
        }
        const added = together.finish();
        expect(added).toMatchObject({ tokens: whole.tokens, canTell: whole.canTell });
        expect(added.deltaAbs).toBeCloseTo(whole.deltaAbs, 12);
        expect(added.found?.offset).toBe(whole.found?.offset);
        for (const [i, { votes, stretches, tokens, deltaAbs }] of whole.shifts.entries()) {
          expect(added.shifts[i]).toMatchObject({ votes, stretches, tokens });
          if (tokens > 0) expect(added.shifts[i]!.deltaAbs).toBeCloseTo(deltaAbs, 12);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("logTail", () => {
  it("bounds the binomial tail from above, and is it where all votes agree", () => {
    const exact = (k: number, n: number): number => {
      let sum = 0;
      const terms = [1];
      for (let i = 1; i <= n; i++) terms.push((terms[i - 1]! * (n - i + 1)) / i);
      for (let i = k; i <= n; i++) sum += terms[i]!;
      return Math.log(sum) - n * Math.LN2;
    };
    for (let n = 1; n <= 60; n++) {
      for (let k = Math.ceil(n / 2); k <= n; k++)
        expect(logTail(k, n)).toBeGreaterThanOrEqual(exact(k, n) - 1e-9);
      expect(logTail(n, n)).toBeCloseTo(-n * Math.LN2, 9);
    }
    expect(logTail(3, 10)).toBe(0);
    expect(logTail(0, 0)).toBe(0);
  });
});
