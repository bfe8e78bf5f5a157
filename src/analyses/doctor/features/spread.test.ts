import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
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
        logitNoise: noise.length === 0 ? 0 : expect.closeTo(1.4826 * quantiles(noise, [0.5])[0]!, 9),
        trainerSurprised: 0,
        rolloutSurprised: 0,
      });
      if (root > 1e-6) expect(found.unitMeanZ).toBeCloseTo((n * unit) / root, 6);
      for (const [at, q] of [0.5, 0.9, 0.99].entries())
        if (n > 0) expect(found.logitGap[at]).toBeCloseTo(quantiles(gaps, [q])[0]!, 9);
      // One token of up to a hundred is the hundredth that differs most.
      if (abs > 0)
        expect(found.topShare).toBeCloseTo(Math.max(...own.map(({ d }) => Math.abs(d))) / (n * abs), 9);
    }),
  );
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
    expect(none).toMatchObject({ tokens: 0, meanAbs: 0, unitMean: 0, logitNoise: 0, topShare: 0 });
  });

  it("hold a ratio to e^20", () => {
    const { unitMean, mean } = measureSpread(makeView([{ rollout: [-40], trainer: [-1] }]));
    expect([unitMean, mean]).toEqual([Math.expm1(20), 39]);
  });
});
