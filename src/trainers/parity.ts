import type { ParityTrainer } from "./shared/index.ts";
import { verlParity } from "./verl/index.ts";
import { xtunerParity } from "./xtuner/index.ts";

export type { Discrepancy, Metrics, ParityBatch, ParityTrainer } from "./shared/index.ts";
export { type PaddedBatch, packPadded } from "./shared/index.ts";
export { verlDebugMetrics, verlOffpolicyMetrics, verlPerRoundMetrics } from "./verl/index.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics } from "./xtuner/index.ts";

/**
 * The trainers that `--parity` knows: their metrics under their own keys, and where those are off.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, PARITY_TRAINERS, packPadded } from "logratio";
 *
 * const summary = MismatchSummary.of(packPadded({ rollout_log_probs: [[-1]], old_log_probs: [[-1.5]] }));
 * const verl = PARITY_TRAINERS.find(({ name }) => name === "verl");
 * const metrics = verl?.metrics({ summary, packs: [summary.sums] });
 * assert(Math.abs((metrics?.["rollout_corr/kl"] ?? NaN) - 0.5) < 1e-6); // nats
 * ```
 */
export const PARITY_TRAINERS: readonly ParityTrainer[] = [verlParity, xtunerParity];
