import { METHODS } from "./registry/methods.ts";
import type { ParityTrainer } from "./shared/parity-trainer.ts";

export { type PaddedBatch, packPadded } from "./shared/padded.ts";
export type { Discrepancy, Metrics, ParityBatch, ParityTrainer } from "./shared/parity-trainer.ts";
export { verlDebugMetrics, verlOffpolicyMetrics, verlPerRoundMetrics } from "./verl/mismatch-metrics.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics } from "./xtuner/mismatch-metrics.ts";

/**
 * The trainers that `--parity` knows: their metrics under their own keys, and where those are wrong.
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
export const PARITY_TRAINERS: readonly ParityTrainer[] = METHODS.flatMap(({ parity }) => parity ?? []);
