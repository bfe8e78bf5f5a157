import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATASTROPHIC_DELTA, TAIL_THRESHOLDS } from "./cell-counts.ts";
import { travelInto } from "./travel.test-data.ts";
import { ValueSketch } from "./value-sketch.ts";

/** Linear interpolation between order statistics, as NumPy's default. */
function exactQuantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = fraction * (sorted.length - 1);
  const low = sorted[Math.floor(rank)]!;
  const high = sorted[Math.ceil(rank)]!;
  return low + (high - low) * (rank - Math.floor(rank));
}

const FRACTIONS = [0, 0.01, 0.25, 0.5, 0.75, 0.99, 0.999, 1];
const deltas = fc.array(fc.float({ min: -30, max: 30, noNaN: true }), { minLength: 1, maxLength: 300 });

describe("ValueSketch", () => {
  it("keeps zeros of either sign as one extreme, whichever comes first", () => {
    for (const zeros of [
      [0, -0],
      [-0, 0],
    ]) {
      const { min, max } = ValueSketch.of(Float32Array.from(zeros));
      expect([min, max]).toEqual([0, 0]);
      const alone = new ValueSketch();
      for (const zero of zeros) alone.add(zero);
      expect([alone.min, alone.max]).toEqual([0, 0]);
    }
  });

  it.each([7, 10] as const)("answers quantiles within half a cell of %i mantissa bits", (bits) => {
    fc.assert(
      fc.property(deltas, (values) => {
        const sketch = ValueSketch.of(Float32Array.from(values), bits);
        sketch.quantiles(FRACTIONS).forEach((quantile, i) => {
          const exact = exactQuantile(values, FRACTIONS[i]!);
          // An interpolated quantile errs by at most the larger of its two neighbours' cells.
          const reach = Math.max(...values.map(Math.abs)) * 2 ** -(bits + 1);
          const own = Math.abs(exact) * 2 ** -(bits + 1);
          expect(Math.abs(quantile - exact)).toBeLessThanOrEqual(Math.max(reach, own) + 1e-30);
        });
      }),
    );
  });

  it("keeps quantiles of a smooth distribution within 1 %", () => {
    const values = Float32Array.from({ length: 10_000 }, (_, i) => -Math.log((i + 0.5) / 10_000) * 1e-3);
    const sketch = ValueSketch.of(values, 7);
    for (const [i, quantile] of sketch.quantiles(FRACTIONS).entries()) {
      const exact = exactQuantile([...values], FRACTIONS[i]!);
      expect(Math.abs(quantile / exact - 1)).toBeLessThan(0.01);
    }
  });

  it("gives minimum and maximum exactly and NaN while empty", () => {
    const sketch = new ValueSketch();
    expect(sketch.quantiles([0.5])).toEqual([Number.NaN]);
    sketch.addAll(Float32Array.of(-0.1, 3, -7));
    expect(sketch.quantiles([0, 1])).toEqual([-7, 3]);
  });

  it("leaves out NaN and infinities", () => {
    const sketch = ValueSketch.of(
      Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1),
    );
    expect([sketch.count, sketch.min, sketch.max]).toEqual([1, 1, 1]);
    sketch.add(Number.NaN);
    sketch.add(Number.NEGATIVE_INFINITY);
    expect([sketch.count, sketch.min, sketch.max]).toEqual([1, 1, 1]);
  });

  it("takes an array's part, as the whole would", () => {
    const values = Float32Array.of(9, -1, 2, 9);
    const sketch = new ValueSketch();
    sketch.addRange(values, new Uint32Array(values.buffer), 1, 3);
    expect(sketch.toJSON()).toEqual(ValueSketch.of(Float64Array.of(-1, 2)).toJSON());
  });

  it("reads bytes into what is there as it merges, also what no threshold was noted of", () => {
    const some = fc.array(fc.float({ min: -30, max: 30, noNaN: true }), { maxLength: 300 });
    fc.assert(
      fc.property(some, some, fc.boolean(), fc.constantFrom(7, 10), (ours, theirs, isOlder, bits: 7 | 10) => {
        const from = ValueSketch.of(Float32Array.from(theirs), bits);
        const { beyond, ...older } = from.toJSON();
        const sent = isOlder ? ValueSketch.fromJSON(older) : from;
        const [merged, read] = [0, 1].map(() => ValueSketch.of(Float32Array.from(ours), bits)) as [
          ValueSketch,
          ValueSketch,
        ];
        merged.merge(sent);
        expect(travelInto(sent, read).toJSON()).toEqual(merged.toJSON());
        expect(read.toJSON().beyond === undefined).toBe(isOlder && beyond !== undefined);
      }),
    );
  });

  it("has sides with their own extremes, and none where no value is", () => {
    const sketch = ValueSketch.of(Float32Array.of(0, 1, 3, 5));
    const [positive, negative] = [sketch.side("positive"), sketch.side("negative")];
    expect([positive.count, positive.max]).toEqual([3, 5]);
    expect(Math.abs(positive.min - 1)).toBeLessThan(2 ** -10);
    expect([negative.count, negative.min, negative.max]).toEqual([
      0,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
    const mirrored = ValueSketch.of(Float32Array.of(-0, -1, -3, -5)).side("negative");
    expect(mirrored.toJSON()).toEqual(positive.toJSON());
    expect(ValueSketch.of(Float32Array.of(-3, -1)).absolute()).toMatchObject({ min: 1, max: 3 });
    expect(ValueSketch.of(Float32Array.of(1, 3)).absolute()).toMatchObject({ min: 1, max: 3 });
    expect(new ValueSketch().absolute()).toMatchObject({ min: Number.POSITIVE_INFINITY, count: 0 });
  });

  it("has cells whose middle lies between their edges, the first around zero", () => {
    const sketch = ValueSketch.of(Float32Array.of(-1.25, 0, 1.25, 1.25, 3.4e38), 7);
    const { middles, counts, lows, highs } = sketch.columns();
    expect([...counts]).toEqual([1, 1, 2, 1]);
    expect([...middles.slice(0, 3)]).toEqual([-1.25390625, 0, 1.25390625]);
    expect([...lows.slice(0, 3)]).toEqual([-1.2578125, 0, 1.25]);
    expect([...highs.slice(0, 3)]).toEqual([-1.25, 2 ** -133, 1.2578125]);
    expect(middles.every((middle, i) => lows[i]! <= middle && middle <= highs[i]!)).toBe(true);
    expect(Number.isFinite(highs[3])).toBe(true);
  });

  it("shares out the values of a cell evenly between its edges", () => {
    const { beyond, ...older } = ValueSketch.of(
      Float32Array.of(-2, -1.251, -1.251, 1.251, 1.251, 2),
      7,
    ).toJSON();
    const sketch = ValueSketch.fromJSON(older);
    // A quarter of the cell from 1.25 to 1.2578125 is above this.
    const threshold = 1.25 + 0.75 / 128;
    expect(sketch.countAbove(threshold)).toBeCloseTo(1.5, 12);
    expect(sketch.countBelow(-threshold)).toBeCloseTo(1.5, 12);
    expect([sketch.isExactAt(threshold), sketch.isExactAt(1.25), sketch.isExactAt(1.2578125)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("merges shards to the sketch of the whole, in any order, also through JSON", () => {
    fc.assert(
      fc.property(deltas, deltas, deltas, (a, b, c) => {
        const whole = ValueSketch.of(Float32Array.from([...a, ...b, ...c]));
        const merged = ValueSketch.fromJSON(JSON.parse(JSON.stringify(ValueSketch.of(Float32Array.from(c)))));
        merged.merge(ValueSketch.of(Float32Array.from(a)));
        merged.merge(ValueSketch.of(Float32Array.from(b)));
        expect(merged.toJSON()).toEqual(whole.toJSON());
      }),
    );
  });

  it("refuses to merge sketches of other widths", () => {
    expect(() => new ValueSketch(7).merge(new ValueSketch(10))).toThrow(
      "cannot merge sketches: 7 mantissa bits here, 10 there",
    );
  });

  it("counts tails on both sides", () => {
    fc.assert(
      fc.property(deltas, fc.constantFrom(0.25, 1, 2, 8), (values, threshold) => {
        const sketch = ValueSketch.of(Float32Array.from(values));
        // Powers of two are cell edges, so only the value at the edge itself is in doubt.
        const strictly = values.filter((value) => value > threshold).length;
        const atLeast = values.filter((value) => value >= threshold).length;
        expect(sketch.countAbove(threshold)).toBeGreaterThanOrEqual(strictly - 1e-9);
        expect(sketch.countAbove(threshold)).toBeLessThanOrEqual(atLeast + 1e-9);
        const below = values.filter((value) => value < -threshold).length;
        const atMost = values.filter((value) => value <= -threshold).length;
        expect(sketch.countBelow(-threshold)).toBeGreaterThanOrEqual(below - 1e-9);
        expect(sketch.countBelow(-threshold)).toBeLessThanOrEqual(atMost + 1e-9);
      }),
    );
  });

  it("counts exactly beyond each tail threshold, however the values came and were merged", () => {
    const limits = [...TAIL_THRESHOLDS.flatMap((value) => [value, -value]), CATASTROPHIC_DELTA];
    const threshold = fc.constantFrom(...limits);
    // At the threshold itself, and up to two cells from it.
    const near = fc.tuple(threshold, fc.double({ min: 0.998, max: 1.002, noNaN: true }));
    const value = fc.oneof(
      near.map(([a, b]) => Math.fround(a * b)),
      threshold.map(Math.fround),
    );
    const some = fc.array(value, { maxLength: 400 });
    fc.assert(
      fc.property(some, some, fc.constantFrom(7, 10), (a, b, bits: 7 | 10) => {
        const sketch = ValueSketch.of(Float32Array.from(a), bits);
        const other = new ValueSketch(bits);
        for (const one of b) other.add(one);
        sketch.merge(ValueSketch.fromJSON(JSON.parse(JSON.stringify(other.toJSON()))));
        const all = [...a, ...b];
        const catastrophic = all.filter((x) => x < CATASTROPHIC_DELTA).length;
        expect(sketch.countBelow(CATASTROPHIC_DELTA)).toBe(catastrophic);
        for (const limit of TAIL_THRESHOLDS) {
          const [above, below] = [all.filter((x) => x > limit).length, all.filter((x) => x < -limit).length];
          expect(sketch.countAbove(limit)).toBe(above);
          expect(sketch.countBelow(-limit)).toBe(below);
          expect(sketch.absolute().countAbove(limit)).toBe(above + below);
          expect(sketch.side("negative").countAbove(limit)).toBe(below);
          expect(sketch.isExactAt(limit) && sketch.isExactAt(-limit)).toBe(true);
        }
      }),
    );
  });

  it("shares out the cell of a threshold where an older sketch did not count beyond it", () => {
    const { beyond, ...older } = ValueSketch.of(Float32Array.of(0.3, 0.30002, 0.30002, 4)).toJSON();
    expect(beyond![TAIL_THRESHOLDS.indexOf(0.3)]).toBe(3);
    const sketch = ValueSketch.of(Float32Array.of(0.30002));
    sketch.merge(ValueSketch.fromJSON(older));
    expect(sketch.isExactAt(0.3)).toBe(false);
    expect(sketch.countAbove(0.3)).not.toBe(5);
    expect(sketch.toJSON().beyond).toBeUndefined();
  });

  it("counts nothing beyond the extremes, though a cell reaches further than they do", () => {
    const sketch = ValueSketch.of(Float32Array.of(-1.003, -0.5, 0.5, 1.003));
    const [inside, at] = [Math.fround(1.001), Math.fround(1.003)];
    expect(sketch.countAbove(at)).toBe(0);
    expect(sketch.countBelow(-at)).toBe(0);
    expect(sketch.countBelow(-1.0035)).toBe(0);
    expect(sketch.countAbove(1.0035)).toBe(0);
    expect(sketch.countAbove(inside)).toBeGreaterThan(0);
    expect(sketch.countBelow(-inside)).toBeGreaterThan(0);
    expect(sketch.countBelow(2)).toBe(4);
    expect(sketch.countAbove(-2)).toBe(4);
  });

  it("folds to absolute values and splits into sides", () => {
    fc.assert(
      fc.property(deltas, (values) => {
        const sketch = ValueSketch.of(Float32Array.from(values));
        const folded = ValueSketch.of(Float32Array.from(values, Math.abs));
        expect(sketch.absolute().toJSON()).toMatchObject({
          cells: folded.toJSON().cells,
          counts: folded.toJSON().counts,
          max: folded.toJSON().max,
        });
        const positive = values.filter((value) => value >= 2 ** -136).length;
        const negative = values.filter((value) => value <= -(2 ** -136)).length;
        expect(sketch.side("positive").count).toBe(positive);
        expect(sketch.side("negative").count).toBe(negative);
      }),
    );
  });

  it("finds the smallest magnitude among the cells of both signs", () => {
    const folded = ValueSketch.of(Float32Array.of(0.485, -0.43, 0.9)).absolute();
    expect(Math.abs(folded.min / 0.43 - 1)).toBeLessThan(2 ** -10);
    expect(folded.quantiles([0])[0]).toBe(folded.min);
    expect(ValueSketch.of(Float32Array.of(-0.485, 0.43, 0.9)).absolute().min).toBe(folded.min);
  });
});

it("answers of all values, whatever was asked before some of them came, of it or of another", () => {
  const ask = (sketch: ValueSketch): unknown => [
    sketch.columns(),
    sketch.quantiles(FRACTIONS),
    [-1, -0.1, 0, 0.1, 1].map((at) => [sketch.countAbove(at), sketch.countBelow(at), sketch.isExactAt(at)]),
  ];
  fc.assert(
    fc.property(deltas, deltas, deltas, (a, b, c) => {
      const [asked, other] = [ValueSketch.of(Float32Array.from(a)), ValueSketch.of(Float32Array.from(c))];
      const alone = ask(asked);
      ask(other);
      expect(ask(asked)).toEqual(alone);
      asked.addAll(Float32Array.from(b));
      expect(ask(asked)).toEqual(ask(ValueSketch.of(Float32Array.from([...a, ...b]))));
      asked.merge(other);
      expect(ask(asked)).toEqual(ask(ValueSketch.of(Float32Array.from([...a, ...b, ...c]))));
    }),
  );
});

it("tells whether a count above a threshold is exact", () => {
  const sketch = new ValueSketch(7);
  sketch.addAll(Float32Array.of(0.20005, 0.6, -0.20005, 3));
  // Tail thresholds, edges of cells, and cells without a value.
  for (const threshold of [0.5, 1, 2, -2, 0.3, 20]) expect(sketch.isExactAt(threshold)).toBe(true);
  for (const threshold of [0.2, -0.2]) expect(sketch.isExactAt(threshold)).toBe(false);
});

it("counts nothing below its smallest value, nor above its largest, within their cells", () => {
  const sketch = ValueSketch.of(Float32Array.of(0.3004, 0.3004, 5.004), 7);
  for (const threshold of [0.3, Math.fround(0.3003), Math.fround(0.3004), -1, 0])
    expect(sketch.countBelow(threshold)).toBe(0);
  expect(sketch.countBelow(1)).toBe(2);
  for (const threshold of [Math.fround(5.004), 5.005, 9]) expect(sketch.countAbove(threshold)).toBe(0);
  expect(sketch.countAbove(1)).toBe(1);
});
