import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../base/byte-reader.ts";
import { ByteWriter } from "../base/byte-writer.ts";
import { BinnedSums, countPlaces } from "./binned-sums.ts";

const values = fc.array(fc.oneof(fc.double(), fc.double({ min: -1e3, max: 1e3 })), { maxLength: 40 });
const finite = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 40 });

function sum(all: readonly number[]): BinnedSums {
  const sums = new BinnedSums(1);
  for (const value of all) sums.add(0, value);
  return sums;
}

function travel(sums: BinnedSums): BinnedSums {
  const to = new ByteWriter();
  sums.encode(to, [0]);
  const read = new BinnedSums(1);
  read.mergeFrom(new ByteReader(to.finish(), "test"), [0]);
  return read;
}

function encodePlaces(sums: BinnedSums, places: ArrayLike<number>): number[] {
  const to = new ByteWriter();
  sums.encode(to, places);
  return [...to.finish()];
}

describe("BinnedSums", () => {
  it("are the same bits in any order and tree, also as bytes on the way", () => {
    fc.assert(
      fc.property(values, fc.nat(40), fc.nat(40), (all, first, second) => {
        const [low, high] = [Math.min(first, second), Math.max(first, second)];
        const parts = [all.slice(high), all.slice(0, low).reverse(), all.slice(low, high)].map(sum);
        const right = travel(parts[1]!);
        right.addPlace(0, parts[2]!, 0);
        const merged = travel(parts[0]!);
        merged.addPlace(0, travel(right), 0);
        expect(merged.value(0)).toBe(sum(all).value(0));
      }),
      { numRuns: 500 },
    );
  });

  it("are the sum, and of one value that value", () => {
    fc.assert(
      fc.property(finite, fc.double({ min: -1e300, max: 1e300, noNaN: true }), (all, one) => {
        const exact = all.reduce((total, value) => total + value, 0);
        const size = all.reduce((total, value) => total + Math.abs(value), 0);
        expect(Math.abs(sum(all).value(0) - exact)).toBeLessThanOrEqual(1e-13 * size + 1e-300);
        expect(sum([one]).value(0)).toBe(Math.abs(one) < 1e-300 ? sum([one]).value(0) : one);
      }),
    );
  });

  it("add rows of values as they add each value to its place", () => {
    const words = new Uint32Array(2);
    const double = new Float64Array(words.buffer);
    const ofBits = ([low, high]: readonly [number, number]): number => {
      words.set([low, high]);
      return double[0]!;
    };
    const any = fc.tuple(fc.nat(2 ** 32 - 1), fc.nat(2 ** 32 - 1));
    // Close to each other, so that no value displaces all others; whole numbers, whose last digits are 0; and special ones.
    const near = fc
      .tuple(fc.integer({ min: 980, max: 1060 }), any)
      .map(([exponent, [low, high]]) => ofBits([low, ((high & 0x800fffff) | (exponent << 20)) >>> 0]));
    const special = fc.constantFrom(
      0,
      -0,
      5e-324,
      -2e-308,
      1e-305,
      -1e-299,
      Number.POSITIVE_INFINITY,
      -1e308,
      Number.NaN,
    );
    const value = fc.oneof(near, near, near, any.map(ofBits), fc.integer(), special);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.array(value, { maxLength: 45 }),
        fc.nat(3),
        finite,
        (width, all, skipped, before) => {
          const [rows, each] = [new BinnedSums(12), new BinnedSums(12)];
          for (const sums of [rows, each]) for (const value of before) sums.add(3, value);
          const count = Math.floor(all.length / width);
          const from = Math.min(skipped, count);
          const slots = Int32Array.from({ length: count }, (_, i) => 1 + (i % 3));
          rows.addRows(slots, 0, Float64Array.from(all), width, from, count);
          for (let i = from; i < count; i++)
            for (let column = 0; column < width; column++)
              each.add(slots[i]! * width + column, all[i * width + column]!);
          expect(encodePlaces(rows, countPlaces(12))).toEqual(encodePlaces(each, countPlaces(12)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("keep what doubles lose", () => {
    expect(1 + 1e-12 - 1).not.toBeCloseTo(1e-12, 20);
    expect(sum([1, 1e-12, -1]).value(0)).toBeCloseTo(1e-12, 20);
  });

  it("keep many places apart, and each to the same bytes, whatever was cancelled on the way", () => {
    // Values that leave nothing, next to those that only show after it.
    const value = fc.oneof(
      fc.constantFrom(
        1,
        -1,
        2 ** 60,
        -(2 ** 60),
        2 ** -60,
        0.1,
        1e-290,
        Number.POSITIVE_INFINITY,
        Number.NaN,
      ),
      fc.double({ min: -1, max: 1, noNaN: true }),
    );
    const added = fc.array(fc.tuple(fc.nat(8), value), { maxLength: 40 });
    const fill = (all: readonly (readonly [number, number])[]): BinnedSums => {
      const sums = new BinnedSums(1);
      sums.grow(9);
      for (const [place, one] of all) sums.add(place, one);
      return sums;
    };
    const order = [8, 0, 3, 1, 2, 7, 5, 6, 4];
    const write = (sums: BinnedSums): Uint8Array => {
      const to = new ByteWriter();
      sums.encode(to, order);
      return to.finish();
    };
    fc.assert(
      fc.property(added, fc.nat(40), (all, cut) => {
        const whole = write(fill(all));
        const merged = fill(all.slice(cut));
        merged.mergeFrom(new ByteReader(write(fill(all.slice(0, cut).reverse())), "test"), order);
        expect(write(merged)).toEqual(whole);
        const placed = fill(all.slice(0, cut));
        const rest = fill(all.slice(cut));
        for (const place of order) placed.addPlace(place, rest, place);
        expect(write(placed)).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it("are written as the one value that they are the sum of, where there is one", () => {
    const count = (...all: number[]): number => {
      const to = new ByteWriter();
      sum(all).encode(to, [0]);
      return to.finishApart().plain.length;
    };
    expect([count(0.5), count(0.1), count()]).toEqual([4, 8, 0]);
    expect(count(0.25, 0.25)).toBe(4);
    expect(sum([0.1]).singleValue(0)).toBe(0.1);
    expect(sum([]).singleValue(0)).toBe(0);
    // The sum rounds, what is kept of these does not.
    expect(sum([1, 1e-20]).singleValue(0)).toBeUndefined();
    // As large as 1 in what it keeps, though nothing is left.
    expect(sum([1, -1]).singleValue(0)).toBeUndefined();
    expect(sum([Number.POSITIVE_INFINITY]).singleValue(0)).toBeUndefined();
  });

  it("are infinite or NaN as doubles are, whatever else was added", () => {
    const { POSITIVE_INFINITY, NEGATIVE_INFINITY, NaN: none } = Number;
    expect(sum([1, POSITIVE_INFINITY, -5]).value(0)).toBe(POSITIVE_INFINITY);
    expect(sum([POSITIVE_INFINITY, NEGATIVE_INFINITY]).value(0)).toBeNaN();
    expect(sum([none, 1]).value(0)).toBeNaN();
  });

  it("leave out what is too small for a normal number, and keep their room when asked for less", () => {
    expect(sum([5e-324, 1e-310]).value(0)).toBe(0);
    const sums = sum([3]);
    sums.grow(4);
    sums.grow(2);
    expect([sums.places, sums.value(0), sums.value(3)]).toEqual([4, 3, 0]);
  });

  it("refuse a bin that no double is in", () => {
    const write = (bin: number): ByteReader => {
      const to = new ByteWriter();
      to.byte(1);
      to.whole(bin);
      for (let i = 0; i < 5; i++) to.signed(1);
      return new ByteReader(to.finish(), "test");
    };
    expect(() => new BinnedSums(1).mergeFrom(write(115), [0])).toThrow("a bin is 115, and must be below 115");
    const largest = new BinnedSums(1);
    largest.mergeFrom(write(114), [0]);
    expect(largest.value(0)).toBeCloseTo(2 ** 1008 + 2 ** 990, -300);
  });
});
