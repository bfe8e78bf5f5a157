import { sumsLayout as F } from "../../core/kernels/index.ts";
import { GRADIENT, LARGE_DELTA } from "../../core/summaries/index.ts";
import type { MistakeEvents } from "../../results/events.ts";
import { findEvents } from "../assessment/events.ts";
import type { RunSummary } from "./run-summary.ts";

/** The most important mistakes of a run. */
export function eventsOf({ total, gradient, largeTokens, sample }: RunSummary): MistakeEvents {
  const { deltas, sums } = total;
  // In large runs the sample has only some prompts; for the others, the batches say how many answers there are.
  const sampled = new Map(sample.list().map(({ cluster, sequences }) => [cluster, sequences.length]));
  return findEvents({
    large: largeTokens,
    largeCount: deltas.countAbove(LARGE_DELTA) + deltas.countBelow(-LARGE_DELTA),
    run: {
      deltaAbs: sums[F.ABS_DELTA_SUM]!,
      k3: sums[F.K3_SUM]!,
      impact: gradient.sums.total()[GRADIENT.impactAbs]!,
    },
    sequencesOf: (cluster) => sampled.get(cluster) ?? 0,
  });
}
