import { describe, expect, it } from "vitest";
import type { AnalyzeOptions } from "./analyze-log.ts";
import { type Line, useLines } from "./lines.test-data.ts";

const analyze = useLines();

describe("what a log does not have", () => {
  const plain = (more: Partial<Line> = {}): Line => ({
    iteration: 1,
    batch_idx: 0,
    position: 3,
    prob_divergence: 0.9,
    is_correct: true,
    token_text: "'7'",
    flip_type: "x",
    prompt_text: "'p'",
    ...more,
  });

  it.each([
    ["is_correct", "correct and incorrect answers are not distinguished"],
    ["flip_type", "no flip patterns; older logs lack it"],
    ["iteration", "no figures over iterations, and responses are not identified"],
    ["batch_idx", "responses are not identified"],
    ["prompt_text", "prompts are unknown, so intervals and tests treat responses as independent"],
    ["position", "no positions"],
    ["token_text", "no token texts and no digit tokens"],
  ])("no %s is told with what follows, and alone", async (field, effect) => {
    const { absent } = await analyze([plain({ [field]: undefined })]);
    expect(absent).toEqual([`no ${field} in the log: ${effect}`]);
    expect((await analyze([plain()])).absent).toEqual([]);
  });

  it("texts of some tokens, or of all", async () => {
    const told = async (texts: readonly string[]) =>
      (await analyze(texts.map((token_text) => plain({ token_text })))).absent;
    const why = "it was logged without a tokenizer, and may be a digit";
    expect(await told(["'7'", "<no_tokenizer:7>"])).toEqual([
      `no text of the token in 1 of 2 records: ${why}`,
    ]);
    expect(await told(["<no_tokenizer:7>"])).toEqual([`no text of the token in every record: ${why}`]);
  });

  it("any record that the filter lets through", async () => {
    const report = await analyze([plain()], { where: "position > 5" });
    expect(report.absent[0]).toBe("no record passes the filter");
    expect(report).toMatchObject({
      where: "position > 5",
      metrics: { records: 0, records_read: 1, divergence_mean: null },
      positions: null,
      divergence_bins: null,
      common_tokens: [],
      thresholds: expect.arrayContaining([{ threshold: 0.9, count: 0, share: 0, correct: 0, incorrect: 0 }]),
      shares: {
        correct: { count: 0, share: null, baseline: null, baseline_from: null, by: null, clusters: 0 },
        correct_digits: { count: 0, share: null, baseline: null, baseline_from: null },
      },
      by_correctness: { correct: { count: 0, share: null, sequences: null } },
    });
  });

  it("one side of a comparison, or both: it names the side", async () => {
    const why = async (lines: readonly Line[]) =>
      Object.fromEntries((await analyze(lines)).comparisons.map(({ id, absent }) => [id, absent]));
    const right = [plain(), plain({ batch_idx: 1 })];
    const wrong = [plain({ is_correct: false, batch_idx: 2 }), plain({ is_correct: false, batch_idx: 3 })];
    expect(await why(right)).toEqual({
      digits: "no token is of digits in an incorrect answer",
      digits_sequences: "no response that the log identifies is of digits in an incorrect answer",
      correctness: "no token is in an incorrect answer",
      correctness_sequences: "no response that the log identifies is in an incorrect answer",
      not_digits: "no token is other than digits",
    });
    expect((await why(wrong)).correctness).toBe("no token is in a correct answer");
    expect((await why([plain({ is_correct: undefined })])).correctness).toBe(
      "no token is in a correct answer or in an incorrect answer",
    );
    expect((await why([...right, ...wrong])).correctness).toBeNull();
    const few = "a test of means needs at least two values on each side";
    expect((await why([...right, wrong[0]!])).correctness).toBe(few);
    expect((await why([right[0]!, ...wrong])).correctness).toBe(few);
  });

  it("digits on both sides: there is no ratio", async () => {
    const ratio = async (...divergences: readonly [correct: number | null, incorrect: number | null]) => {
      const lines = divergences.flatMap((prob_divergence, side) =>
        prob_divergence === null ? [] : [plain({ prob_divergence, is_correct: side === 0 })],
      );
      return (await analyze(lines)).digits.ratio;
    };
    expect(await ratio(0.9, 0.6)).toBeCloseTo(1.5, 12);
    expect([await ratio(0.9, null), await ratio(null, 0.9), await ratio(0.9, 0)]).toEqual([null, null, null]);
  });

  it("the place of some records: responses are not counted", async () => {
    const sequences = async (...more: Partial<Line>[]) =>
      (await analyze([plain(), ...more.map(plain)])).metrics.sequences;
    expect(await sequences({ batch_idx: 1 }, {})).toBe(2);
    expect(await sequences({ batch_idx: undefined })).toBeNull();
    expect(await sequences({ iteration: undefined })).toBeNull();
  });

  it("an accuracy, unless all records have one and nothing is chosen by correctness", async () => {
    const from = async (second: Partial<Line>, options: AnalyzeOptions = {}) => {
      const lines = [plain({ iteration_accuracy: 0.5 }), plain({ batch_idx: 1, ...second })];
      const { baseline, baseline_from } = (await analyze(lines, options)).shares.correct;
      return [baseline, baseline_from];
    };
    expect(await from({ iteration_accuracy: 0.7 })).toEqual([expect.closeTo(0.6, 12), "responses"]);
    expect(await from({})).toEqual([null, null]);
    expect(await from({}, { accuracy: 0 })).toEqual([0, "given"]);
    expect(await from({}, { accuracy: 1 })).toEqual([1, "given"]);
    for (const where of ["is_correct", "Total_Score is null"])
      expect(await from({}, { accuracy: 0.5, where })).toEqual([null, null]);
    expect(await from({}, { accuracy: 0.5, where: "position = 3" })).toEqual([0.5, "given"]);
    for (const accuracy of [-0.1, 1.1, Number.NaN])
      await expect(from({}, { accuracy })).rejects.toMatchObject({ _tag: "UsageError" });
  });
});

describe("a figure of one value", () => {
  it("is in the middle of bins that are one wide in all, as numpy has it", async () => {
    const { positions, divergence_bins: bins } = await analyze([
      { prob_divergence: 0.5, position: 4, is_correct: true },
      { prob_divergence: 0.5, position: 4 },
    ]);
    expect([positions!.edges[0], positions!.edges.at(-1)]).toEqual([3.5, 4.5]);
    expect(positions!.counts[25]).toBe(2);
    expect([bins!.correct[15], bins!.incorrect[15], bins!.unknown[15]]).toEqual([1, 0, 1]);
  });
});
