import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../test/support/run-size.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { Correction } from "../../trainers/neutral/correction.ts";
import { unsweepable } from "./evaluate.ts";
import { correctionFigures, effective } from "./figures.ts";
import { naiveFigures } from "./naive.test-data.ts";
import { corrections, cutRows, randomBatch } from "./random.test-data.ts";
import { Sweep } from "./sweep.ts";

function runSweep(all: readonly Correction[], batches: readonly RecordBatch[]): Sweep {
  const sweep = new Sweep(all.map((correction, i) => ({ name: `c${i}`, methods: [], correction })));
  for (const batch of batches) sweep.add(batch);
  return sweep;
}

function collectFigures(sweep: Sweep, index: number): Record<string, unknown> {
  const figures = correctionFigures(sweep, index);
  const { dropped } = figures;
  return {
    tokens: sweep.totals.tokens,
    tokens_kept: figures.tokens_kept,
    sequences_kept: figures.sequences_kept,
    mass_lost: figures.mass_lost,
    mass_moved: figures.mass_moved,
    ess_tokens: figures.ess_tokens,
    ess_sequences: figures.ess_sequences,
    weight_mean: figures.weight_mean,
    weight_max: figures.weight_max,
    truncated: sweep.sums[index]!.truncated,
    groups_lost: dropped.groups_lost ?? 0,
    reward_kept: dropped.reward_kept ?? Number.NaN,
    reward_dropped: dropped.reward_dropped ?? Number.NaN,
    accuracy_kept: dropped.accuracy_kept ?? Number.NaN,
    accuracy_dropped: dropped.accuracy_dropped ?? Number.NaN,
    dropped_positive: sweep.sums[index]!.droppedPositive,
    dropped_negative: sweep.sums[index]!.droppedNegative,
  };
}

function expectClose(actual: Record<string, unknown>, expected: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(actual)) {
    const wanted = expected[name] as number;
    const off = Math.abs((value as number) - wanted);
    const close = Object.is(value, wanted) || off <= 1e-9 * Math.max(1, Math.abs(wanted));
    expect(close ? name : `${name}: ${value}, not ${wanted}`).toBe(name);
  }
}

describe("Sweep", () => {
  it("agrees with applyCorrection on every kind of correction, whatever else is in the grid", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(corrections, { minLength: 1, maxLength: 6 }), (seed, all) => {
        const sweepable = all.filter((correction) => unsweepable(correction) === undefined);
        const batches = [randomBatch(seed, 12, 1), randomBatch(seed + 1, 5, 2)];
        fc.pre(batches.some(({ responseMask }) => responseMask.includes(1)));
        const sweep = runSweep(sweepable, batches);
        sweepable.forEach((correction, i) => {
          const naive = naiveFigures(batches, correction);
          expectClose(collectFigures(sweep, i + 1), { ...naive });
          expect(addValues(sweep.sums[i + 1]!.droppedByTurn)).toBe(naive.tokens - naive.tokens_kept);
          expect(addValues(sweep.sums[i + 1]!.droppedByLength)).toBe(naive.tokens - naive.tokens_kept);
          expect([...sweep.sums[i + 1]!.droppedByTurn].slice(0, 8)).toEqual(
            Array.from({ length: 8 }, (_, turn) => naive.dropped_by_turn[turn] ?? 0),
          );
        });
      }),
      { numRuns: sized(100, 400) },
    );
  });

  it("gives the same for pieces of a batch, and for sweeps merged in either order", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 14 }),
        fc.array(corrections, { minLength: 1, maxLength: 3 }),
        (seed, cut, all) => {
          const sweepable = all.filter((correction) => unsweepable(correction) === undefined);
          const batch = randomBatch(seed, 15, 3);
          fc.pre(batch.responseMask.includes(1));
          const whole = runSweep(sweepable, [batch]);
          const parts = [cutRows(batch, 0, cut), cutRows(batch, cut, 15)] as const;
          const pieces = runSweep(sweepable, parts);
          const [left, right] = parts.map((part) => runSweep(sweepable, [part])) as [Sweep, Sweep];
          right.merge(left);
          whole.corrections.forEach((_, i) => {
            expectClose(collectFigures(pieces, i), collectFigures(whole, i));
            expectClose(collectFigures(right, i), collectFigures(whole, i));
          });
        },
      ),
      { numRuns: sized(50, 150) },
    );
  });

  it("leaves out tokens without a finite Δ, counts them by reason, and keeps their turn whole", () => {
    const batch = randomBatch(3, 6, 1);
    const clean = runSweep([], [batch]);
    const [first, second, third] = [...batch.responseMask.keys()].filter((t) => batch.responseMask[t] === 1);
    batch.rolloutLogprobs![first!] = Number.NaN;
    batch.trainerLogprobs![second!] = Number.NEGATIVE_INFINITY;
    batch.rolloutLogprobs![third!] = Number.NEGATIVE_INFINITY;
    const { totals } = runSweep([], [batch]);
    expect(totals.excluded).toEqual({ delta_negative_infinite: 1, delta_positive_infinite: 1, missing: 1 });
    expect(totals.tokens).toBe(clean.totals.tokens - 3);
    expect(totals.turnsMax).toBe(clean.totals.turnsMax);
  });

  it("counts a group of several batches once, and its survivors of all of them", () => {
    const batches = [1, 2, 3].map((step) => randomBatch(step, 9, step));
    const opsm: Correction = {
      steps: [
        { action: "mask", measure: { statistic: "k1", level: "sequence", aggregation: "mean" }, upper: 0 },
      ],
    };
    const sweep = runSweep([opsm], []);
    const rows = batches.flatMap((batch) => [cutRows(batch, 0, 4), cutRows(batch, 4, 9)]);
    for (const batch of rows) sweep.add(batch);
    expect(sweep.groups.lost(1)).toBe(naiveFigures(batches, opsm).groups_lost);
    expect(sweep.groups.groups).toBe(9);
  });

  it("refuses contradictions and what it cannot sum before any data", () => {
    const truncate = { action: "truncate", lower: 2, upper: 1 } as const;
    const weight = { level: "token", aggregation: "sum" } as const;
    expect(() => runSweep([{ weight, steps: [truncate] }], [])).toThrow(/c0: .*lower bound 2 above/);
    const late: Correction = {
      weight,
      steps: [
        { action: "normalize", over: "token" },
        { action: "truncate", upper: 2 },
      ],
    };
    expect(() => runSweep([late], [])).toThrow(/c0 cannot be swept: it bounds weights after/);
    const lifting: Correction = {
      weight,
      steps: [
        { action: "zero", measure: "weight", upper: 2 },
        { action: "truncate", lower: 0.5 },
      ],
    };
    expect(() => runSweep([lifting], [])).toThrow(/c0 cannot be swept: it raises weights/);
  });
});

it("does not know an ESS whose sums float64 cannot hold", () => {
  expect(effective(Math.exp(400), Infinity, 2)).toBeNaN();
  expect(effective(Infinity, Infinity, 2)).toBeNaN();
  expect(effective(3, 9, 2)).toBe(0.5);
  expect(effective(0, 0, 2)).toBe(0);
});

function addValues(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
