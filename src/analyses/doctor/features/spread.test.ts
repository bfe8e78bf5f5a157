import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { studentAsNormal } from "../../../core/statistics/distributions.ts";
import { makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { measureSpread } from "./spread.ts";
import { logit, quantiles } from "./stats.ts";

const logprob = fc.integer({ min: -48, max: -1 }).map((value) => value / 16);
const rows = fc.array(
  fc.record({
    tokens: fc.array(fc.tuple(logprob, logprob, fc.boolean()), { minLength: 1, maxLength: 6 }),
    group: fc.nat(2),
  }),
  { minLength: 1, maxLength: 6 },
);

it("is what plain loops over the policy's own tokens give", () => {
  fc.assert(
    fc.property(rows, (drawn) => {
      const view = makeView(
        drawn.map(({ tokens, group }) => ({
          rollout: tokens.map(([rollout]) => rollout),
          trainer: tokens.map(([, trainer]) => trainer),
          mask: tokens.map(([, , mask]) => Number(mask)),
          group,
        })),
      );
      const own = drawn.flatMap(({ tokens, group }) =>
        tokens.filter(([, , mask]) => mask).map(([a, c]) => ({ a, c, d: c - a, group })),
      );
      const n = own.length;
      const mean = (f: (token: (typeof own)[number]) => number): number =>
        n === 0 ? 0 : own.reduce((sum, token) => sum + f(token), 0) / n;
      const abs = mean(({ d }) => Math.abs(d));
      const square = mean(({ d }) => d * d);
      const unit = mean(({ d }) => Math.exp(d) - 1);
      const clusters = [0, 1, 2].map((group) =>
        own.filter((token) => token.group === group).reduce((sum, { d }) => sum + Math.exp(d) - 1 - unit, 0),
      );
      const root = Math.sqrt(clusters.reduce((sum, value) => sum + value ** 2, 0));
      const gaps = own.map(({ a, c }) => Math.abs(logit(c) - logit(a)));
      const share = (of: typeof own, is: (token: (typeof own)[number]) => boolean): number =>
        of.length === 0 ? 0 : of.filter(is).length / of.length;
      const noise = own
        .filter(({ a }) => Math.exp(a) > 0.05 && Math.exp(a) < 0.95)
        .map(({ a, d }) => Math.abs(d) / (1 - Math.exp(a)));
      const found = measureSpread(view);
      expect(found).toMatchObject({
        tokens: n,
        rows: drawn.length,
        meanAbs: expect.closeTo(abs, 9),
        mean: expect.closeTo(
          mean(({ d }) => d),
          9,
        ),
        asymmetry: abs === 0 ? 0 : expect.closeTo(-mean(({ d }) => d) / abs, 9),
        halfVariance: square === 0 ? Number.NaN : expect.closeTo((-2 * mean(({ d }) => d)) / square, 9),
        unitMean: expect.closeTo(unit, 9),
        equalShare: share(own, ({ d }) => d === 0),
        kurtosis: square === 0 ? Number.NaN : expect.closeTo(mean(({ d }) => d ** 4) / square ** 2, 6),
        unsure: expect.closeTo(
          mean(({ a }) => 1 - Math.exp(a)),
          9,
        ),
        logitNoise:
          n === 0 ? 0 : expect.closeTo(Math.sqrt(square / mean(({ a }) => (1 - Math.exp(a)) ** 2)), 9),
        logitNoiseMean:
          n === 0 ? 0 : expect.closeTo((Math.sqrt(Math.PI / 2) * abs) / mean(({ a }) => 1 - Math.exp(a)), 9),
        logitNoiseMedian: noise.length === 0 ? 0 : expect.closeTo(1.4826 * quantiles(noise, [0.5])[0]!, 9),
        trainerSurprised: 0,
        rolloutSurprised: 0,
      });
      const freedom = new Set(own.map(({ group }) => group)).size - 1;
      if (root > 1e-6) expect(found.unitMeanZ).toBeCloseTo(studentAsNormal((n * unit) / root, freedom), 6);
      for (const [at, q] of [0.5, 0.9, 0.99].entries())
        if (n > 0) expect(found.logitGap[at]).toBeCloseTo(quantiles(gaps, [q])[0]!, 9);
      // One token of up to a hundred is the hundredth that differs most.
      if (abs > 0)
        expect(found.topShare).toBeCloseTo(Math.max(...own.map(({ d }) => Math.abs(d))) / (n * abs), 9);
    }),
  );
});

it("gives all figures of one view", () => {
  const [a, c] = [
    [-1, -2, -0.01, -1],
    [-1.5, -1, -0.01, -2],
  ] as const;
  const found = measureSpread(
    makeView([
      { rollout: a.slice(0, 2), trainer: c.slice(0, 2), group: 1 },
      { rollout: a.slice(2), trainer: c.slice(2), group: 2 },
      { rollout: [-9], trainer: [-1], mask: [0] },
    ]),
  );
  const gaps = [0, 1, 2, 3].map((t) => Math.abs(logit(c[t]!) - logit(a[t]!)));
  const excess = [-0.5, 1, 0, -1].map(Math.expm1);
  const unit = excess.reduce((sum, value) => sum + value, 0) / 4;
  const clusters = [excess[0]! + excess[1]!, excess[2]! + excess[3]!].map((sum) => sum - 2 * unit);
  const reverse = [0.5, -1, 0, 1].map(Math.expm1);
  const back = reverse.reduce((sum, value) => sum + value, 0) / 4;
  const backClusters = [reverse[0]! + reverse[1]!, reverse[2]! + reverse[3]!].map((sum) => sum - 2 * back);
  const noise = [0.5 / (1 - Math.exp(-1)), 1 / (1 - Math.exp(-2)), 1 / (1 - Math.exp(-1))];
  expect(found).toEqual(
    closely({
      ...{
        tokens: 4,
        rows: 3,
        meanAbs: 2.5 / 4,
        mean: -0.5 / 4,
        asymmetry: 0.5 / 2.5,
        halfVariance: 1 / 2.25,
      },
      unitMeanZ: studentAsNormal((4 * unit) / Math.hypot(...clusters), 1),
      inverseMeanZ: studentAsNormal((4 * back) / Math.hypot(...backClusters), 1),
      ...{ unitMean: unit, equalShare: 1 / 4 },
      ...{ kurtosis: (4 * 2.0625) / 2.25 ** 2, topShare: 1 / 2.5 },
      unsure: (2 * (1 - Math.exp(-1)) + (1 - Math.exp(-2)) + (1 - Math.exp(-0.01))) / 4,
      logitNoise: 1.5 / Math.hypot(...a.map((own) => 1 - Math.exp(own))),
      logitNoiseMean: (Math.sqrt(Math.PI / 2) * 2.5) / a.reduce((sum, own) => sum + 1 - Math.exp(own), 0),
      ...{ logitNoiseMedian: 1.4826 * quantiles(noise, [0.5])[0]!, trainerSurprised: 0, rolloutSurprised: 0 },
      logitGap: quantiles(gaps, [0.5, 0.9, 0.99]) as [number, number, number],
    }),
  );
});

describe("edges", () => {
  const of = (a: number, c: number) => measureSpread(makeView([{ rollout: [a], trainer: [c] }]));

  it("of the noise of logits are probabilities from 0.05 to 0.95", () => {
    const noise = (p: number): number => of(Math.log(p), Math.log(p) + 0.001).logitNoiseMedian;
    expect(noise(0.051)).toBeCloseTo((1.4826 * 0.001) / 0.949, 9);
    expect(noise(0.949)).toBeCloseTo((1.4826 * 0.001) / 0.051, 9);
    expect([noise(0.049), noise(0.951)]).toEqual([0, 0]);
  });

  it("of gaps in logits are where both sides have digits of 1 − p", () => {
    const gap = (a: number, c: number): number => of(a, c).logitGap[0];
    expect([gap(-2e-5, -1), gap(-1, -2e-5), gap(0, -1)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(gap(-2.1e-5, -1)).toBeCloseTo(logit(-2.1e-5) - logit(-1), 9);
    expect(gap(-1, -2.1e-5)).toBeCloseTo(logit(-2.1e-5) - logit(-1), 9);
  });

  it("of surprises are p above 0.95 and below e^−½", () => {
    const surprised = (a: number, c: number) => [of(a, c).trainerSurprised, of(a, c).rolloutSurprised];
    expect(surprised(-0.049, -0.51)).toEqual([1, 0]);
    expect(surprised(-0.051, -0.51)).toEqual([0, 0]);
    expect(surprised(-0.05, -0.51)).toEqual([0, 0]);
    expect(surprised(-0.049, -0.5)).toEqual([0, 0]);
    expect(surprised(-0.51, -0.049)).toEqual([0, 1]);
    expect(surprised(-0.51, -0.05)).toEqual([0, 0]);
    expect(surprised(-0.5, -0.049)).toEqual([0, 0]);
  });

  it("of how unsure the rollout is are at a probability of 1", () => {
    expect(of(0.5, -1).unsure).toBe(0);
  });
});

it("takes one token in a hundred for the top, rounded", () => {
  const top = (tokens: number): number => {
    const rollout = Array.from({ length: tokens }, () => -9);
    return measureSpread(makeView([{ rollout, trainer: rollout.map((a, t) => a + (t % 7 === 3 ? 2 : 1)) }]))
      .topShare;
  };
  const total = (tokens: number): number => tokens + Math.floor((tokens + 3) / 7);
  expect(top(149)).toBeCloseTo(2 / total(149), 9);
  expect(top(150)).toBeCloseTo(4 / total(150), 9);
  expect(top(7)).toBeCloseTo(2 / 8, 9);
});

describe("surprises", () => {
  it("are tokens that one side is sure of (p > 0.95) and the other gives less than e^−½", () => {
    const view = makeView([
      { rollout: [-0.01, -0.01, -0.01, -0.04, -1], trainer: [-2, -0.4, -0.51, -0.01, -0.04] },
    ]);
    const { trainerSurprised, rolloutSurprised } = measureSpread(view);
    expect([trainerSurprised, rolloutSurprised]).toEqual([0.5, 0.5]);
  });

  it("of whole columns that are equal are none, and no figure divides by 0", () => {
    const found = measureSpread(makeView([{ rollout: [-1, -1] }]));
    expect(found).toMatchObject({ asymmetry: 0, topShare: 0, unitMeanZ: 0, equalShare: 1 });
    expect([found.halfVariance, found.kurtosis]).toEqual([Number.NaN, Number.NaN]);
    const none = measureSpread(makeView([{ rollout: [-1], mask: [0] }]));
    expect(none).toMatchObject({
      tokens: 0,
      meanAbs: 0,
      unitMean: 0,
      logitNoise: 0,
      logitNoiseMean: 0,
      logitNoiseMedian: 0,
      topShare: 0,
    });
  });

  it("hold a ratio to e^20", () => {
    const { unitMean, mean } = measureSpread(makeView([{ rollout: [-40], trainer: [-1] }]));
    expect([unitMean, mean]).toEqual([Math.expm1(20), 39]);
  });
});
