import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as derive from "./derive.ts";
import { FIELDS } from "./layout.ts";
import { emptySums, mergeSums } from "./merge.ts";
import { mismatchSums } from "./mismatch.ts";
import { overExcessSquareSum, overExcessSum } from "./ratio-units.ts";

/** Multiples of 1/64, which float32 holds up to 2^18: Δ is the same in both kernels. */
const delta = fc.oneof(
  fc.integer({ min: -640_000, max: 640_000 }).map((x) => x / 64),
  fc.integer({ min: -640, max: 640 }).map((x) => x / 64),
  fc.constantFrom(
    -10_000,
    -746,
    -400,
    -301,
    0,
    20,
    299.984375,
    300,
    300.015625,
    352,
    355,
    400,
    709,
    710,
    1000,
    10_000,
  ),
);

/** log Σ exp, nats. */
function logSum(values: readonly number[]): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0));
}

/** (Σρ)² / (n Σρ²), from logarithms alone. */
function essOf(deltas: readonly number[]): number {
  return Math.exp(2 * logSum(deltas) - logSum(deltas.map((value) => 2 * value))) / deltas.length;
}

/** A row for each list of Δ; `engine` as in `mismatchSums`. */
function sumRows(lists: readonly (readonly number[])[], engine: "wasm" | "scalar"): Float64Array {
  const deltas = lists.flat();
  const offsets = [0];
  for (const list of lists) offsets.push(offsets.at(-1)! + list.length);
  const block = {
    rollout: Float32Array.from(deltas, (value) => Math.min(-value, 0) - 0.5),
    trainer: Float32Array.from(deltas, (value) => Math.min(value, 0) - 0.5),
    mask: new Uint8Array(deltas.length).fill(1),
    offsets: Int32Array.from(offsets),
  };
  return mismatchSums(block, { engine }).rows;
}

/** Merges all rows in a random tree. */
function mergeTree(rows: Float64Array, picks: readonly number[]): Float64Array {
  const parts = Array.from({ length: rows.length / FIELDS }, (_, i) =>
    rows.slice(i * FIELDS, (i + 1) * FIELDS),
  );
  for (let i = 0; parts.length > 1; i++) {
    const [from] = parts.splice(picks[i % picks.length]! % parts.length, 1);
    mergeSums(parts[(picks[i % picks.length]! >> 8) % parts.length]!, from!);
  }
  return parts[0] ?? emptySums();
}

describe("at any Δ, the effective sample size", () => {
  it.each(["wasm", "scalar"] as const)("is that of logarithms, however sums were merged: %s", (engine) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(delta, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
        (lists, picks) => {
          const sums = mergeTree(sumRows(lists, engine), picks);
          const wanted = essOf(lists.flat());
          expect(derive.effectiveSampleSize(sums) / wanted).toBeCloseTo(1, 6);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("counts equal tokens that outweigh all others, wherever they are", () => {
    for (const far of [340, 352, 400, 708, 710, 5000, 1e7]) {
      const rows = sumRows([[far, 0, 0.25, -1], [], [-0.25, far, 0, 300], [far, 1]], "wasm");
      for (const order of [[0], [1], [2, 258, 513]])
        expect(derive.effectiveSampleSize(mergeTree(rows, order))).toBeCloseTo(0.3, 12);
    }
  });

  it("is that of equal ratios where all of them are tiny", () => {
    for (const far of [-310, -374, -400, -745, -746, -9000]) {
      const rows = sumRows([[far, far], [far], [far - 1000]], "wasm");
      for (const order of [[0], [1], [2, 258, 513]])
        expect(derive.effectiveSampleSize(mergeTree(rows, order))).toBeCloseTo(0.75, 12);
    }
    const sums = mergeTree(sumRows([[-400, -400], [0]], "scalar"), [0]);
    expect(derive.effectiveSampleSize(sums)).toBeCloseTo(1 / 3, 12);
    expect(derive.ratioMean(sums)).toBeCloseTo(1 / 3, 12);
  });

  it("weighs two far tokens by what is between them", () => {
    const [most, other] = [800, 799];
    const rows = sumRows(
      [
        [most, 0],
        [other, 0],
      ],
      "scalar",
    );
    const e = Math.exp(-1);
    expect(derive.effectiveSampleSize(mergeTree(rows, [0]))).toBeCloseTo((1 + e) ** 2 / (1 + e * e) / 4, 12);
  });
});

describe("beyond float64's squares", () => {
  it("ρ has its mean and deviation, as long as float64 holds these", () => {
    const sums = sumRows(
      [
        [400, 0, 0, 400],
        [0, 0, 0, 0],
      ],
      "wasm",
    );
    const all = mergeTree(sums, [0]);
    const rho = Math.exp(400);
    expect(derive.ratioMean(all) / (rho / 4)).toBeCloseTo(1, 12);
    expect(derive.ratioStd(all) / (rho * Math.sqrt(3 / 16))).toBeCloseTo(1, 12);
    expect(derive.chi2Token(all)).toBe(Number.POSITIVE_INFINITY);
    // ρ itself does not fit, its mean over a thousand tokens does.
    const one = mergeTree(sumRows([[712], new Array<number>(999).fill(0)], "scalar"), [0]);
    expect(Math.log(derive.ratioMean(one))).toBeCloseTo(712 - Math.log(1000), 10);
    expect(derive.ratioMean(sumRows([[2000, 0]], "wasm"))).toBe(Number.POSITIVE_INFINITY);
  });

  it("sums of ρ − 1 are what they were in units of 1", () => {
    const rows = sumRows([[320, 310, 30, 0]], "scalar");
    const wanted = [320, 310, 30].map(Math.expm1);
    expect(overExcessSum(rows) / wanted.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    expect(overExcessSquareSum(rows) / wanted.reduce((a, b) => a + b * b, 0)).toBeCloseTo(1, 12);
    expect(overExcessSum(sumRows([[800]], "scalar"))).toBe(Number.POSITIVE_INFINITY);
  });
});
