import { beforeAll, describe, expect, it } from "vitest";
import type { AnalyzeReport } from "../../results/analyze.ts";
import { type Line, useLines } from "./lines.test-data.ts";

const analyze = useLines();

/** Park and Miller's generator: the same logs each time. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const FLIPS = ["rollout_confident_actor_rejects", "large_disagreement"];
const TEXTS = ["'7'", "' 12'", "' the'", "'...'", "<no_tokenizer:9>"];

function drawLog(seed: number, length: number): Line[] {
  const random = makeRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  return Array.from({ length }, () => ({
    iteration: pick([1, 2, 3]),
    batch_idx: pick([0, 1, 2, 3]),
    position: Math.floor(random() * 40),
    // Steps of 0.05, so that values are equal to each other and to thresholds.
    prob_divergence: (1 + Math.floor(random() * 20)) / 20,
    is_correct: pick([true, false, undefined]),
    token_text: pick(TEXTS),
    flip_type: pick([...FLIPS, undefined]),
  }));
}

const count = (lines: readonly Line[], holds: (line: Line) => boolean): number => lines.filter(holds).length;
const mean = (lines: readonly Line[]): unknown =>
  lines.length === 0
    ? null
    : expect.closeTo(lines.reduce((sum, line) => sum + line.prob_divergence, 0) / lines.length, 12);
const largest = (lines: readonly Line[]): number | null =>
  lines.length === 0 ? null : Math.max(...lines.map((line) => line.prob_divergence));
const isDigits = ({ token_text: text }: Line): boolean => /^'[ \d.]+'$/.test(text ?? "");
const isCorrect = (line: Line): boolean => line.is_correct === true;
const isIncorrect = (line: Line): boolean => line.is_correct === false;

describe.each([11, 12, 13])("every count, share and mean of a drawn log is a plain loop's (%i)", (seed) => {
  const lines = drawLog(seed, 150);
  let report: AnalyzeReport;
  beforeAll(async () => {
    report = await analyze(lines, { top: 7 });
  });

  it("by correctness", () => {
    const { correct, incorrect, unknown } = report.by_correctness;
    const known = count(lines, (line) => line.is_correct !== undefined);
    for (const [figures, own, of] of [
      [correct, lines.filter(isCorrect), known],
      [incorrect, lines.filter(isIncorrect), known],
      [unknown, lines.filter((line) => line.is_correct === undefined), lines.length],
    ] as const) {
      const responses = new Set(own.map(({ iteration, batch_idx }) => `${iteration} ${batch_idx}`));
      expect(figures).toMatchObject({
        count: own.length,
        share: expect.closeTo(own.length / of, 12),
        mean: mean(own),
        max: largest(own),
        sequences: responses.size,
      });
    }
    expect(report.metrics).toMatchObject({
      records: lines.length,
      records_read: lines.length,
      lines_skipped: 0,
      files: 1,
      iterations: 3,
      correct_count: correct.count,
      incorrect_count: incorrect.count,
      unknown_count: unknown.count,
      correct_mean: correct.mean,
      incorrect_mean: incorrect.mean,
      correct_max: correct.max,
      incorrect_max: incorrect.max,
      correct_share: correct.share,
    });
  });

  it("by iteration, threshold and flip", () => {
    for (const row of report.per_iteration) {
      const own = lines.filter(({ iteration }) => iteration === row.iteration);
      expect(row).toEqual({
        iteration: row.iteration,
        count: own.length,
        mean: mean(own),
        max: largest(own),
        correct_count: count(own, isCorrect),
        correct_mean: mean(own.filter(isCorrect)),
        incorrect_count: count(own, isIncorrect),
        incorrect_mean: mean(own.filter(isIncorrect)),
      });
    }
    expect(report.per_iteration.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
    for (const { threshold, ...row } of report.thresholds) {
      const own = lines.filter((line) => line.prob_divergence > threshold);
      expect(row).toEqual({
        count: own.length,
        share: expect.closeTo(own.length / lines.length, 12),
        correct: count(own, isCorrect),
        incorrect: count(own, isIncorrect),
      });
    }
    expect(report.thresholds.map(({ threshold }) => threshold)).toEqual([0.5, 0.8, 0.9, 0.95, 0.99]);
    expect(report.metrics.above_09).toBe(report.thresholds[2]!.count);
    for (const { flip_type: flip, ...row } of report.flip_types) {
      const own = lines.filter((line) => (line.flip_type ?? null) === flip);
      const [correct, incorrect] = [count(own, isCorrect), count(own, isIncorrect)];
      expect(row).toEqual({
        count: own.length,
        correct,
        incorrect,
        unknown: own.length - correct - incorrect,
      });
    }
    // The largest first, what has no name last.
    const named = report.flip_types.filter(({ flip_type }) => flip_type !== null);
    expect(named.map(({ count: n }) => n)).toEqual(named.map(({ count: n }) => n).sort((a, b) => b - a));
    expect(report.flip_types.at(-1)!.flip_type).toBeNull();
  });

  it("of digits", () => {
    const digits = lines.filter(isDigits);
    const [correct, incorrect] = [digits.filter(isCorrect), digits.filter(isIncorrect)];
    const texts = lines.filter(({ token_text }) => !token_text!.startsWith("<"));
    expect(report.digits).toMatchObject({
      count: digits.length,
      dots_only: count(digits, ({ token_text }) => token_text === "'...'"),
      unknown_count: digits.length - correct.length - incorrect.length,
      share: expect.closeTo(digits.length / texts.length, 12),
      texts_unknown: lines.length - texts.length,
      correct_texts: count(texts, isCorrect),
      mean: mean(digits),
      not_digits_mean: mean(texts.filter((line) => !isDigits(line))),
      ratio_limit: expect.closeTo(
        Math.max(...lines.map((line) => line.prob_divergence)) /
          Math.min(...lines.map((line) => line.prob_divergence)),
        12,
      ),
    });
    expect(report.digits.correct).toMatchObject({
      count: correct.length,
      mean: mean(correct),
      share: expect.closeTo(correct.length / (correct.length + incorrect.length), 12),
    });
    expect(report.digits.ratio).toBeCloseTo(report.digits.correct.mean! / report.digits.incorrect.mean!, 12);
    const { digits_sequences, not_digits } = Object.fromEntries(
      report.comparisons.map((one) => [one.id, one]),
    );
    const responses = (own: readonly Line[]) =>
      new Set(own.map((line) => `${line.iteration} ${line.batch_idx} ${line.is_correct}`)).size;
    expect([digits_sequences!.a.count, digits_sequences!.b.count]).toEqual([
      responses(correct),
      responses(incorrect),
    ]);
    expect([not_digits!.a.count, not_digits!.b.count]).toEqual([texts.length - digits.length, digits.length]);
    const share = report.shares.correct_digits;
    expect(share).toMatchObject({
      count: count(texts, isCorrect),
      share: expect.closeTo(correct.length / count(texts, isCorrect), 12),
      baseline: expect.closeTo(incorrect.length / count(texts, isIncorrect), 12),
      baseline_from: "incorrect",
    });
  });

  it("in bins: each record is in one, the largest in the last", () => {
    const place = (values: readonly number[], edges: readonly number[]) => {
      const counts = Array.from({ length: edges.length - 1 }, () => 0);
      for (const value of values) {
        const above = edges.findIndex((edge) => value < edge);
        counts[above < 0 ? edges.length - 2 : above - 1]!++;
      }
      return counts;
    };
    const { edges, counts } = report.positions!;
    expect([edges.length, counts.length]).toEqual([51, 50]);
    const positions = lines.map(({ position }) => position!);
    expect([edges[0], edges.at(-1)]).toEqual([Math.min(...positions), Math.max(...positions)]);
    expect(counts).toEqual(place(positions, edges));
    const bins = report.divergence_bins!;
    expect(bins.edges).toHaveLength(31);
    const divergences = (holds: (line: Line) => boolean) =>
      lines.filter(holds).map(({ prob_divergence }) => prob_divergence);
    expect(bins.correct).toEqual(place(divergences(isCorrect), bins.edges));
    expect(bins.incorrect).toEqual(place(divergences(isIncorrect), bins.edges));
    expect(bins.unknown).toEqual(
      place(
        divergences((line) => line.is_correct === undefined),
        bins.edges,
      ),
    );
  });

  it("of the tokens that are listed, as many as are wanted", () => {
    const ranked = lines
      .map((line, at) => ({ ...line, line: at + 1 }))
      .sort((a, b) => b.prob_divergence - a.prob_divergence || b.line - a.line);
    const isListed = (holds: (line: Line) => boolean) =>
      ranked
        .filter(holds)
        .slice(0, 7)
        .map(({ line }) => line);
    expect(report.most_divergent.map(({ line }) => line)).toEqual(isListed(() => true));
    const [early, digits, confident] = report.selections;
    for (const [selection, holds] of [
      [early!, ({ position }: Line) => position! < 10],
      [digits!, (line: Line) => isCorrect(line) && isDigits(line) && line.prob_divergence > 0.8],
      [
        confident!,
        (line: Line) => isCorrect(line) && line.prob_divergence > 0.9 && line.flip_type === FLIPS[0],
      ],
    ] as const) {
      expect(selection.count).toBe(count(lines, holds));
      expect(selection.tokens.map(({ line }) => line)).toEqual(isListed(holds));
    }
    expect(report.metrics.early_count).toBe(early!.count);
    expect(report.metrics.confident_correct_count).toBe(confident!.count);
    expect(report.common_tokens.map(({ token_text, count: n }) => [token_text, n])).toEqual(
      TEXTS.map((text) => [text, count(lines, ({ token_text }) => token_text === text)] as const).sort(
        (a, b) => b[1] - a[1],
      ),
    );
  });
});
