import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { DigitRun } from "../../analyses/digits/digit-run.ts";
import { makeSpan, vocabulary } from "../../analyses/digits/text-vocabulary.test-data.ts";
import type { DigitsReport, DigitTruth } from "../../results/digits.ts";
import { headlines, inputParts, placeName } from "./content.ts";

/** One response, `12 = 7`, in which the rollout gave each token `rollout` and the trainer 0.5 nats less. */
function drawReport(rollout = Math.log(0.8)): DigitsReport {
  const summary = new DigitRun(vocabulary, { truthSource: "answers" });
  const texts = ["1", "2", "x", "####", " 7"];
  const { ids } = makeSpan(...texts);
  const deltas = texts.map(() => "-0.5").join(" ");
  summary.add(recordBatch([{ deltas, tokenIds: Array.from(ids), correct: 1, rollout }]), ["7"]);
  return {
    schemaVersion: 1,
    kind: "digits",
    run: "drawn",
    vocabulary: {
      tokenizer: null,
      bare: [],
      spaced: [],
      multi_digit_entries: 0,
      longest_entry: 1,
      token_texts: false,
    },
    ...summary.result(),
    findings: [],
    sources: [],
  };
}

const REPORT = drawReport();
const said = (more: Partial<DigitsReport> = {}): string => headlines({ ...REPORT, ...more }).join("\n");
const metrics = (more: Partial<DigitsReport["metrics"]>): Partial<DigitsReport> => ({
  metrics: { ...REPORT.metrics, ...more },
});
const truth = (more: Partial<DigitTruth>): Partial<DigitsReport> => ({
  truth: { ...(REPORT.truth as DigitTruth), ...more },
});

describe("headlines of a digits report", () => {
  it("say how sure the rollout policy was, and then the trainer", () => {
    expect(said()).toMatch(
      /^Proxy NTL 0\.223 nats: the rollout policy gave its digits a probability of 0\.8\d* \(geometric mean\), the trainer policy 0\.485 \(0\.723 nats\)\./,
    );
    expect(said(metrics({ trainer_ntl_loss: null }))).not.toContain("trainer policy");
    expect(said(metrics({ ntl_loss: null }))).not.toContain("Proxy NTL");
  });

  it("say how far digits and other tokens are apart, each by its own figure", () => {
    const comparison = REPORT.comparison!;
    const apart = {
      comparison: {
        ...comparison,
        digits: { ...comparison.digits, delta_abs_mean: 0.125, delta_abs_max: 2.25 },
        others: { ...comparison.others, delta_abs_mean: 0.375 },
      },
    };
    expect(said(apart)).toMatch(/\|Δ\| 0\.125 on digits, 0\.375 on other tokens; at most 2\.25 on a digit\./);
  });

  it("say right before wrong", () => {
    const of = (avg_digit_log_prob: number) => ({
      ...REPORT.right_sequences!,
      avg_digit_log_prob,
    });
    expect(said({ right_sequences: of(Math.log(0.875)), wrong_sequences: of(Math.log(0.625)) })).toMatch(
      /Digits of correct and incorrect sequences: 0\.875 and 0\.625\./,
    );
    expect(said({ right_sequences: of(-1), wrong_sequences: null })).not.toContain("Right and wrong");
  });

  it("say what is left out of the digit figures, one or several", () => {
    expect(said(metrics({ multi_digit_tokens: 1 }))).toMatch(/^1 multi-digit token .* is part of numbers/m);
    expect(said(metrics({ multi_digit_tokens: 3 }))).toMatch(/^3 multi-digit tokens .* are part of numbers/m);
    expect(said(metrics({ multi_digit_tokens: 0 }))).not.toContain("multi-digit");
    expect(said(metrics({ digits_without_log_prob: 2 }))).toContain(
      "2 digit tokens without a log-prob left out.",
    );
    expect(said(metrics({ digits_without_log_prob: 0 }))).not.toContain("without a log-prob");
  });

  it("say how many answers are right, by how much others are off, and what was not compared", () => {
    const compared = truth({
      numbers: 4,
      numbers_right: 3,
      number_accuracy: 0.75,
      digit_accuracy: 0.9,
      distance_wrong_median: 12,
      truth_not_a_number: 2,
      without_answer: 1,
    });
    expect(said(compared)).toMatch(
      /^Against answers: 3 of 4 answers right \(75(\.0)? %\), 90(\.0)? % of their digits; wrong ones are off by 12\S* \(median\); not compared: 2 without a single number as truth, 1 without a number in the response\.$/m,
    );
    expect(said()).toMatch(/^Against answers: 1 of 1 answer right/m);
    expect(said()).not.toMatch(/off by|not compared/);
    expect(said({ truth: null } as unknown as Partial<DigitsReport>)).not.toContain("Against");
  });

  it("say how sure right and wrong digits are, and when the data judge otherwise", () => {
    const given = REPORT.truth as DigitTruth;
    const both = truth({
      right_digits: { ...given.right_digits, confidence: 0.875 },
      wrong_digits: { ...given.wrong_digits, confidence: 0.625 },
      disagrees_with_correctness: 2,
    });
    expect(said(both)).toMatch(/mean probability 0\.875 where right, 0\.625 where wrong; calibration error/);
    expect(said(both)).toContain("2 answers contradicting the correctness in the data");
    expect(said(truth({ disagrees_with_correctness: 0 }))).not.toContain("contradicting");
  });

  it("say what rewards would be", () => {
    const rewards = { ...REPORT.rewards!, confidence_mean: 0.625, bonus_share: 0.25 };
    expect(said({ rewards })).toMatch(
      /confidence factor would be 0\.625 .*, and 25(\.0)? % of the sequences/,
    );
  });
});

it("names what digits were found by, and the places of a number", () => {
  expect(inputParts(REPORT).at(-1)).toBe("digits by the ids given");
  expect(inputParts(REPORT).slice(0, 2)).toEqual(["1 sequence", "5 tokens"]);
  const tokenizer = { ...REPORT, vocabulary: { ...REPORT.vocabulary, tokenizer: "model/" } };
  expect(inputParts(tokenizer).at(-1)).toBe("tokenizer model/");
  expect([0, 1, 2, 3, 4, -1].map(placeName)).toEqual([
    "units",
    "tens",
    "hundreds",
    "thousands",
    "10^4",
    "10^-1",
  ]);
});
