import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClusterShares } from "./cluster-shares.ts";
import { type AdvantageBlock, GRADIENT, GradientSums, impactAt, sumGradient } from "./gradient-sums.ts";
import { toBytes, travelInto } from "./travel.test-data.ts";

interface Token {
  readonly rollout: number;
  readonly trainer: number;
  readonly mask: number;
  readonly advantage: number;
}

const logprob = fc.oneof(
  fc.double({ min: -30, max: 0, noNaN: true }),
  fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, -800),
);
const tokens = fc.array(
  fc.record({
    rollout: logprob,
    trainer: logprob,
    mask: fc.constantFrom(0, 1, 1),
    advantage: fc.oneof(fc.double({ min: -4, max: 4, noNaN: true }), fc.constantFrom(0, 0, Number.NaN)),
  }),
  { maxLength: 30 },
);
const sequences = fc.array(fc.record({ step: fc.constantFrom(1, 2, Number.NaN), tokens, key: fc.nat(6) }), {
  maxLength: 8,
});

function makeBlock(all: readonly Token[]): AdvantageBlock {
  return {
    rollout: Float64Array.from(all, ({ rollout }) => rollout),
    trainer: Float64Array.from(all, ({ trainer }) => trainer),
    mask: Uint8Array.from(all, ({ mask }) => mask),
    advantages: Float64Array.from(all, ({ advantage }) => advantage),
  };
}

/** The definition, one column after the other. */
function plainSums(all: readonly Token[]): Record<keyof typeof GRADIENT, number> {
  const known = all
    .filter(({ mask }) => mask === 1)
    .map(({ rollout, trainer, advantage }) => ({ delta: trainer - rollout, advantage }))
    .filter(({ delta, advantage }) => Number.isFinite(delta) && Number.isFinite(advantage));
  const some = known.filter(({ delta }) => Math.exp(delta) < Number.POSITIVE_INFINITY);
  const zero = some.filter(({ advantage }) => advantage === 0);
  const sum = (of: typeof some, value: (token: { delta: number; advantage: number }) => number): number =>
    of.reduce((total, token) => total + value(token), 0);
  const k3 = ({ delta }: { delta: number }): number => Math.expm1(delta) - delta;
  return {
    tokens: some.length,
    zeroTokens: zero.length,
    overflowed: known.length - some.length,
    deltaAbs: sum(some, ({ delta }) => Math.abs(delta)),
    k3: sum(some, k3),
    zeroDeltaAbs: sum(zero, ({ delta }) => Math.abs(delta)),
    zeroK3: sum(zero, k3),
    advantage: sum(some, ({ advantage }) => advantage),
    advantageAbs: sum(some, ({ advantage }) => Math.abs(advantage)),
    impact: sum(some, ({ advantage, delta }) => advantage * (Math.exp(delta) - 1)),
    impactAbs: sum(some, ({ advantage, delta }) => Math.abs(advantage * (Math.exp(delta) - 1))),
  };
}

/** Of sums of terms as large as `scale`. */
function expectNear(found: number, wanted: number, scale: number): void {
  expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-11 * (1 + Math.abs(scale)));
}

describe("sums by advantage", () => {
  it("are those of a plain loop, by step and of the run", () => {
    fc.assert(
      fc.property(sequences, (all) => {
        const sums = new GradientSums();
        for (const one of all) sums.add(one.step, sumGradient(makeBlock(one.tokens), 0, one.tokens.length));
        const steps = [...new Set(all.map(({ step }) => step))];
        for (const step of [...steps, undefined]) {
          const found = step === undefined ? sums.total() : sums.at(step);
          const own = all.filter((one) => step === undefined || Object.is(one.step, step));
          const wanted = plainSums(own.flatMap((one) => one.tokens));
          for (const [name, at] of Object.entries(GRADIENT))
            expectNear(
              found[at]!,
              wanted[name as keyof typeof GRADIENT],
              name === "impact" ? wanted.impactAbs : wanted[name as keyof typeof GRADIENT],
            );
        }
        expect(sums.steps).toEqual([1, 2, Number.NaN].filter((step) => steps.includes(step)));
      }),
    );
  });

  it("are the same bits in any order and tree, also as bytes on the way", () => {
    fc.assert(
      fc.property(sequences, fc.nat(8), (all, cut) => {
        const sum = (some: typeof all): GradientSums => {
          const sums = new GradientSums();
          for (const one of some)
            sums.add(one.step, sumGradient(makeBlock(one.tokens), 0, one.tokens.length));
          return sums;
        };
        const merged = travelInto(sum(all.slice(cut).reverse()), new GradientSums());
        merged.merge(travelInto(sum(all.slice(0, cut)), new GradientSums()));
        expect(toBytes(merged)).toEqual(toBytes(sum(all)));
        expect(merged.total()).toEqual(sum(all).total());
      }),
    );
  });

  it("are of a hand-computed row what the paper says", () => {
    // ρ = 2, ½, 1, 3 with A = 1, −2, 5, 0: A(ρ − 1) = 1, 1, 0, 0.
    const row = [Math.LN2, -Math.LN2, 0, Math.log(3)].map((delta, i) => ({
      rollout: -2,
      trainer: delta - 2,
      mask: 1,
      advantage: [1, -2, 5, 0][i]!,
    }));
    const sums = sumGradient(makeBlock(row), 0, 4);
    expect(sums[GRADIENT.impact]).toBeCloseTo(2, 12);
    expect(sums[GRADIENT.impactAbs]).toBeCloseTo(2, 12);
    expect([sums[GRADIENT.advantage], sums[GRADIENT.advantageAbs], sums[GRADIENT.zeroTokens]]).toEqual([
      4, 8, 1,
    ]);
    expect(sums[GRADIENT.zeroK3]).toBeCloseTo(2 - Math.log(3), 12);
    expect([0, 1, 2, 3].map((t) => Math.round(1e9 * impactAt(makeBlock(row), t)) / 1e9)).toEqual([
      1, 1, 0, 0,
    ]);
  });

  it("leave out what is masked, missing or overflows", () => {
    const odd: Token[] = [
      { rollout: -1, trainer: -2, mask: 0, advantage: 1 },
      { rollout: -1, trainer: Number.NaN, mask: 1, advantage: 1 },
      { rollout: -1, trainer: -2, mask: 1, advantage: Number.NaN },
      { rollout: -1, trainer: -2, mask: 1, advantage: Number.POSITIVE_INFINITY },
      { rollout: -800, trainer: -1, mask: 1, advantage: 1 },
    ];
    const block = makeBlock(odd);
    expect(sumGradient(block, 0, 5)[GRADIENT.tokens]).toBe(0);
    expect(sumGradient(block, 0, 5)[GRADIENT.overflowed]).toBe(1);
    expect(odd.every((_, t) => Number.isNaN(impactAt(block, t)))).toBe(true);
  });
});

describe("shares by cluster", () => {
  const key = (name: number): number => name * 2 ** 40 + 12345;

  it("are what is left without any one of them", () => {
    const shares = new ClusterShares();
    for (const [name, whole, part] of [
      [1, 10, 10],
      [2, 5, 0],
      [3, 5, 2],
    ] as const)
      shares.add(key(name), whole, part);
    // Without 1: 2 of 10. Without 2: 12 of 15. Without 3: 10 of 15.
    const [low, high] = shares.leaveOneOut();
    expect(low).toBeCloseTo(0.2, 12);
    expect(high).toBeCloseTo(0.8, 12);
    expect(new ClusterShares().leaveOneOut()).toEqual([Number.NaN, Number.NaN]);
  });

  it("count clusters that have something, of which there must be two", () => {
    const shares = new ClusterShares();
    shares.add(key(1), 4, 1);
    shares.add(key(2), 0, 0);
    expect([shares.count, shares.leaveOneOut()]).toEqual([2, [Number.NaN, Number.NaN]]);
    shares.add(key(3), 2, 2);
    // Without 1: 2 of 2. Without 3: 1 of 4. Without 2, which has nothing: 3 of 6.
    expect(shares.leaveOneOut()).toEqual([0.25, 1]);
  });

  it("stay between 0 and 1 where sums round", () => {
    const shares = new ClusterShares();
    for (const [name, all] of [
      [1, 0.1],
      [2, 0.2],
      [3, 0.7],
    ] as const)
      shares.add(key(name), all, all);
    expect(shares.leaveOneOut()).toEqual([1, 1]);
  });

  it("do not depend on the order, also where there are too many to keep apart", () => {
    const all = Array.from(
      { length: 5000 },
      (_, i) => [(i * 2654435761 * 2 ** 20) % 2 ** 53, 1 + (i % 7), i % 2] as const,
    );
    const sum = (some: typeof all): ClusterShares => {
      const shares = new ClusterShares();
      for (const [name, whole, part] of some) shares.add(name, whole, part);
      return shares;
    };
    const merged = travelInto(sum(all.slice(3000)), new ClusterShares());
    merged.merge(sum(all.slice(0, 3000).reverse()));
    expect(toBytes(merged)).toEqual(toBytes(sum(all)));
    expect(merged.count).toBeLessThanOrEqual(4096);
    expect(merged.count).toBeGreaterThan(1000);
  });
});
