/**
 * Sums and summaries computed on worker threads; Node only.
 *
 * @module
 */

export { answerTasks } from "./answer-tasks.ts";
export { createDistributionPool, type DistributionPool } from "./distribution-pool.ts";
export { type ErrorData, packError, unpackError } from "./error-transport.ts";
export { moveArrays } from "./move-arrays.ts";
export { cutRows } from "./shared-rows.ts";
export { summarizeBatches } from "./summarize-batches.ts";
export { startThread, type Thread, workerFile } from "./thread.ts";
