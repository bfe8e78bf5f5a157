import { describe, expect, it } from "vitest";
import type { StepSegment } from "../../results/assessment.ts";
import type { MismatchReport, ReadingLevel, VerdictLevel } from "../../results/report.ts";
import { wordNow } from "./word-now.ts";

function segment(
  from_step: number,
  to_step: number,
  level: ReadingLevel,
  delta_abs_mean: number,
): StepSegment {
  return { from_step, to_step, level, delta_abs_mean, steps: 1, steps_at_level: 1, tokens: 1, k3: 0 };
}

function report(level: VerdictLevel, segments: readonly StepSegment[]): MismatchReport {
  const made = { assessment: { level, when: { segments } }, verdict: { level, headline: "the whole run" } };
  return made as unknown as MismatchReport;
}

const SOUND = segment(1, 20, "normal", 0.0017);
const BAD = segment(21, 60, "broken", 0.41);

describe("the word now", () => {
  it("is of the last steps, not of a mean that is true of neither stretch", () => {
    expect(wordNow(report("broken", [SOUND, BAD]))).toEqual({
      level: "broken",
      headline: "since step 21: mean |Δ| 0.410 nats; normal in steps 1–20 (0.00170)",
    });
  });

  it("is normal once the bad steps are over, and names them", () => {
    const after = segment(61, 61, "normal", 0.002);
    expect(wordNow(report("broken", [SOUND, BAD, after]))).toEqual({
      level: "normal",
      headline: "since step 61: mean |Δ| 0.00200 nats; broken in steps 21–60 (0.410)",
    });
  });

  it.each([
    ["steps are all alike", "broken", [BAD]],
    ["there are no steps", "normal", []],
    ["a fault gives it, whatever the size", "fault", [SOUND, BAD]],
    [
      "a test found the size to be sound",
      "normal",
      [segment(1, 9, "elevated", 0.011), segment(10, 20, "elevated", 0.03)],
    ],
  ] as const)("is that of the whole run where %s", (_, level, segments) => {
    expect(wordNow(report(level, segments))).toEqual({ level, headline: "the whole run" });
  });
});
