import { describe, expect, test } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { DigitRun } from "./digit-run.ts";
import { digitProxy } from "./proxy.ts";
import { makeSpan, vocabulary } from "./text-vocabulary.test-data.ts";

const TEXTS = [
  ["1", "2", "x", "####", " 7", "12"],
  ["x", "5", "####", "8", "3", "|9|"],
  ["x", "(", ")"],
];
const LOGPROBS = TEXTS.map((texts, row) => texts.map((_, t) => -0.1 * (t + 1) - 0.01 * row));

/** Two right and wrong answers and a sequence without digits, in two steps; Δ is 0.01 everywhere. */
function batch(more: Partial<RecordBatch> = {}): RecordBatch {
  const drawn = recordBatch(
    TEXTS.map((texts, row) => ({
      deltas: texts.map(() => "0").join(" "),
      tokenIds: Array.from(makeSpan(...texts).ids),
      step: row < 2 ? row + 1 : 2,
      correct: row === 0 ? 1 : 0,
    })),
  );
  const rollout = Float64Array.from(LOGPROBS.flat());
  return {
    ...drawn,
    responseMask: Uint8Array.from(TEXTS.flatMap((texts) => Array.from(makeSpan(...texts).mask))),
    rolloutLogprobs: rollout,
    trainerLogprobs: rollout.map((value) => value + 0.01),
    ...more,
  };
}

describe("DigitRun", () => {
  test("agrees with the proxy of the same batch, pooled and by step, place, digit and correctness", () => {
    const run = new DigitRun(vocabulary);
    run.add(batch());
    const result = run.result();
    const spans = TEXTS.map((texts) => makeSpan(...texts));
    const proxy = digitProxy(vocabulary, {
      token_ids: spans.map(({ ids }) => ids),
      log_probs: LOGPROBS,
      response_mask: spans.map(({ mask }) => mask),
    });
    expect(result.metrics).toMatchObject({
      sequences: 3,
      sequences_with_digits: 2,
      tokens: 14,
      total_digits: 6,
      multi_digit_tokens: 1,
      numbers: 4,
      digits_without_log_prob: 0,
      method: proxy.method,
    });
    expect(result.metrics.ntl_loss).toBeCloseTo(proxy.ntl_loss!, 12);
    expect(result.metrics.trainer_ntl_loss).toBeCloseTo(proxy.ntl_loss! - 0.01, 12);
    expect(result.metrics.multi_digit_avg_log_prob).toBeCloseTo(-0.6, 12);
    expect(result.per_step.map(({ step, digits }) => [step, digits])).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect(result.per_step[0]!.avg_digit_log_prob).toBeCloseTo((-0.1 - 0.2 - 0.5) / 3, 12);
    // " 7" stands before "12": hundreds.
    expect(result.per_place.map(({ place, digits }) => [place, digits])).toEqual([
      [0, 3],
      [1, 2],
      [2, 1],
    ]);
    expect(result.per_digit.map(({ digit }) => digit)).toEqual([1, 2, 3, 5, 7, 8]);
    expect([result.right_sequences!.digits, result.wrong_sequences!.digits]).toEqual([3, 3]);
    expect(result.comparison!.digits.delta_abs_mean).toBeCloseTo(0.01, 12);
    expect(result.comparison!.others.tokens).toBe(7);
    expect(result.least_sure[0]).toMatchObject({ handle: "s2.q1.t4", digit: 3, number: "83", place: 0 });
    expect(result.truth).toBeNull();
    expect(result.absent.some((line) => line.includes("top-k"))).toBe(true);
  });

  test("counts rewards per sequence", () => {
    const run = new DigitRun(vocabulary);
    run.add(batch());
    const averages = [(-0.1 - 0.2 - 0.5) / 3, (-0.2 - 0.4 - 0.5) / 3 - 0.01];
    const factors = averages.map((average) => 0.5 + 0.5 * Math.exp(average));
    const { rewards } = run.result();
    expect(rewards).toMatchObject({ sequences: 2, bonus_share: 1 });
    expect(rewards!.confidence_mean).toBeCloseTo((factors[0]! + factors[1]!) / 2, 12);
  });

  test("compares answers with ground truth", () => {
    const run = new DigitRun(vocabulary, { truthSource: "ground_truth" });
    run.add(batch(), ["712", "85", undefined]);
    run.add(batch(), ["3/4", "83", "5"]);
    const truth = run.result().truth!;
    expect(truth).toMatchObject({
      sequences_with_truth: 5,
      truth_not_a_number: 1,
      without_answer: 1,
      numbers: 3,
      numbers_right: 2,
      distance_median: 0,
      distance_wrong_median: 2,
      digits: 7,
      digits_right: 6,
      disagrees_with_correctness: 1,
    });
    expect([truth.right_digits.digits, truth.wrong_digits.digits]).toEqual([4, 1]);
    expect(truth.wrong_digits.avg_log_prob).toBeCloseTo(-0.51, 12);
    expect(truth.wrong_digits.trainer_avg_log_prob).toBeCloseTo(-0.5, 12);
    expect(truth.surest_wrong).toEqual([
      { handle: "s2.q1.t3", answer: "83", truth: "85", rollout_logprob: expect.closeTo(-0.92, 12) as number },
    ]);
    // p is exp(-0.5), exp(-0.41) twice and exp(-0.51) twice; one of the last is wrong.
    const p = [Math.exp(-0.5), Math.exp(-0.51), Math.exp(-0.51), Math.exp(-0.41), Math.exp(-0.41)];
    expect(truth.calibration).toEqual([
      {
        from: 0.6,
        to: 0.7,
        digits: 5,
        confidence: expect.closeTo(p.reduce((a, b) => a + b, 0) / 5, 12) as number,
        accuracy: 0.8,
      },
    ]);
    expect(truth.calibration_error).toBeCloseTo(Math.abs(0.8 - p.reduce((a, b) => a + b, 0) / 5), 12);
  });

  test("judges the distributions of both policies from their top k", () => {
    const tokens = TEXTS.flat().length;
    const ids = Int32Array.from({ length: tokens * 2 }, () => -1);
    const logprobs = new Float32Array(tokens * 2).fill(Number.NaN);
    // At the "5" of the second sequence: 0.75 on 5 and 0.25 on 7, the k-th: nothing but rounding is left.
    const at = TEXTS[0]!.length + 1;
    ids.set([5, 7], at * 2);
    logprobs.set([Math.log(0.75), Math.log(0.25)], at * 2);
    const rollout = Float64Array.from(LOGPROBS.flat());
    rollout[at] = Math.log(0.75);
    const run = new DigitRun(vocabulary);
    run.add(batch({ rolloutLogprobs: rollout, topK: { rollout: { k: 2, ids, logprobs } } }));
    const [own] = run.result().distributions;
    expect(own).toMatchObject({ policy: "rollout", k: 2, against: "sampled", positions: 6, unknown: 0 });
    // The other five digits are known by their own log-prob alone: no distance at the estimate.
    expect(own!.ntl_wasserstein.estimate).toBeCloseTo(0.5 / 6, 6);
    expect(own!.ntl_mse.estimate).toBeCloseTo(0.25 / 6, 6);
    expect(own!.ntl_wasserstein.high).toBeGreaterThan(0.5);
    expect(own!.digit_accuracy).toEqual({ estimate: 1, low: expect.any(Number) as number, high: 1 });
    expect(own!.unaccounted_max).toBeCloseTo(1 - Math.exp(-0.51), 6);
  });

  test("leaves the trainer side out where it is the rollout's column again", () => {
    const run = new DigitRun(vocabulary, { oneSided: true });
    run.add(batch());
    expect(run.result()).toMatchObject({ comparison: null, widest_gaps: [] });
    expect(run.result().metrics.trainer_ntl_loss).toBeNull();
  });

  test("digits without a log-prob are counted, not used", () => {
    const rollout = Float64Array.from(LOGPROBS.flat());
    rollout[0] = Number.NaN;
    const run = new DigitRun(vocabulary);
    run.add(batch({ rolloutLogprobs: rollout }));
    expect(run.result().metrics).toMatchObject({ total_digits: 5, digits_without_log_prob: 1, numbers: 3 });
  });

  test("a batch without token ids is refused", () => {
    const { responseTokenIds: _, ...rest } = batch();
    expect(() => new DigitRun(vocabulary).add(rest)).toThrow(/no response token ids/);
  });

  test("names what a batch lacks, the policy that was asked for, and the flag that gives it", () => {
    const run = (policy: "rollout" | "trainer") => new DigitRun(vocabulary, { policy });
    const without = (more: Partial<RecordBatch>) => batch(more);
    expect(() => run("rollout").add(without({ rolloutLogprobs: undefined } as object))).toThrow(
      expect.objectContaining({
        message: "there are no rollout log-probs",
        hint: "name their column: --rollout COLUMN",
        at: { file: "drawn.npz" },
      }),
    );
    expect(() => run("trainer").add(without({ trainerLogprobs: undefined } as object))).toThrow(
      expect.objectContaining({ hint: "name their column: --trainer COLUMN" }),
    );
    expect(() => run("rollout").add(without({ responseTokenIds: undefined } as object))).toThrow(
      "no response token ids",
    );
  });

  test("lists the first sequences with their answer, and whether it is right", () => {
    const run = new DigitRun(vocabulary, { sequences: 2 });
    run.add(batch(), ["712", "84", undefined]);
    expect(
      run.result().per_sequence!.map(({ truth, answer, answer_right }) => [truth, answer, answer_right]),
    ).toEqual([
      ["712", "712", true],
      ["84", "83", false],
    ]);
    const bare = new DigitRun(vocabulary, { sequences: 3 });
    bare.add(batch());
    expect(bare.result().per_sequence!.map(({ truth, answer_right }) => [truth, answer_right])).toEqual(
      Array(3).fill([null, null]),
    );
  });
});
