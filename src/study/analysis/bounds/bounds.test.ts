import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Bound, type DivergenceBounds, klBounds, type TopKRow } from "./bounds.ts";

interface Exact {
  readonly forwardKl: number;
  readonly reverseKl: number;
  readonly jsDivergence: number;
  readonly totalVariation: number;
}
const NAMES = ["forwardKl", "reverseKl", "jsDivergence", "totalVariation"] as const;

function exactly(p: readonly number[], q: readonly number[]): Exact {
  const kl = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, x, i) => (x === 0 ? sum : sum + x * Math.log(x / b[i]!)), 0);
  const middle = p.map((x, i) => (x + q[i]!) / 2);
  return {
    forwardKl: kl(p, q),
    reverseKl: kl(q, p),
    jsDivergence: (kl(p, middle) + kl(q, middle)) / 2,
    totalVariation: p.reduce((sum, x, i) => sum + Math.abs(x - q[i]!) / 2, 0),
  };
}

function top(probabilities: readonly number[], k: number, single: boolean, actual?: number): TopKRow {
  const ids = [...probabilities.keys()].sort((a, b) => probabilities[b]! - probabilities[a]!).slice(0, k);
  const logprob = (id: number): number => {
    const value = Math.log(probabilities[id]!);
    return single ? Math.fround(value) : value;
  };
  return {
    ids: [...ids, -1],
    logprobs: [...ids.map(logprob), Number.NaN],
    ...(actual !== undefined && { actual: { id: actual, logprob: logprob(actual) } }),
  };
}

const normalised = (weights: readonly number[]): number[] => {
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
};

/** Flat, peaked and tied distributions, and pairs that are close to each other. */
const pairs = fc.integer({ min: 2, max: 14 }).chain((size) =>
  fc.record({
    p: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size }),
    q: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size }),
    scale: fc.constantFrom(0, 0.1, 1, 4, 12),
    distance: fc.constantFrom(1e-5, 0.01, 0.3, 1, 6),
    tied: fc.boolean(),
    kP: fc.integer({ min: 0, max: size }),
    kQ: fc.integer({ min: 0, max: size }),
    actual: fc.option(fc.integer({ min: 0, max: size - 1 }), { nil: undefined }),
    sized: fc.boolean(),
    floored: fc.boolean(),
    single: fc.boolean(),
  }),
);
const distributions = (given: {
  p: number[];
  q: number[];
  scale: number;
  distance: number;
  tied: boolean;
}) => {
  const logits = given.p.map((x) => (given.tied ? Math.round(2 * x) : x) * given.scale);
  const others = logits.map((x, i) => x + given.q[i]! * given.distance);
  return [normalised(logits.map(Math.exp)), normalised(others.map(Math.exp))] as const;
};

test("what is true of whole distributions lies between the bounds of their lists", () => {
  fc.assert(
    fc.property(pairs, (given) => {
      const [p, q] = distributions(given);
      const bounds = klBounds(
        top(p, given.kP, given.single, given.actual),
        top(q, given.kQ, given.single, given.actual),
        {
          vocabularySize: given.sized ? p.length : null,
          ...(given.floored && { floor: Math.log(Math.min(...p, ...q)) }),
        },
      );
      const exact = exactly(p, q);
      for (const name of NAMES) {
        const { low, high } = bounds[name];
        const room = given.single ? 1e-5 : 1e-9;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(low).toBeLessThanOrEqual(high);
        expect(low).toBeLessThanOrEqual(exact[name] + room);
        expect(high).toBeGreaterThanOrEqual(exact[name] - room);
      }
      expect(bounds.jsDivergence.high).toBeLessThanOrEqual(Math.LN2);
      expect(bounds.totalVariation.high).toBeLessThanOrEqual(1);
      if (given.floored) expect(Number.isFinite(bounds.forwardKl.high + bounds.reverseKl.high)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("bounds meet where both lists are whole", () => {
  fc.assert(
    fc.property(pairs, (given) => {
      const [p, q] = distributions(given);
      const bounds = klBounds(top(p, p.length, false), top(q, q.length, false), { vocabularySize: p.length });
      const exact = exactly(p, q);
      for (const name of NAMES) {
        expect(Math.abs(bounds[name].low - exact[name])).toBeLessThan(1e-12 * (1 + exact[name]));
        expect(bounds[name].high - bounds[name].low).toBeLessThan(1e-12 * (1 + exact[name]));
      }
    }),
  );
});

test("a longer list of either policy only narrows the bounds", () => {
  fc.assert(
    fc.property(pairs, fc.integer({ min: 0, max: 6 }), (given, more) => {
      const [p, q] = distributions(given);
      const options = { vocabularySize: null, floor: Math.log(Math.min(...p, ...q)), rounding: 1e-12 };
      const of = (kP: number): DivergenceBounds =>
        klBounds(top(p, kP, false), top(q, given.kQ, false), options);
      const [short, long] = [of(given.kP), of(Math.min(p.length, given.kP + more))];
      for (const name of NAMES) expect(long[name].low).toBeGreaterThanOrEqual(short[name].low - 1e-9);
      for (const name of ["jsDivergence", "totalVariation"] as const)
        expect(long[name].high).toBeLessThanOrEqual(short[name].high + 1e-9);
    }),
    { numRuns: 500 },
  );
});

const listed = (entries: Readonly<Record<number, number>>): TopKRow => ({
  ids: Object.keys(entries).map(Number),
  logprobs: Object.values(entries).map(Math.log),
});

describe("lower bounds are attained", () => {
  // Token 1 is only in P's list, token 2 only in Q's; their probabilities in the other list are searched on a grid.
  test.each<[string, Record<number, number>, Record<number, number>]>([
    ["uncapped", { 0: 0.5, 1: 0.2 }, { 0: 0.6, 2: 0.15 }],
    ["the cap of Q binds", { 0: 0.3, 1: 0.6 }, { 0: 0.4, 2: 0.05 }],
    ["the cap of P binds", { 0: 0.6, 1: 0.02 }, { 0: 0.1, 2: 0.7 }],
    ["both caps bind", { 1: 0.7, 0: 0.06 }, { 2: 0.75, 0: 0.04 }],
    ["nothing is left for the rest", { 0: 0.5, 1: 0.49 }, { 0: 0.5, 2: 0.49 }],
  ])("%s", (_, ofP, ofQ) => {
    const bounds = klBounds(listed(ofP), listed(ofQ), { vocabularySize: null, rounding: 1e-12 });
    const left = (entries: Record<number, number>) => 1 - Object.values(entries).reduce((a, b) => a + b);
    const [restP, restQ] = [left(ofP), left(ofQ)];
    const [capP, capQ] = [ofP, ofQ].map((entries) => Math.min(...Object.values(entries))) as [number, number];
    const least: Record<string, number> = {};
    const steps = 500;
    for (let a = 0; a <= steps; a++)
      for (let b = 0; b <= steps; b++) {
        const q1 = (a / steps) * Math.min(capQ, restQ);
        const p2 = (b / steps) * Math.min(capP, restP);
        const exact = exactly([ofP[0]!, ofP[1]!, p2, restP - p2], [ofQ[0]!, q1, ofQ[2]!, restQ - q1]);
        for (const name of NAMES)
          least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, exact[name]);
      }
    for (const name of NAMES) {
      expect(bounds[name].low).toBeLessThanOrEqual(least[name]! + 1e-9);
      expect(bounds[name].low).toBeGreaterThan(least[name]! - 2e-3);
      expect(bounds[name].low).toBeGreaterThan(0.004);
    }
  });
});

test("upper bounds are attained", () => {
  const options = { vocabularySize: null, floor: Math.log(1e-4), rounding: 1e-12 };
  const bounds = klBounds(listed({ 0: 0.4, 1: 0.2 }), listed({ 0: 0.6, 2: 0.2 }), options);
  // P has its missing 0.4 on tokens 3 and 4, where Q is at the floor; Q has its own on token 5.
  const p = [0.4, 0.2, 0, 0.2, 0.2, 0];
  const q = [0.6, 1e-4, 0.2, 1e-4, 1e-4, 0.2 - 3e-4];
  expect(bounds.forwardKl.high).toBeCloseTo(exactly(p, q).forwardKl, 9);
  const unlimited = klBounds(listed({ 0: 0.4, 1: 0.2 }), listed({ 0: 0.6, 2: 0.2 }), {
    ...options,
    floor: Number.NEGATIVE_INFINITY,
  });
  const apart = exactly([0.4, 0.2, 0, 0.4, 0], [0.6, 0, 0.2, 0, 0.2]);
  expect(unlimited.forwardKl.high).toBe(Number.POSITIVE_INFINITY);
  expect(unlimited.jsDivergence.high).toBeCloseTo(apart.jsDivergence, 9);
  expect(unlimited.totalVariation.high).toBeCloseTo(apart.totalVariation, 9);
});

describe("odd lists", () => {
  const ordered = ({ low, high }: Bound): boolean => low >= 0 && low <= high;
  const all = (bounds: DivergenceBounds): boolean => NAMES.every((name) => ordered(bounds[name]));

  test("of nothing: nothing is known", () => {
    const empty = { ids: [], logprobs: [] };
    expect(klBounds(empty, empty, { vocabularySize: null })).toEqual({
      forwardKl: { low: 0, high: Number.POSITIVE_INFINITY },
      reverseKl: { low: 0, high: Number.POSITIVE_INFINITY },
      jsDivergence: { low: 0, high: Math.LN2 },
      totalVariation: { low: 0, high: 1 },
    });
  });

  test("that sum to more than 1 by rounding", () => {
    const row = (...logprobs: number[]): TopKRow => ({ ids: [4, 9], logprobs });
    const [a, b] = [row(-0.0953, -2.397895), row(-0.09531, -2.39789)];
    for (const vocabularySize of [2, 5, 1000, null]) {
      expect(all(klBounds(a, b, { vocabularySize }))).toBe(true);
      expect(klBounds(a, b, { vocabularySize }).forwardKl.low).toBeLessThan(1e-6);
    }
  });

  test("a peaked policy whose missing mass is below rounding makes no infinite lower bound", () => {
    const bounds = klBounds(
      { ids: [1, 2], logprobs: [-0.7, -0.7] },
      { ids: [1, 3], logprobs: [0, -20] },
      {
        vocabularySize: 1000,
      },
    );
    expect(bounds.forwardKl.low).toBeGreaterThan(1);
    expect(bounds.forwardKl.low).toBeLessThan(20);
    expect(all(bounds)).toBe(true);
  });

  test("a token that the reference rules out makes both bounds infinite", () => {
    const bounds = klBounds(listed({ 0: 0.5, 1: 0.5 }), listed({ 0: 1, 1: 0 }), { vocabularySize: 2 });
    expect(bounds.forwardKl).toEqual({ low: Number.POSITIVE_INFINITY, high: Number.POSITIVE_INFINITY });
    expect(bounds.reverseKl.low).toBeCloseTo(Math.LN2, 12);
  });

  test("of any numbers at all, as long as they are log-probs", () => {
    const logprob = fc.oneof(
      fc.constantFrom(0, -1e-9, -0.69, -90, -1e4, Number.NEGATIVE_INFINITY, Number.NaN),
      fc.double({ min: -30, max: 0, noNaN: true }),
    );
    const row = fc
      .array(fc.tuple(fc.integer({ min: -1, max: 9 }), logprob), { maxLength: 6 })
      .map((entries) => ({ ids: entries.map(([id]) => id), logprobs: entries.map(([, value]) => value) }));
    fc.assert(
      fc.property(
        row,
        row,
        fc.constantFrom(null, 10, 11, 1e5),
        fc.constantFrom(0, -5, -100),
        (p, q, size, floor) => {
          expect(all(klBounds(p, q, { vocabularySize: size, floor }))).toBe(true);
          expect(all(klBounds(p, q, { vocabularySize: size, rounding: 0 }))).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("that are not of the most probable tokens put no cap on others", () => {
    const row = { ids: [0], logprobs: [Math.log(0.01)], actual: { id: 1, logprob: Math.log(0.5) } };
    const bounds = klBounds(row, listed({ 0: 0.1, 2: 0.05 }), { vocabularySize: null });
    const p = [0.01, 0.5, 0.04, 0.45];
    const q = [0.1, 0.03, 0.05, 0.82];
    expect(bounds.forwardKl.low).toBeLessThanOrEqual(exactly(p, q).forwardKl);
  });

  test("naming more tokens than there are is refused", () => {
    expect(() => klBounds(listed({ 0: 0.5, 1: 0.2 }), listed({ 2: 0.5 }), { vocabularySize: 2 })).toThrow(
      "name 3 tokens, but the vocabulary has 2",
    );
  });
});
