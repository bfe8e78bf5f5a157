import { sampleMetrics } from "../../../test/report/sample-report.ts";
import type { MismatchMetrics, Verdict } from "../../results/report.ts";
import type { VerdictMetrics } from "./baselines.ts";
import { judgeRun, type VerdictInput } from "./verdict.ts";
import { StepLevels } from "./when.ts";

/** Figures of a sound run, of which enough is there. */
export function soundMetrics(more: Partial<MismatchMetrics> = {}): MismatchMetrics {
  return {
    ...sampleMetrics(1, 5000),
    tokens: 5000,
    sequences: 50,
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

/** The verdict on figures that leave nothing open, of steps that say nothing. */
export function judge(metrics: VerdictMetrics, more: Partial<VerdictInput> = {}): Verdict {
  return judgeRun({
    metrics,
    ranges: {},
    segmentation: new StepLevels().find(),
    leftOut: [],
    files: 1,
    ...more,
  });
}
