import type { SampledCluster } from "../../core/summaries/index.ts";
import type { BesideFinding } from "../../results/beside.ts";
import type { StalenessMetrics, StepMetrics } from "../../results/report.ts";
import type { RunMetricKind } from "../../trainers/index.ts";
import { tabulateSample } from "./answers.ts";
import { checkHealth } from "./check-health.ts";
import { findBeside } from "./detectors/find-beside.ts";
import type { StepSeries } from "./detectors/series.ts";

/** What a dump knows about its run besides the mismatch. */
export interface DumpFigures {
  /** In ascending order of steps. */
  readonly per_step: readonly Pick<StepMetrics, "step" | "entropy" | "reward" | "response_tokens">[];
  readonly per_staleness: readonly StalenessMetrics[];
  /** Answers to sampled prompts, as a run summary keeps them. */
  readonly sample: readonly SampledCluster[];
}

/** What keeps the run of a dump from learning. Pure: the order in which summaries were merged does not matter. */
export function findDumpBeside({ per_step, per_staleness, sample }: DumpFigures): BesideFinding[] {
  const series = (field: "entropy" | "reward" | "response_tokens"): StepSeries => {
    const known = per_step.flatMap(({ step, [field]: value }) =>
      step === null || value === null || !Number.isFinite(value) ? [] : [{ step, value }],
    );
    return {
      name: "dump",
      part: "",
      steps: known.map(({ step }) => step),
      values: known.map(({ value }) => value),
    };
  };
  const run = new Map<RunMetricKind, readonly StepSeries[]>([
    ["entropy", [series("entropy")]],
    ["reward", [series("reward")]],
    ["length", [series("response_tokens")]],
  ]);
  return findBeside(run, checkHealth(tabulateSample(sample), per_staleness));
}
