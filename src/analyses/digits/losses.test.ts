import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIGITS, type PartialDistribution, partialDistribution, ratioBounds, sumBounds } from "./bounds.ts";
import { digitLogProbs, digitLosses, logSumExp, numberTokenLoss } from "./distribution.ts";
import { positionFigures } from "./loss-tally.ts";
import { digitProxy } from "./proxy.ts";
import { bonusReward, confidenceReward, lossReward } from "./rewards.ts";
import { takeDigitTokens } from "./vocabulary.ts";

const IDS = takeDigitTokens([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

describe("digitProxy", () => {
  test("the documents' example: The answer is 186", () => {
    const proxy = digitProxy(IDS, {
      token_ids: [[20, 21, 22, 1, 8, 6]],
      log_probs: [[-1, -1, -1, -0.05, -0.1, -0.2]],
    });
    expect(proxy).toMatchObject({
      digit_positions: [[3, 4, 5]],
      digit_ground_truth: [[1, 8, 6]],
      digit_log_probs_selected: [[-0.05, -0.1, -0.2]],
      total_digits: 3,
      method: "simplified_from_rollout_log_probs",
    });
    expect(proxy.ntl_loss).toBeCloseTo(0.35 / 3, 12);
    expect(proxy.avg_digit_log_prob).toBeCloseTo(-0.35 / 3, 12);
  });

  test("leaves out masked tokens and missing log-probs; without digits there is no average", () => {
    const proxy = digitProxy(IDS, {
      token_ids: [[1, 2, 3], [20]],
      log_probs: [[-1, Number.NaN, -3], [-1]],
      response_mask: [[0, 1, 1], [1]],
    });
    expect(proxy).toMatchObject({ digit_positions: [[2], []], total_digits: 1, ntl_loss: 3 });
    expect(digitProxy(IDS, { token_ids: [[20]], log_probs: [[-1]] })).toMatchObject({
      avg_digit_log_prob: null,
      ntl_loss: null,
      total_digits: 0,
    });
  });
});

test("rewards", () => {
  const at = (average: number | null): { avg_digit_log_prob: number | null; total_digits: number } => ({
    avg_digit_log_prob: average,
    total_digits: average === null ? 0 : 3,
  });
  expect(confidenceReward(2, at(0))).toBe(2);
  expect(confidenceReward(2, at(Math.log(0.5)))).toBeCloseTo(1.5, 12);
  expect(confidenceReward(2, at(null))).toBe(2);
  // As the document's own function has it where nothing was extracted.
  expect([confidenceReward(2, null), bonusReward(2, null)]).toEqual([2, 2]);
  expect(bonusReward(1, at(-0.49))).toBe(1.1);
  expect(bonusReward(1, at(-0.5))).toBe(1);
  expect(bonusReward(1, at(null))).toBe(1);
  expect(lossReward(0)).toBe(1);
});

describe("whole distributions", () => {
  test("losses by hand", () => {
    const losses = digitLosses([0, 0, 0.5, 0, 0.5, 0, 0, 0, 0, 0], 2);
    expect(losses).toEqual({ expected: 3, mse: 1, wasserstein: 1, mae: 1, argmax: 2 });
  });

  const weights = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 });
  const normal = (values: readonly number[]): number[] => {
    const sum = values.reduce((a, b) => a + b, 0);
    return sum > 1e-3 ? values.map((value) => value / sum) : DIGITS.map(() => 0.1);
  };

  test("Wasserstein to one digit is the distance of cumulative sums; MAE never passes it, nor MSE its square root's", () => {
    fc.assert(
      fc.property(weights.map(normal), fc.integer({ min: 0, max: 9 }), (p, truth) => {
        const { wasserstein, mae, mse } = digitLosses(p, truth);
        let [gap, distance] = [0, 0];
        for (const digit of DIGITS) {
          gap += p[digit]! - (digit === truth ? 1 : 0);
          distance += Math.abs(gap);
        }
        expect(wasserstein).toBeCloseTo(distance, 10);
        expect(mae).toBeLessThanOrEqual(wasserstein + 1e-12);
        expect(mse).toBeCloseTo(mae ** 2, 10);
      }),
    );
  });

  test("log-softmax over the ten digits does not overflow and ignores the others", () => {
    const logits = Array.from({ length: 20 }, (_, i) => 1000 + i);
    const logprobs = digitLogProbs(logits, DIGITS);
    expect(logSumExp(logprobs)).toBeCloseTo(0, 12);
    expect(logprobs[9]! - logprobs[0]!).toBeCloseTo(9, 9);
  });

  test("number-token loss averages the method that is asked for, and counts digits that are likeliest", () => {
    const at = (digit: number) => DIGITS.map((one) => (one === digit ? 0 : Number.NEGATIVE_INFINITY));
    const targets = { digit_positions: [[0, 1]], digit_ground_truth: [[3, 3]] };
    const loss = (method: "mse" | "wasserstein" | "mae") =>
      numberTokenLoss([[at(3), at(5)].map((row) => Float64Array.from(row))], targets, method);
    expect(loss("mse")).toMatchObject({ ntl_loss: 2, digit_accuracy: 0.5 });
    expect(loss("wasserstein")).toMatchObject({ ntl_loss: 1 });
  });

  test("a position outside its sequence is refused", () => {
    const targets = { digit_positions: [[3]], digit_ground_truth: [[1]] };
    expect(() => numberTokenLoss([[new Float64Array(10)]], targets, "mse")).toThrow(/position 3 .* 1 tokens/);
    expect(() => numberTokenLoss([[]], { ...targets, digit_ground_truth: [[]] }, "mse")).toThrow(
      /1 digit positions and 0 true digits/,
    );
  });

  test("without digits the loss is 0, the reward 1, the accuracy 0", () => {
    expect(numberTokenLoss([[]], { digit_positions: [[]], digit_ground_truth: [[]] }, "mae")).toEqual({
      ntl_loss: 0,
      ntl_reward: 1,
      digit_accuracy: 0,
      total_digits: 0,
      correct_digits: 0,
      method: "mae",
    });
  });
});

/** A distribution over 24 tokens, the ten digits among them, and its top k. */
const cut = fc.record({
  masses: fc.array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 }),
  sharpness: fc.integer({ min: 1, max: 6 }),
  k: fc.integer({ min: 1, max: 12 }),
  sampled: fc.integer({ min: 0, max: 9 }),
  truth: fc.integer({ min: 0, max: 9 }),
  fill: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 }),
});

interface Cut {
  readonly p: number[];
  readonly partial: PartialDistribution;
}

function cutTopK(masses: readonly number[], sharpness: number, k: number, sampled: number): Cut {
  const sharp = masses.map((mass) => mass ** sharpness);
  const sum = sharp.reduce((a, b) => a + b, 0);
  const p = sharp.map((mass) => mass / sum);
  const ids = p.map((_, id) => id).sort((a, b) => p[b]! - p[a]!);
  const kept = ids.slice(0, k);
  // As servers do: the sampled token is appended wherever it ranks.
  const top = kept.includes(sampled) ? [...kept, -1] : [...kept, sampled];
  const partial = partialDistribution(
    IDS.bare,
    { ids: top, logprobs: top.map((id) => (id < 0 ? Number.NaN : Math.log(p[id]!))), start: 0, k: k + 1 },
    { id: sampled, logprob: Math.log(p[sampled]!) },
  );
  return { p, partial };
}

describe("bounds from the top k", () => {
  test("hold the figures of the whole distribution, for every loss", () => {
    fc.assert(
      fc.property(cut, ({ masses, sharpness, k, sampled, truth }) => {
        const { p, partial } = cutTopK(masses, sharpness, k, sampled);
        const figures = positionFigures(partial, truth)!;
        const digits = p.slice(0, 10);
        const mass = digits.reduce((a, b) => a + b, 0);
        const own = digitLosses(
          digits.map((x) => x / mass),
          truth,
        );
        const raw = digitLosses(digits, truth);
        const expected = {
          digit_mass: mass,
          expected_digit: own.expected,
          ntl_mse: own.mse,
          ntl_wasserstein: own.wasserstein,
          ntl_mae: own.mae,
          digit_accuracy: own.argmax === truth ? 1 : 0,
          raw_expected_digit: raw.expected,
          raw_ntl_mse: raw.mse,
          raw_ntl_wasserstein: raw.wasserstein,
          raw_ntl_mae: raw.mae,
        };
        for (const [name, value] of Object.entries(expected)) {
          const { low, estimate, high } = figures[name as keyof typeof figures];
          const slack = 1e-9 * Math.max(1, value);
          expect([name, low <= value + slack && value <= high + slack]).toEqual([name, true]);
          expect(low <= estimate && estimate <= high).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("no way of giving out the open mass passes them", () => {
    fc.assert(
      fc.property(cut, ({ masses, sharpness, k, sampled, truth, fill }) => {
        const { partial } = cutTopK(masses, sharpness, k, sampled);
        let left = partial.open;
        const filled = partial.known.map((known, digit) => {
          const more = Math.min(left, partial.slack[digit]! * fill[digit]!);
          left -= more;
          return known + more;
        });
        const distances = DIGITS.map((digit) => Math.abs(digit - truth));
        const sum = (values: readonly number[]): number =>
          filled.reduce((total, x, digit) => total + x * values[digit]!, 0);
        const mass = filled.reduce((a, b) => a + b, 0);
        for (const values of [DIGITS, distances]) {
          const ratio = ratioBounds(values, partial)!;
          expect(sum(values) / mass).toBeGreaterThanOrEqual(ratio.low - 1e-9);
          expect(sum(values) / mass).toBeLessThanOrEqual(ratio.high + 1e-9);
          const total = sumBounds(values, partial);
          expect(sum(values)).toBeGreaterThanOrEqual(total.low - 1e-9);
          expect(sum(values)).toBeLessThanOrEqual(total.high + 1e-9);
        }
      }),
      { numRuns: 400 },
    );
  });

  test("are attained: by hand, half of the mass known on 5, the rest open", () => {
    const partial: PartialDistribution = {
      known: Float64Array.from(DIGITS, (digit) => (digit === 5 ? 0.5 : 0)),
      slack: Float64Array.from(DIGITS, (digit) => (digit === 5 ? 0 : 0.25)),
      unaccounted: 0.5,
      open: 0.5,
      complete: false,
    };
    // 0.25 each on 9 and 8, or on 0 and 1.
    const { low, high } = ratioBounds(DIGITS, partial)!;
    expect([low, high]).toEqual([2.75, 6.75]);
    expect(sumBounds(DIGITS, partial)).toEqual({ low: 2.5, high: 6.75 });
  });

  test("where all ten digits are listed nothing is open", () => {
    const top = {
      ids: DIGITS,
      logprobs: DIGITS.map((digit) => Math.log(digit === 5 ? 0.55 : 0.05)),
      start: 0,
      k: 10,
    };
    const partial = partialDistribution(IDS.bare, top, { id: 5, logprob: Math.log(0.55) });
    expect(partial.complete).toBe(true);
    for (const { low, estimate, high } of Object.values(positionFigures(partial, 5)!)) {
      expect(low).toBeCloseTo(estimate, 12);
      expect(high).toBeCloseTo(estimate, 12);
    }
  });

  test("where the list has all the mass, rounding alone is open", () => {
    const top = { ids: [5, 30], logprobs: [Math.log(0.75), Math.log(0.25)], start: 0, k: 2 };
    const partial = partialDistribution(IDS.bare, top, { id: 5, logprob: Math.log(0.75) });
    expect(partial).toMatchObject({ unaccounted: 0, complete: false });
    const { ntl_wasserstein: loss, raw_expected_digit: expected } = positionFigures(partial, 5)!;
    expect([loss.estimate, loss.low]).toEqual([0, 0]);
    expect(loss.high).toBeGreaterThan(0);
    expect(loss.high).toBeLessThan(1e-5);
    expect(expected.estimate).toBeCloseTo(3.75, 12);
  });

  test("where no digit is known there are no figures", () => {
    const top = { ids: [30], logprobs: [Math.log(0.5)], start: 0, k: 1 };
    const partial = partialDistribution(IDS.bare, top, { id: 5, logprob: Number.NaN });
    expect(positionFigures(partial, 5)).toBeUndefined();
  });
});
