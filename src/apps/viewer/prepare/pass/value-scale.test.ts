import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeK3 } from "../../../../core/kernels/scalar.ts";
import { ValueSketch } from "../../../../core/summaries/value-sketch.ts";
import { k3Scale, valueScale } from "./value-scale.ts";

function sketch(values: readonly number[]): ValueSketch {
  const made = new ValueSketch(10);
  made.addAll(Float32Array.from(values));
  return made;
}

describe("the scale of k3", () => {
  const delta = fc
    .oneof(fc.float({ min: -1, max: 1, noNaN: true }), fc.float({ min: -30, max: 30, noNaN: true }))
    // The square of a smaller one has fewer digits in single precision.
    .map((value) => (Math.abs(value) < 1e-9 ? 0 : value));

  it("is that of k3 of the tokens, by which of them has the rank, to a cell", () => {
    fc.assert(
      fc.property(fc.array(delta, { minLength: 1, maxLength: 400 }), (deltas) => {
        const k3 = deltas.map((value) => Math.fround(computeK3(value))).sort((a, b) => a - b);
        const { scale, largest } = k3Scale(sketch(deltas));
        expect(largest).toBe(k3.at(-1));
        const rank = 0.995 * (deltas.length - 1);
        const [low, high] = [k3[Math.floor(rank)]!, k3[Math.ceil(rank)]!];
        const wanted = low + (high - low) * (rank % 1);
        if (wanted === 0) expect(scale).toBe(largest > 0 ? largest : 1e-6);
        // Half a cell of Δ is 2^-11 of it, and k3 grows with e^Δ or as Δ².
        else expect(Math.abs(scale / wanted - 1)).toBeLessThan((2 + 31) * 2 ** -11);
      }),
    );
  });

  it("leaves out what single precision does not hold", () => {
    const { scale, largest } = k3Scale(sketch([0.5, 100]));
    expect(largest).toBe(scale);
    expect(scale).toBeCloseTo(Math.exp(0.5) - 1.5, 3);
    expect(k3Scale(sketch([100]))).toEqual({ scale: 1e-6, largest: 0 });
    expect(k3Scale(sketch([-100, 100])).largest).toBeCloseTo(99, 0);
  });
});

it("is never empty", () => {
  expect(valueScale(sketch([0, 0]))).toEqual({ scale: 1e-6, largest: 0 });
  expect(valueScale(sketch([...Array.from({ length: 999 }, () => 0), 2]))).toEqual({ scale: 2, largest: 2 });
});
