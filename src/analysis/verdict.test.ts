import { describe, expect, it } from "vitest";
import { sampleMetrics } from "../../test/report/sample-report.ts";
import type { LeftOut, MismatchMetrics } from "../protocol/report.ts";
import { FEWEST_SEQUENCES, FEWEST_TOKENS } from "./enough.ts";
import { verdictOf } from "./verdict.ts";

/** Figures of a sound run. */
function metricsOf(tokens: number, sequences: number, more: Partial<MismatchMetrics> = {}): MismatchMetrics {
  return {
    ...sampleMetrics(1, tokens),
    tokens,
    sequences,
    delta_abs_mean: 0.005,
    delta_abs_max: 0.09,
    delta_abs_p50: 1e-4,
    k3: 1e-5,
    prob_diff_mean: 1e-3,
    prob_diff_max: 0.05,
    pearson: 0.9999,
    ess: 0.9999,
    ...more,
  };
}

const lost = (count: number, more: Partial<LeftOut> = {}): LeftOut => ({
  what: `${count} lost`,
  count,
  unit: "token",
  why: "incomparable",
  severity: "warning",
  ...more,
});

describe("verdictOf", () => {
  it("withholds the word below either minimum, and gives it from there", () => {
    const level = (tokens: number, sequences: number) =>
      verdictOf(metricsOf(tokens, sequences), [], [], 1).level;
    expect(level(FEWEST_TOKENS, FEWEST_SEQUENCES)).toBe("normal");
    expect(level(FEWEST_TOKENS - 1, FEWEST_SEQUENCES)).toBe("too_few");
    expect(level(5 * FEWEST_TOKENS, 1)).toBe("too_few");
  });

  it("tells the dropped share in the first line", () => {
    const { level, headline, readings } = verdictOf(metricsOf(1, 1), [], [lost(29)], 2);
    expect(level).toBe("too_few");
    expect(headline).toBe(
      "1 token of 1 sequence; a verdict needs at least 1,000 tokens and 8 sequences; 29 of 30 tokens (97 %) left out",
    );
    expect(readings).not.toEqual([]);
    expect(verdictOf(metricsOf(5000, 50), [], [lost(5000)], 1).headline).toBe(
      "the mismatch is what kernels and precision explain; 5,000 of 10,000 tokens (50 %) left out",
    );
    expect(verdictOf(metricsOf(2000, 50), [], [lost(999_000)], 1).headline).toContain("(over 99 %)");
  });

  it("says nothing of what is small, counted elsewhere, empty, or left out by request", () => {
    const others = [
      lost(100),
      lost(9e5, { why: "repeated" }),
      lost(9e5, { why: "requested" }),
      lost(9, { why: "no_data", unit: "file" }),
    ];
    expect(verdictOf(metricsOf(5000, 50), [], others, 1).headline).not.toContain("left out");
    const files = [lost(3, { unit: "file", why: "unreadable", severity: "skipped" })];
    expect(verdictOf(metricsOf(5000, 50), [], files, 3).headline).toContain("3 of 6 files (50 %) left out");
  });

  it("says broken from few tokens where luck cannot explain it, and not for one extreme token", () => {
    const few = (more: Partial<MismatchMetrics>, tokens = 30) =>
      verdictOf(metricsOf(tokens, 1, { pearson: 0.1, ...more }), [], [], 1).level;
    expect(few({ delta_abs_p50: 5, delta_abs_mean: 5 })).toBe("broken");
    expect(few({ delta_abs_p50: 1e-3, delta_abs_mean: 0.4 })).toBe("too_few");
    expect(few({ delta_abs_p50: 5, delta_abs_mean: 5 }, 29)).toBe("too_few");
  });

  it("says what equal numbers may also be", () => {
    const equal = { delta_abs_max: 0, delta_abs_mean: 0 };
    expect(verdictOf(metricsOf(5000, 50, equal), [], [], 1)).toMatchObject({
      level: "none",
      headline: expect.stringContaining("or one column written as both"),
    });
    expect(verdictOf(metricsOf(30, 1, equal), [], [], 1)).toMatchObject({
      level: "too_few",
      headline: expect.stringContaining("all of them equal bit for bit"),
    });
  });

  it("calls no step worse from a handful of tokens", () => {
    const step = (tokens: number, sequences: number) => ({
      ...metricsOf(tokens, sequences, { delta_abs_mean: 0.2 }),
      step: 7,
      entropy: null,
      response_tokens: null,
      reward: null,
      accuracy: null,
    });
    const headline = (tokens: number, sequences: number) =>
      verdictOf(metricsOf(9000, 90), [step(tokens, sequences), step(1, 1)], [], 1).headline;
    expect(headline(2000, 20)).toContain("step 7 is worse (high)");
    expect(headline(200, 2)).not.toContain("worse");
  });
});
