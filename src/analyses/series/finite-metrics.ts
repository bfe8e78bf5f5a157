import type { Finite } from "../../results/finite.ts";
import { recogniseMetric } from "../../trainers/index.ts";
import { assessFinite, type Values } from "../assessment/finite.ts";

/** The values of a metric in a run. */
export interface LoggedValues {
  readonly run: string;
  readonly metric: string;
  readonly steps: readonly number[];
  readonly values: readonly number[];
}

/** What every step of a working run has: `actor/pg_loss`, `grad_norm`, `ppo_kl`, `entropy`, `train/log_probs`. */
const TRAINING =
  /(?:^|[/._:\s-])(?:loss|grad|grad_?norm|[a-z]*kl|entropy|log_?probs?|logps?|ppl|perplexity|advantages?)(?=$|[/._:\s-])/i;
/** Metrics over answers or tokens that a step may lack; and deviations, which need more than one value. */
const PARTIAL = /(?:^|[/.])(?:val|eval|test|validation|per_round|masked_)|(?:^|[/._])(?:std|var)$/i;
const GRADIENT = /grad/i;

/** Which logged metrics are not finite, whether mismatch metrics or not. */
export function assessMetrics(metrics: readonly LoggedValues[]): Finite {
  return assessFinite(metrics.map(toValues));
}

function toValues({ metric, run, steps, values }: LoggedValues): Values {
  const isTraining =
    (recogniseMetric(metric) !== undefined || TRAINING.test(metric)) && !PARTIAL.test(metric);
  return {
    of: "logged",
    name: run === "" ? metric : `${metric} (${run})`,
    mayBeNull: false,
    // With loss scaling for float16 the gradient overflows occasionally, and such steps are skipped.
    breaks: ({ nan, since_step }) => isTraining && (nan > 0 || since_step !== null || !GRADIENT.test(metric)),
    steps: values.map((value, at) => ({
      step: steps[at] ?? Number.NaN,
      nan: Number.isNaN(value) ? 1 : 0,
      infinite: Math.abs(value) === Number.POSITIVE_INFINITY ? 1 : 0,
      all: 1,
    })),
  };
}
