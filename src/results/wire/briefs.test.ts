import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBriefs, encodeBrief, SPARK_BINS, sparkLevel, sparkRange, sparkValue } from "./briefs.ts";

const brief = fc.record({
  spark: fc.uint8Array({ minLength: SPARK_BINS, maxLength: SPARK_BINS }),
  prompt: fc.string({ unit: "grapheme", maxLength: 160 }),
  answer: fc.string({ unit: "grapheme", maxLength: 160 }),
});

describe("what lists show of sequences", () => {
  it("is read as it was written, however many lie one after the other", () => {
    fc.assert(
      fc.property(fc.array(brief, { maxLength: 8 }), (briefs) => {
        const bytes = Buffer.concat(briefs.map(encodeBrief));
        const read = decodeBriefs(bytes);
        expect(read.map(({ spark, ...texts }) => ({ ...texts, spark: [...spark] }))).toEqual(
          briefs.map(({ spark, ...texts }) => ({ ...texts, spark: [...spark] })),
        );
        if (bytes.length > 0) expect(() => decodeBriefs(bytes.subarray(0, -1))).toThrow("cut off");
      }),
    );
  });

  it("has |Δ| to 5 % over nine decades, and the ends beyond", () => {
    fc.assert(
      fc.property(fc.double({ min: -6, max: 3, noNaN: true }), (decade) => {
        const size = 10 ** decade;
        expect(Math.abs(sparkValue(sparkLevel(size)) / size - 1)).toBeLessThan(0.05);
      }),
    );
    expect([sparkLevel(0), sparkLevel(1e-30), sparkLevel(1e9)]).toEqual([1, 1, 255]);
    expect(sparkValue(0)).toBeNaN();
  });

  it("gives every token to a part, and every part a token", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 64 }), (tokens, bins) => {
        const seen = new Set<number>();
        for (let bin = 0; bin < bins; bin++) {
          const [from, to] = sparkRange(bin, tokens, bins);
          expect(to).toBeGreaterThan(from);
          for (let at = from; at < to; at++) seen.add(at);
        }
        expect(seen.size).toBe(tokens);
        expect(Math.max(...seen)).toBe(tokens - 1);
      }),
    );
    expect(sparkRange(3, 0)).toEqual([0, 0]);
  });
});
