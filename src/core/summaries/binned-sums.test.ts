import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader, ByteWriter } from "../base/index.ts";
import { BinnedSums } from "./binned-sums.ts";

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

  it("keep what doubles lose", () => {
    expect(1 + 1e-12 - 1).not.toBeCloseTo(1e-12, 20);
    expect(sum([1, 1e-12, -1]).value(0)).toBeCloseTo(1e-12, 20);
  });
});
