import type { ParityTrainer } from "./shared/parity-trainer.ts";
import { verlParity } from "./verl/mismatch-metrics.ts";
import { xtunerParity } from "./xtuner/mismatch-metrics.ts";

export { type PaddedBatch, packPadded } from "./shared/padded.ts";
export type { Discrepancy, Metrics, ParityBatch, ParityTrainer } from "./shared/parity-trainer.ts";
export { verlDebugMetrics, verlOffpolicyMetrics, verlPerRoundMetrics } from "./verl/mismatch-metrics.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics } from "./xtuner/mismatch-metrics.ts";

/** Every trainer that `--parity` knows. */
export const PARITY_TRAINERS: readonly ParityTrainer[] = [verlParity, xtunerParity];
