import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { absentFigures } from "./absent-figures.ts";
import { DIGITS, distanceBounds, partialDistribution, wholeDistribution } from "./bounds.ts";
import { listSequence } from "./list-sequence.ts";
import { LossTally } from "./loss-tally.ts";
import { findNumbers } from "./numbers.ts";
import { DigitTally, Foremost, GapTally } from "./tallies.ts";
import { makeSpan, vocabulary } from "./text-vocabulary.test-data.ts";

const logprob = fc.double({ min: -8, max: -1e-3, noNaN: true });
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("GapTally", () => {
  test("is what its definitions give over the tokens that both policies know", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(logprob, logprob), { minLength: 1, maxLength: 20 }), (pairs) => {
        const tally = new GapTally();
        for (const [rollout, trainer] of pairs) tally.add(rollout, trainer);
        tally.add(Number.NaN, -1);
        tally.add(-1, Number.NEGATIVE_INFINITY);
        const deltas = pairs.map(([rollout, trainer]) => trainer - rollout);
        const apart = pairs.map(([rollout, trainer]) => Math.abs(Math.exp(trainer) - Math.exp(rollout)));
        const gap = tally.gap();
        expect(gap.tokens).toBe(pairs.length);
        expect(gap.delta_mean).toBeCloseTo(average(deltas), 9);
        expect(gap.delta_abs_mean).toBeCloseTo(average(deltas.map(Math.abs)), 9);
        expect(gap.delta_abs_max).toBeCloseTo(Math.max(...deltas.map(Math.abs)), 9);
        expect(gap.prob_diff_mean).toBeCloseTo(average(apart), 9);
        expect(gap.prob_diff_max).toBeCloseTo(Math.max(...apart), 9);
        const k3 = average(deltas.map((delta) => Math.exp(delta) - 1 - delta));
        expect(Math.abs(gap.k3! - k3)).toBeLessThan(1e-9 * Math.max(1, k3));
      }),
    );
  });

  test("of nothing has no figures", () => {
    const nothing = Object.fromEntries(
      ["delta_mean", "delta_abs_mean", "delta_abs_max", "k3", "prob_diff_mean", "prob_diff_max"].map(
        (name) => [name, null],
      ),
    );
    expect(new GapTally().gap()).toEqual({ tokens: 0, ...nothing });
  });
});

describe("DigitTally", () => {
  test("averages both policies, and withholds the trainer's where it misses a digit", () => {
    const tally = new DigitTally();
    expect(tally.figures()).toMatchObject({ digits: 0, ntl_loss: null, trainer_ntl_loss: null });
    tally.add(-1, -1.5);
    tally.add(-2, -1.75);
    expect(tally.figures()).toEqual({
      digits: 2,
      avg_digit_log_prob: -1.5,
      ntl_loss: 1.5,
      trainer_avg_digit_log_prob: -1.625,
      trainer_ntl_loss: 1.625,
      delta_abs_mean: 0.375,
    });
    tally.add(-3, Number.NaN);
    expect(tally.figures()).toMatchObject({
      digits: 3,
      avg_digit_log_prob: -2,
      trainer_avg_digit_log_prob: null,
      delta_abs_mean: 0.375,
    });
  });
});

describe("Foremost", () => {
  test("keeps the heaviest, heaviest first, the earlier of equals", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 6 })),
        fc.integer({ min: 0, max: 5 }),
        (weights, most) => {
          const foremost = new Foremost<number>(most);
          weights.forEach((weight, at) => {
            foremost.offer(weight, () => at);
          });
          const meant = weights
            .map((weight, at) => ({ weight, at }))
            .sort((a, b) => b.weight - a.weight || a.at - b.at)
            .slice(0, most);
          expect(foremost.list()).toEqual(meant.map(({ at }) => at));
        },
      ),
    );
  });
});

describe("absentFigures", () => {
  const full = {
    policy: "rollout",
    comparison: {},
    distributions: [{}],
    truth: {},
    right_sequences: {},
    wrong_sequences: null,
  } as unknown as Parameters<typeof absentFigures>[0];
  test("names each figure that nothing was recorded for, and why", () => {
    expect(absentFigures(full)).toEqual([]);
    expect(absentFigures({ ...full, comparison: null })).toEqual([
      "no trainer log-probs: the policies are not compared",
    ]);
    expect(absentFigures({ ...full, policy: "trainer", comparison: null })).toEqual([
      "no rollout log-probs: the policies are not compared",
    ]);
    expect(absentFigures({ ...full, distributions: [] })[0]).toMatch(/^no top-k alternatives/);
    expect(absentFigures({ ...full, truth: null })[0]).toMatch(/^no ground truth/);
    expect(absentFigures({ ...full, right_sequences: null })).toEqual([
      "no correctness: correct and incorrect sequences are not distinguished",
    ]);
    expect(
      absentFigures({ ...full, right_sequences: null, wrong_sequences: {} } as unknown as typeof full),
    ).toEqual([]);
  });
});

describe("wholeDistribution", () => {
  const logs = (...masses: number[]) => masses.map(Math.log);
  test("takes ten log-probs as they are, from their place on", () => {
    const whole = wholeDistribution([9, ...logs(0.5, 0.25, 0, 0, 0, 0, 0, 0, 0, 0.125)], 1)!;
    expect([...whole.known].map((p) => Number(p.toFixed(9)))).toEqual([
      0.5, 0.25, 0, 0, 0, 0, 0, 0, 0, 0.125,
    ]);
    expect(whole.unaccounted).toBeCloseTo(0.125, 12);
    expect(whole).toMatchObject({ complete: true, slack: new Float64Array(10) });
  });

  test("is exact where it sums to 1, up to rounding, and refused beyond that or where one is missing", () => {
    const even = (sum: number) => wholeDistribution(logs(...DIGITS.map(() => sum / 10)), 0);
    expect(even(1)!.unaccounted).toBeCloseTo(0, 12);
    expect(even(1.005)!.unaccounted).toBe(0);
    expect(even(1.02)).toBeUndefined();
    expect(
      wholeDistribution(
        DIGITS.map(() => Number.NaN),
        0,
      ),
    ).toBeUndefined();
  });
});

test("bounds of a distance reach 0 only where the truth lies between", () => {
  expect(distanceBounds({ low: 2, high: 5 }, 3)).toEqual({ low: 0, high: 2 });
  expect(distanceBounds({ low: 2, high: 5 }, 2)).toEqual({ low: 0, high: 3 });
  expect(distanceBounds({ low: 2, high: 5 }, 5)).toEqual({ low: 0, high: 3 });
  expect(distanceBounds({ low: 2, high: 5 }, 1)).toEqual({ low: 1, high: 4 });
  expect(distanceBounds({ low: 2, high: 5 }, 9)).toEqual({ low: 4, high: 7 });
});

describe("LossTally", () => {
  const at = (digit: number, mass: number) =>
    wholeDistribution(
      DIGITS.map((one) => Math.log(one === digit ? mass : 0)),
      0,
    )!;
  test("averages positions, and counts those that are unknown apart", () => {
    const tally = new LossTally();
    expect(tally.distribution("rollout", 5, "sampled")).toBeUndefined();
    tally.add(at(3, 1), 3);
    tally.add(at(5, 0.5), 3);
    tally.add(at(0, 0), 3);
    tally.addUnknown();
    const shown = tally.distribution("rollout", 5, "sampled")!;
    expect(shown).toMatchObject({
      policy: "rollout",
      k: 5,
      against: "sampled",
      positions: 2,
      complete: 2,
      unknown: 2,
      unaccounted_mean: 0.25,
      unaccounted_max: 0.5,
    });
    expect(shown.digit_mass.estimate).toBeCloseTo(0.75, 9);
    expect(shown.expected_digit.estimate).toBeCloseTo(4, 9);
    expect(shown.ntl_mae.estimate).toBeCloseTo(1, 9);
    expect(shown.ntl_mse.estimate).toBeCloseTo(2, 9);
    expect(shown.digit_accuracy).toEqual({ estimate: 0.5, low: 0.5, high: 0.5 });
  });

  test("says by bounds how much the unknown rest can change", () => {
    const classes = DIGITS.map((digit) => [digit]);
    const partial = partialDistribution(
      classes,
      { ids: [3, 99], logprobs: [Math.log(0.6), Math.log(0.3)], start: 0, k: 2 },
      { id: 3, logprob: Math.log(0.6) },
    );
    const tally = new LossTally();
    tally.add(partial, 3);
    const shown = tally.distribution("rollout", 2, "sampled")!;
    expect(shown.complete).toBe(0);
    // At most 0.1 more, all of it on 9 or all on 0.
    expect(shown.expected_digit.high).toBeCloseTo((3 * 0.6 + 9 * 0.1) / 0.7, 4);
    expect(shown.expected_digit.low).toBeCloseTo((3 * 0.6) / 0.7, 4);
    expect(shown.digit_accuracy).toEqual({ estimate: 1, low: 1, high: 1 });
  });
});

describe("listSequence", () => {
  const span = makeSpan("x", "1", "2", "x", " 345", "7");
  const facts = {
    handle: "s1.q0",
    file: "a.npz",
    span,
    rollout: [-9, -1, -2, -9, -9, -3],
    trainer: [-9, -1.5, -2.5, -9, -9, -3.5],
    reward: 2,
    truth: "127",
    answer: "127",
    isRight: true,
  };
  test("has each token of one digit with its place, value and both log-probs", () => {
    expect(listSequence(findNumbers(vocabulary, span), facts)).toMatchObject({
      digit_positions: [1, 2, 5],
      digit_ground_truth: [1, 2, 7],
      digit_log_probs_selected: [-1, -2, -3],
      trainer_log_probs_selected: [-1.5, -2.5, -3.5],
      total_digits: 3,
      avg_digit_log_prob: -2,
      ntl_loss: 2,
      truth: "127",
      answer: "127",
      answer_right: true,
      reward: 2,
    });
  });

  test("has null for what is not known, and shapes a reward of 1 where there is none", () => {
    const bare = listSequence(findNumbers(vocabulary, span), {
      ...facts,
      trainer: [-9, Number.NaN, -2.5, -9, -9, -3.5],
      reward: Number.NaN,
      truth: undefined,
      answer: undefined,
      isRight: undefined,
    });
    expect(bare).toMatchObject({
      trainer_log_probs_selected: null,
      truth: null,
      answer: null,
      answer_right: null,
      reward: null,
    });
    const one = listSequence(findNumbers(vocabulary, span), { ...facts, reward: 1 });
    expect([bare.confidence_reward, bare.bonus_reward]).toEqual([one.confidence_reward, one.bonus_reward]);
    expect(listSequence([], facts)).toMatchObject({
      total_digits: 0,
      avg_digit_log_prob: null,
      ntl_loss: null,
    });
  });
});
