import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countDoubles, countSingles, UlpSums } from "./bits.ts";

const bits = new Int32Array(1);
const single = new Float32Array(bits.buffer);

/** The next float32 above, by the definition of the format. */
function nextSingle(value: number): number {
  single[0] = value === 0 ? 0 : value;
  bits[0]! += value >= 0 ? 1 : -1;
  return single[0]!;
}

function step(value: number, times: number): number {
  let at = value;
  for (let i = 0; i < times; i++) at = nextSingle(at);
  return at;
}

describe("distances in units in the last place", () => {
  it("count float32 numbers from one to the other, across 0 too", () => {
    const tiny = 2 ** -149;
    expect(countSingles(0, -0)).toBe(0);
    expect(countSingles(-tiny, tiny)).toBe(2);
    expect(countSingles(1, 1 + 2 ** -23)).toBe(1);
    expect(countSingles(-1, -1 + 2 ** -24)).toBe(1);
    expect(countSingles(-3.4e38, 3.4e38)).toBeGreaterThan(2 ** 31);
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true, max: 0 }), fc.nat(50), (value, times) => {
        expect(countSingles(value, step(value, times))).toBe(times);
      }),
    );
  });

  it("count float64 numbers too", () => {
    expect(countDoubles(0, -0)).toBe(0n);
    expect(countDoubles(1, 1 + 2 ** -52)).toBe(1n);
    expect(countDoubles(-(2 ** -1074), 2 ** -1074)).toBe(2n);
    expect(countDoubles(-1.7e308, 1.7e308)).toBeGreaterThan(2n ** 63n);
  });
});

describe("UlpSums", () => {
  function sum(pairs: readonly (readonly [number, number])[]) {
    const sums = new UlpSums();
    for (const [a, b] of pairs) {
      sums.see(a, b);
      if (a !== b) sums.count(a, b);
    }
    return { stored: sums.stored, ...sums.list() };
  }

  it("classes double: 1, 2, 3 to 4, 5 to 8", () => {
    const a = Math.fround(-0.1);
    const pairs = [1, 1, 2, 3, 4, 5, 8, 9].map((times) => [a, step(a, times)] as const);
    expect(sum(pairs)).toEqual({
      stored: { a: "float32", b: "float32" },
      unit: "float32",
      counts: [
        { from: 1, to: 1, tokens: 2 },
        { from: 2, to: 2, tokens: 1 },
        { from: 3, to: 4, tokens: 2 },
        { from: 5, to: 8, tokens: 2 },
        { from: 9, to: 16, tokens: 1 },
      ],
    });
  });

  it("are of bfloat16 where both sides are, and of float64 where both need it", () => {
    // 1/128 is the last place of a bfloat16 from 1 to 2.
    expect(sum([[-1, -1 - 1 / 128]])).toEqual({
      stored: { a: "bfloat16", b: "bfloat16" },
      unit: "bfloat16",
      counts: [{ from: 1, to: 1, tokens: 1 }],
    });
    expect(sum([[-0.1, -0.1 - 2 ** -56]])).toMatchObject({ unit: "float64", counts: [{ from: 1, to: 1 }] });
    const mixed = sum([[-1, -0.1]]);
    expect([mixed.stored, mixed.unit]).toEqual([{ a: "bfloat16", b: "float64" }, "float32"]);
    for (const [a, b] of [
      [-0.1, -1],
      [-1, Math.fround(-0.1)],
      [Math.fround(-0.1), -1],
    ] as const)
      expect(sum([[a, b]]).unit).toBe("float32");
    // Less than one float32 apart: equal as such, and yet unequal.
    expect(sum([[-1, -1 - 2 ** -50]]).counts).toEqual([{ from: 0, to: 0, tokens: 1 }]);
  });

  it("zeros say nothing of how values are stored", () => {
    expect(sum([[0, -0]]).stored).toEqual({ a: "float32", b: "float32" });
  });
});
