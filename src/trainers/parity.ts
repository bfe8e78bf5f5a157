import type { ParityTrainer } from "./shared/index.ts";
import { verlParity } from "./verl/index.ts";
import { xtunerParity } from "./xtuner/index.ts";

export type { Discrepancy, Metrics, ParityBatch, ParityTrainer } from "./shared/index.ts";
export { type PaddedBatch, packPadded } from "./shared/index.ts";
export { verlDebugMetrics, verlOffpolicyMetrics, verlPerRoundMetrics } from "./verl/index.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics } from "./xtuner/index.ts";

/** Every trainer that `--parity` knows. */
export const PARITY_TRAINERS: readonly ParityTrainer[] = [verlParity, xtunerParity];
