import { describe, expect, it } from "vitest";
import { FEWEST_SEQUENCES, FEWEST_TOKENS } from "../../core/statistics/enough.ts";
import type { LeftOut, MismatchMetrics } from "../../results/report.ts";
import { judge, soundMetrics } from "./verdict.test-data.ts";

const makeMetrics = (tokens: number, sequences: number, more: Partial<MismatchMetrics> = {}) =>
  soundMetrics({ tokens, sequences, ...more });

const lost = (count: number, more: Partial<LeftOut> = {}): LeftOut => ({
  what: `${count} lost`,
  count,
  unit: "token",
  why: "incomparable",
  severity: "warning",
  ...more,
});

describe("judgeRun", () => {
  it("withholds the word below either minimum, and gives it from there", () => {
    const level = (tokens: number, sequences: number) => judge(makeMetrics(tokens, sequences)).level;
    expect(level(FEWEST_TOKENS, FEWEST_SEQUENCES)).toBe("normal");
    expect(level(FEWEST_TOKENS - 1, FEWEST_SEQUENCES)).toBe("too_few");
    expect(level(5 * FEWEST_TOKENS, 1)).toBe("too_few");
  });

  it("calls few tokens broken by their median, also where the readings are milder", () => {
    const few = { delta_abs_p50: 0.35, delta_abs_mean: 0.25, k3: 0.05, ess: 0.95 };
    expect(judge(makeMetrics(100, 4, few))).toMatchObject({
      level: "broken",
      level_range: ["broken", "broken"],
      headline: expect.stringMatching(/^these are hardly the same policy/),
    });
    expect(judge(makeMetrics(100, 4, { ...few, delta_abs_p50: 0.25 })).level).toBe("too_few");
  });

  it("tells the dropped share in the first line", () => {
    const { level, headline, readings } = judge(makeMetrics(1, 1), { leftOut: [lost(29)], files: 2 });
    expect(level).toBe("too_few");
    expect(headline).toBe(
      "29 of 30 tokens (96.7 %) left out; of the rest: 1 token of 1 sequence; a verdict needs at least 1,000 tokens and 8 sequences",
    );
    expect(readings).not.toEqual([]);
    expect(judge(makeMetrics(5000, 50), { leftOut: [lost(5000)], files: 1 }).headline).toBe(
      "kernels and precision explain the mismatch; 5,000 of 10,000 tokens (50.0 %) left out",
    );
    expect(judge(makeMetrics(2000, 50), { leftOut: [lost(999_000)], files: 1 }).headline).toContain(
      "(99.8 %)",
    );
  });

  it("says nothing of what is small, counted elsewhere, empty, or left out by request", () => {
    const others = [
      lost(100),
      lost(9e5, { why: "repeated" }),
      lost(9e5, { why: "requested" }),
      lost(9, { why: "no_data", unit: "file" }),
    ];
    expect(judge(makeMetrics(5000, 50), { leftOut: others, files: 1 }).headline).not.toContain("left out");
    const files = [lost(3, { unit: "file", why: "unreadable", severity: "skipped" })];
    expect(judge(makeMetrics(5000, 50), { leftOut: files, files: 3 }).headline).toContain(
      "3 of 6 files (50.0 %) left out",
    );
  });

  it("says broken from few tokens where luck cannot explain it, and not for one extreme token", () => {
    const few = (more: Partial<MismatchMetrics>, tokens = 30) =>
      judge(makeMetrics(tokens, 1, { pearson: 0.1, ...more })).level;
    expect(few({ delta_abs_p50: 5, delta_abs_mean: 5 })).toBe("broken");
    expect(few({ delta_abs_p50: 1e-3, delta_abs_mean: 0.4 })).toBe("too_few");
    expect(few({ delta_abs_p50: 5, delta_abs_mean: 5 }, 29)).toBe("too_few");
  });

  it("says what equal numbers may also be", () => {
    const equal = { delta_abs_max: 0, delta_abs_mean: 0 };
    expect(judge(makeMetrics(5000, 50, equal))).toMatchObject({
      level: "none",
      headline: expect.stringContaining("or one column was written as both"),
    });
    expect(judge(makeMetrics(30, 1, equal))).toMatchObject({
      level: "too_few",
      headline: expect.stringContaining("all of them equal bit for bit"),
    });
  });

  it("says the milder level, and what it may be, where the interval leaves it open", () => {
    const metrics = makeMetrics(5000, 50, { k3: 1.2e-3 });
    expect(judge(metrics, { ranges: { k3: { low: 1.1e-3, high: 1.4e-3 } } })).toMatchObject({
      level: "elevated",
      level_range: ["elevated", "elevated"],
      headline: "larger than kernels and precision explain (k3)",
    });
    const open = judge(metrics, { ranges: { k3: { low: 5e-4, high: 2.5e-2 } } });
    expect(open).toMatchObject({
      level: "normal",
      level_range: ["normal", "high"],
      headline: "kernels and precision explain the mismatch; may be high (k3): more prompts would tell",
    });
    expect(open.readings.find(({ metric }) => metric === "k3")).toMatchObject({
      level: "elevated",
      level_range: ["normal", "high"],
    });
    const both = makeMetrics(5000, 50, { k3: 1.2e-3, delta_abs_mean: 0.05 });
    expect(judge(both, { ranges: { k3: { low: 5e-4, high: 2.5e-2 } } }).headline).toBe(
      "larger than kernels and precision explain (mean |Δ|); may be high (k3): more prompts would tell",
    );
    // Of ESS the low end is the worse one.
    expect(
      judge(makeMetrics(5000, 50, { ess: 0.92 }), { ranges: { ess: { low: 0.85, high: 0.96 } } }),
    ).toMatchObject({
      level: "normal",
      level_range: ["normal", "elevated"],
    });
    // What another figure settles is settled.
    expect(judge(both, { ranges: { k3: { low: 5e-4, high: 1.5e-3 } } })).toMatchObject({
      level_range: ["elevated", "elevated"],
      headline: "larger than kernels and precision explain (mean |Δ|)",
    });
  });

  it("takes the largest |Δp| for no sign, and a rate beyond one half by its lower bound", () => {
    const levels = (value: number, low: number, high: number) =>
      judge(makeMetrics(5000, 50, { prob_diff_max: 0.99 }), {
        metrics: { ...makeMetrics(5000, 50, { prob_diff_max: 0.99 }), prob_diff_above_half: value },
        ranges: { prob_diff_above_half: { low, high } },
      });
    expect(levels(2e-4, 5e-6, 1e-3).level_range).toEqual(["normal", "normal"]);
    expect(levels(2e-4, 2e-5, 1e-3)).toMatchObject({
      level_range: ["elevated", "elevated"],
      headline: expect.stringContaining("(|Δp| > ½)"),
    });
    expect(levels(0.02, 2e-3, 0.1).level).toBe("high");
  });
});
