import fc from "fast-check";
import { expect, it } from "vitest";
import { BinBuilder, findBin } from "./bins.ts";

const token = (delta: number) => ({
  deltas: Float64Array.of(delta),
  rhos: Float64Array.of(Math.exp(delta)),
  count: 1,
});

it("puts every Δ between its edges, and adds up", () => {
  const { edges } = new BinBuilder().finish();
  fc.assert(
    fc.property(
      fc.oneof(fc.double({ noNaN: true }), fc.double({ min: -30, max: 30, noNaN: true })),
      (delta) => {
        const bin = findBin(delta);
        expect(delta >= (edges[bin] ?? Number.NEGATIVE_INFINITY)).toBe(true);
        expect(
          delta < (edges[bin + 1] ?? Number.POSITIVE_INFINITY) || delta === Number.POSITIVE_INFINITY,
        ).toBe(true);
      },
    ),
  );
  for (const edge of edges) if (edge !== null) expect(edges[findBin(edge)]).toBe(edge);
});

it("finds the bin beside every cell that single precision is looked up by", () => {
  const edges = new BinBuilder().finish().edges.slice(1, -1) as number[];
  const float = new Float32Array(1);
  const word = new Uint32Array(float.buffer);
  // Every value of the first two bytes, of both signs, and doubles that are rounded to them.
  let bin = 0;
  const values: number[] = [];
  for (let at = 0; at <= 0x7f80; at++) {
    word[0] = at << 16;
    for (const scale of [1 - 2 ** -24, 1 - 2 ** -25, 1, 1 + 2 ** -25]) values.push(float[0]! * scale);
  }
  const ascending = [...values.map((value) => -value).reverse(), ...values].sort((a, b) => a - b);
  for (const value of ascending) {
    while (bin < edges.length && value >= edges[bin]!) bin++;
    if (findBin(value) !== bin) throw new Error(`${value} is in bin ${bin}, not ${findBin(value)}`);
  }
  expect(bin).toBe(edges.length);
  expect([findBin(Number.NEGATIVE_INFINITY), findBin(-1e300), findBin(1e300)]).toEqual([0, 0, bin]);
});

it("keeps sums that JSON can hold", () => {
  const sums = new BinBuilder();
  sums.addTokens(1, token(400));
  const [right] = sums.finish().groups;
  expect(right).toMatchObject({ name: "right" });
  expect(right!.rho_squares.at(-1)).toBe(Number.MAX_VALUE);
  expect(right!.abs_advantage.at(-1)).toBe(0);
});

it("parts tokens by reward only where that says more than right and wrong", () => {
  const of = (correct: number, rewards: readonly number[]): number[][] => {
    const sums = new BinBuilder();
    for (const reward of rewards) {
      sums.addTokens(correct, token(0.1));
      sums.endSequence(reward);
    }
    return sums.finish().by_reward.map(({ from, to, tokens }) => [from, to, tokens.reduce((a, b) => a + b)]);
  };
  expect(of(1, [0, 1])).toEqual([]);
  expect(of(Number.NaN, [0, 1, 1])).toEqual([
    [0, 0, 1],
    [1, 1, 2],
  ]);
  expect(of(1, [-1, 0.2, 0.2004, 1, Number.NaN])).toEqual([
    [-1, -1, 1],
    [0.2, 0.2, 2],
    [1, 1, 1],
  ]);
  const many = of(
    1,
    Array.from({ length: 100 }, (_, i) => i / 100),
  );
  expect(many.map(([, , tokens]) => tokens)).toEqual([25, 25, 25, 25]);
});

it("adds sequence after sequence, and advantages where they are known", () => {
  const sums = new BinBuilder();
  const long = Float64Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? 0.5 : -0.5));
  for (const advantages of [Float32Array.from(long, (_, i) => (i % 3 === 0 ? Number.NaN : -2)), undefined]) {
    sums.addTokens(0, { deltas: long, rhos: long.map(Math.exp), count: long.length }, advantages);
    sums.endSequence(Number.NaN);
  }
  const [wrong] = sums.finish().groups;
  const bins = [findBin(-0.5), findBin(0.5)];
  expect(wrong!.name).toBe("wrong");
  expect(bins.map((bin) => wrong!.tokens[bin])).toEqual([3000, 3000]);
  expect(bins.map((bin) => wrong!.abs_advantage[bin])).toEqual([2000, 2000]);
  expect(wrong!.tokens.reduce((a, b) => a + b)).toBe(6000);
  expect(sums.finish().by_length.map(({ tokens }) => tokens.reduce((a, b) => a + b))).toEqual([6000]);
});
