import type { ParityTrainer } from "./parity-trainer.ts";
import { verl } from "./verl.ts";
import { xtuner } from "./xtuner.ts";

export { type PaddedBatch, packPadded } from "./padded.ts";
export type { Discrepancy, Metrics, ParityBatch, ParityTrainer } from "./parity-trainer.ts";
export { verlDebugMetrics, verlOffpolicyMetrics, verlPerRoundMetrics } from "./verl.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics } from "./xtuner.ts";

/** Every trainer that `--parity` knows. */
export const PARITY_TRAINERS: readonly ParityTrainer[] = [verl, xtuner];
