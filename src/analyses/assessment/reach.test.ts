import { describe, expect, it } from "vitest";
import { sampleGradient } from "../../../test/report/sample-report.ts";
import type { StepSegment } from "../../results/assessment.ts";
import type { GradientReport } from "../../results/gradient.ts";
import type { ReadingLevel } from "../../results/report.ts";
import { assessReach } from "./reach.ts";
import type { Segmentation } from "./when.ts";

function segmented(...parts: readonly (readonly [from: number, to: number, ReadingLevel])[]): Segmentation {
  const segments = parts.map(
    ([from_step, to_step, level]): StepSegment => ({
      ...{ from_step, to_step, level, steps: 1, steps_at_level: 1, tokens: 1000 },
      ...{ delta_abs_mean: 0.01, k3: 1e-4 },
    }),
  );
  return { segments, steps_skipped: 0, false_alarm_rate: 0.05 };
}

/** Steps with so many tokens of such a mean impact. */
function gradientOf(...steps: readonly (readonly [step: number | null, tokens: number, impact: number])[]) {
  const one = sampleGradient("s10.q0.t0", "a.npz");
  const [figures] = one.per_step;
  return {
    ...one,
    per_step: steps.map(([step, tokens, impact_mean]) => ({ ...figures!, step, tokens, impact_mean })),
  } satisfies GradientReport;
}

describe("what reaches the gradient", () => {
  it("is not known where no token has an advantage", () => {
    expect(assessReach(null, segmented(), "high")).toBeNull();
    expect(assessReach({ ...gradientOf(), tokens: 0 }, segmented(), "high")).toBeNull();
  });

  it("is what lies at advantage 0, and by how much the weights are off", () => {
    expect(assessReach(gradientOf(), segmented(), "high")).toEqual({
      k3_share_at_zero: 0.75,
      impact_relative: 0.004,
      impact_share_in_bad_steps: null,
    });
  });

  it("is told of the steps at the level of the run, by tokens and impact", () => {
    const gradient = gradientOf([1, 100, 0.02], [2, 300, 0.01], [3, 1000, 0.005], [null, 100, 0.1]);
    const { impact_share_in_bad_steps: share } = assessReach(
      gradient,
      segmented([1, 2, "high"], [3, 3, "normal"]),
      "high",
    )!;
    // 2 + 3 of 2 + 3 + 5 + 10: what has no step is in no segment.
    expect(share).toBeCloseTo(5 / 20, 12);
  });

  it("adds up where a run is bad twice", () => {
    const gradient = gradientOf([1, 1, 1], [2, 1, 1], [3, 1, 2]);
    const bad = segmented([1, 1, "high"], [2, 2, "normal"], [3, 3, "high"]);
    expect(assessReach(gradient, bad, "high")!.impact_share_in_bad_steps).toBeCloseTo(3 / 4, 12);
  });

  it("names no steps where all are bad, where none is, and where nothing reaches the gradient", () => {
    const gradient = gradientOf([1, 1, 1], [2, 1, 1]);
    const share = (of: GradientReport, segmentation: Segmentation) =>
      assessReach(of, segmentation, "high")!.impact_share_in_bad_steps;
    expect(share(gradient, segmented([1, 2, "high"]))).toBeNull();
    expect(share(gradient, segmented([1, 1, "normal"], [2, 2, "elevated"]))).toBeNull();
    // A step without tokens has no mean.
    const nothing = gradientOf([1, 0, Number.NaN], [2, 5, 0]);
    expect(share(nothing, segmented([1, 1, "high"], [2, 2, "normal"]))).toBeNull();
  });
});
