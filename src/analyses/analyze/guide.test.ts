import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnalyzeReport } from "../../results/analyze.ts";
import { analyzeLog } from "./analyze-log.ts";

const FIXTURES = fileURLToPath(new URL("../../../test/fixtures/analyze", import.meta.url));
const FIXTURE = join(FIXTURES, "divergence.jsonl");
const EXPECTED = process.env.ANALYZE_EXPECTED ?? join(FIXTURES, "expected.json");

/** What pandas, scipy and jq said (scripts/fixtures/analyze_logs.py). */
const { pandas, jq } = JSON.parse(readFileSync(EXPECTED, "utf8"));

const close = (value: number | null): unknown => (value === null ? null : expect.closeTo(value, 10));

describe("the usage guide's questions, answered by pandas, scipy and jq", () => {
  let report: AnalyzeReport;
  beforeAll(async () => {
    report = await analyzeLog([FIXTURE], { top: 1000 });
  });
  const tests = (id: string) => report.comparisons.find((comparison) => comparison.id === id)!;

  it("average and maximum divergence", () => {
    const { records, divergence_mean, divergence_max } = report.metrics;
    expect([records, divergence_mean, divergence_max]).toEqual([
      pandas.records,
      close(pandas.mean),
      pandas.max,
    ]);
  });

  it("most common divergent tokens", () => {
    const counts = report.common_tokens.map(({ token_text, count }) => [token_text, count]);
    expect(Object.fromEntries(counts)).toEqual(pandas.token_counts);
    expect(counts.map(([, count]) => count)).toEqual(Object.values(pandas.token_counts));
  });

  it("positions in 50 bins", () => {
    expect(report.positions!.counts).toEqual(pandas.position_counts);
    expect(report.positions!.edges).toEqual(pandas.position_edges.map(close));
  });

  it("by iteration: mean, largest, count", () => {
    const rows = report.per_iteration.map(({ iteration, mean, max, count }) => [
      String(iteration),
      [close(mean), max, count],
    ]);
    expect(pandas.by_iteration).toEqual(Object.fromEntries(rows));
    const averages = jq.by_iteration.map((row: Record<string, number>) => ({
      iteration: row.iteration,
      count: row.count,
      mean: close(row.avg_divergence!),
    }));
    expect(report.per_iteration.map(({ iteration, count, mean }) => ({ iteration, count, mean }))).toEqual(
      averages,
    );
  });

  it("correct against incorrect answers", () => {
    for (const name of ["correct", "incorrect"] as const) {
      const { mean, max, count } = report.by_correctness[name];
      expect({ mean, max, count }).toEqual({ ...pandas[name], mean: close(pandas[name].mean) });
      expect(count).toBe(jq[name]);
      expect(report.divergence_bins![name]).toEqual(pandas[`${name}_bins`]);
      const means = report.per_iteration.flatMap((row) =>
        row[`${name}_mean`] === null ? [] : [[String(row.iteration), close(row[`${name}_mean`])]],
      );
      expect(pandas[`${name}_by_iteration`]).toEqual(Object.fromEntries(means));
    }
    const [incorrect, correct] = jq.by_correctness;
    expect(report.by_correctness.correct.mean).toBeCloseTo(correct.avg_div, 10);
    expect(report.by_correctness.incorrect.max).toBe(incorrect.max_div);
    expect(report.metrics.correct_share! * 100).toBeCloseTo(pandas.correct_pct, 10);
  });

  it("digit tokens, and the tests between them", () => {
    const { digits } = report;
    expect([digits.count, digits.correct.count, digits.incorrect.count]).toEqual([
      pandas.digits,
      pandas.digits_correct,
      pandas.digits_incorrect,
    ]);
    expect([digits.correct.mean, digits.incorrect.mean, digits.ratio]).toEqual([
      close(pandas.digits_correct_mean),
      close(pandas.digits_incorrect_mean),
      close(pandas.ratio),
    ]);
    const { t, welch, mann_whitney, mean_difference_interval: interval } = tests("digits");
    expect([t.statistic, t.p_value]).toEqual(pandas.t.map(close));
    expect([welch.statistic, welch.p_value, welch.degrees_of_freedom]).toEqual(pandas.welch.map(close));
    expect([interval.low, interval.high]).toEqual(pandas.welch_interval.map(close));
    expect([mann_whitney.statistic, mann_whitney.p_value]).toEqual(pandas.mann_whitney.map(close));
    expect([report.metrics.digits_t, report.metrics.digits_t_p]).toEqual(pandas.t.map(close));
  });

  it("takes the guide's pattern for pandas as it was meant: as written it matches nothing", () => {
    expect(pandas.digits_as_the_guide_writes_it).toBe(0);
  });

  it("flip patterns of correct answers", () => {
    const counts = report.flip_types.flatMap(({ flip_type, correct }) =>
      flip_type === null || correct === 0 ? [] : [[flip_type, correct]],
    );
    expect(Object.fromEntries(counts)).toEqual(pandas.flip_patterns);
  });

  it("what is filtered for: above 0.9, most divergent, early, digits of correct answers, sure and rejected", () => {
    expect(report.metrics.above_09).toBe(jq.above_09);
    const { iteration, token_text, prob_divergence } = report.most_divergent[0]!;
    expect({ iteration, token_text, prob_divergence }).toEqual({
      iteration: jq.most_divergent.iteration,
      token_text: jq.most_divergent.token_text,
      prob_divergence: jq.most_divergent.prob_divergence,
    });
    const [early, digits, confident] = report.selections;
    const byText = (rows: readonly { token_text: string | null; prob_divergence: number }[]) =>
      rows.map((row) => `${row.token_text} ${row.prob_divergence}`).sort();
    expect(byText(early!.tokens)).toEqual(byText(jq.early));
    // jq's pattern takes neither spaces nor digits of other scripts.
    const plain = digits!.tokens.filter(({ token_text }) => /^['"]?[0-9.]+['"]?$/.test(token_text!));
    expect(plain).toHaveLength(jq.digits_correct_without_space);
    expect(confident!.count).toBe(jq.confident_correct);
    expect(report.metrics.confident_correct_count).toBe(jq.confident_correct);
  });

  it("a filter counts what the same filter in jq counts", async () => {
    const where = "is_correct and prob_divergence > 0.9 and flip_type = 'rollout_confident_actor_rejects'";
    const filtered = await analyzeLog([FIXTURE], { where });
    expect(filtered.metrics.records).toBe(jq.confident_correct);
    expect(filtered.metrics.records_read).toBe(pandas.records);
  });
});
