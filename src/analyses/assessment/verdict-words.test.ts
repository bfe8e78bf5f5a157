import { describe, expect, it } from "vitest";
import type { StepSegment } from "../../results/assessment.ts";
import type { LeftOut, MismatchMetrics, ReadingLevel, Verdict } from "../../results/report.ts";
import { judge, soundMetrics } from "./verdict.test-data.ts";

describe("the sentence of each level", () => {
  it("says what it means, and which figures are to blame", () => {
    const cases: [Partial<MismatchMetrics>, Verdict["level"], RegExp][] = [
      [{ delta_abs_max: 0 }, "none", /^rollout and trainer log-probs are identical/],
      [{}, "normal", /^kernels and precision explain the mismatch$/],
      [{ prob_diff_mean: 0.006 }, "elevated", /^larger than kernels and precision explain \(mean \|Δp\|\)$/],
      [{ pearson: 0.9 }, "high", /^large enough to bias the updates: .*cause \(Pearson\)$/],
      [{ ess: 0.01 }, "broken", /^these are hardly the same policy: first check for misaligned .* \(ESS\)$/],
    ];
    for (const [figures, level, headline] of cases) {
      const verdict = judge(soundMetrics(figures));
      expect(verdict.level).toBe(level);
      expect(verdict.level_range).toEqual([level, level]);
      expect(verdict.headline).toMatch(headline);
    }
  });

  it("blames the figures of the worst level alone, all of them", () => {
    const { headline } = judge(soundMetrics({ k3: 0.05, delta_abs_mean: 0.2, prob_diff_mean: 0.006 }));
    expect(headline).toMatch(/\(k3, mean \|Δ\|\)$/);
  });

  it("is about the run, not the interval's milder end, where nothing is left open", () => {
    const { headline } = judge(soundMetrics({ k3: 0.05 }), { ranges: { k3: { low: 0.03, high: 0.09 } } });
    expect(headline).toMatch(/^large enough to bias the updates.* \(k3\)$/);
  });
});

describe("too few to say", () => {
  it("starts at a thousand tokens and eight sequences, and says both", () => {
    const level = (tokens: number, sequences: number): string =>
      judge(soundMetrics({ tokens, sequences })).level;
    expect([level(999, 50), level(1000, 50), level(5000, 7), level(5000, 8)]).toEqual([
      "too_few",
      "normal",
      "too_few",
      "normal",
    ]);
    const { level_range, headline } = judge(soundMetrics({ tokens: 999, sequences: 1 }));
    expect(level_range).toEqual(["too_few", "too_few"]);
    expect(headline).toBe("999 tokens of 1 sequence; a verdict needs at least 1,000 tokens and 8 sequences");
  });

  it("has nothing to compare without a token", () => {
    const { level, headline } = judge(soundMetrics({ tokens: 0, sequences: 0 }), { fault: "constant" });
    expect(level).toBe("too_few");
    expect(headline).toBe("no token has both log-probs, so nothing can be compared");
  });

  it("says broken all the same where the median of thirty tokens is above 0.3 nats", () => {
    const level = (tokens: number, delta_abs_p50: number): string =>
      judge(soundMetrics({ tokens, sequences: 1, delta_abs_p50, delta_abs_mean: 5 })).level;
    expect([level(29, 0.4), level(30, 0.3), level(30, 0.301), level(999, 0.301)]).toEqual([
      "too_few",
      "too_few",
      "broken",
      "broken",
    ]);
    const { level_range, headline } = judge(
      soundMetrics({ tokens: 30, sequences: 1, delta_abs_p50: 0.4, delta_abs_mean: 0.4 }),
    );
    expect(level_range).toEqual(["broken", "broken"]);
    expect(headline).toMatch(/^these are hardly the same policy.*\(mean \|Δ\|\)$/);
  });

  it("asks the mean of a run that is long enough, not the median", () => {
    expect(judge(soundMetrics({ delta_abs_p50: 0.4, delta_abs_mean: 0.05 })).level).toBe("elevated");
  });
});

it("says the fault of numbers that are no log-probs, and calls the run broken", () => {
  const verdict = judge(soundMetrics(), { fault: "every trainer log-prob is 0" });
  expect(verdict).toMatchObject({
    level: "broken",
    level_range: ["broken", "broken"],
    headline: "every trainer log-prob is 0",
  });
});

describe("levels that are left open", () => {
  it("names the figures that may be worse, not those that are settled", () => {
    const { level, level_range, headline } = judge(
      soundMetrics({ delta_abs_mean: 0.05, k3: 0.015, ess: 0.95 }),
      {
        ranges: { k3: { low: 0.0005, high: 0.5 }, ess: { low: 0.93, high: 0.97 } },
      },
    );
    expect(level).toBe("elevated");
    expect(level_range).toEqual(["elevated", "broken"]);
    expect(headline).toBe(
      "larger than kernels and precision explain (mean |Δ|); may be broken (k3): more prompts would tell",
    );
  });

  it("tell a large share left out as well", () => {
    const { headline } = judge(soundMetrics(), {
      ranges: { k3: { low: 0, high: 0.5 } },
      leftOut: [{ what: "", count: 5000, unit: "token", why: "unreadable", severity: "warning" }],
    });
    expect(headline).toMatch(/more prompts would tell; 5,000 of 10,000 tokens \(50\.0 %\) left out$/);
  });
});

describe("segments of the run", () => {
  const segment = (level: ReadingLevel, from: number, to: number): StepSegment => ({
    from_step: from,
    to_step: to,
    steps: to - from + 1,
    steps_at_level: to - from + 1,
    tokens: 5000,
    delta_abs_mean: level === "normal" ? 0.001 : 0.2,
    k3: 1e-5,
    level,
  });
  const judgeSegments = (segments: readonly StepSegment[], of: Partial<MismatchMetrics> = {}) =>
    judge(soundMetrics(of), { segmentation: { segments, steps_skipped: 0, false_alarm_rate: 0.05 } });

  it("give the run the worst of their levels, which the pooled figures hide, and say when", () => {
    const { level, level_range, headline } = judgeSegments([segment("high", 1, 3), segment("normal", 4, 90)]);
    expect([level, ...level_range]).toEqual(["high", "high", "high"]);
    expect(headline).toMatch(/^in steps 1–3; normal since step 4: large enough to bias/);
  });

  it("say in which steps without a jump, and nothing of ones that do not agree", () => {
    const of = { delta_abs_mean: 0.05 };
    expect(judgeSegments([segment("normal", 1, 9)]).headline).toBe(
      "kernels and precision explain the mismatch, in every step",
    );
    const mixed = { ...segment("elevated", 1, 9), steps_at_level: 5 };
    expect(judgeSegments([mixed], of).headline).toMatch(/precision explain \(mean \|Δ\|\)$/);
    expect(judgeSegments([segment("normal", 1, 9)], of).headline).toMatch(
      /precision explain \(mean \|Δ\|\)$/,
    );
  });

  it("come before what is open", () => {
    const { headline } = judge(soundMetrics({ delta_abs_mean: 0.05 }), {
      ranges: { k3: { low: 0, high: 0.05 } },
      segmentation: { segments: [segment("elevated", 1, 9)], steps_skipped: 0, false_alarm_rate: 0.05 },
    });
    expect(headline).toMatch(/\(mean \|Δ\|\), in every step; may be high \(k3\): more prompts would tell$/);
  });
});

describe("what was left out", () => {
  const lost = (count: number, unit: LeftOut["unit"] = "token"): LeftOut => ({
    what: "",
    count,
    unit,
    why: "unreadable",
    severity: "warning",
  });
  const headline = (leftOut: readonly LeftOut[], more: Partial<MismatchMetrics> = {}): string =>
    judge(soundMetrics(more), { leftOut, files: 9 }).headline;

  it("is told from a tenth on", () => {
    expect(headline([lost(110)], { tokens: 1000 })).not.toContain("left out");
    expect(headline([lost(111)], { tokens: 1000 })).not.toContain("left out");
    expect(headline([lost(500)], { tokens: 4500 })).toMatch(/; 500 of 5,000 tokens \(10\.0 %\) left out$/);
    expect(headline([lost(1, "file")])).toMatch(/; 1 of 10 files \(10\.0 %\) left out$/);
  });

  it("is the largest share of what was lost, whatever its unit", () => {
    expect(headline([lost(1000), lost(9, "file"), lost(10, "sequence")])).toMatch(
      /; 9 of 18 files \(50\.0 %\) left out$/,
    );
    expect(headline([lost(1000), lost(1, "file"), lost(450, "sequence")])).toMatch(
      /^450 of 500 sequences \(90\.0 %\) left out; of the rest: kernels and precision explain the mismatch/,
    );
  });
});
