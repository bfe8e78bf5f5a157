/**
 * What makes a batch durable: segments of frames, appended to and synced in groups. How a segment is laid out and read
 * (`input/batch-log`) and the content of batches do not belong here.
 *
 * @module
 */
export { type ClosedSegment, RunLog, type RunLogOptions } from "./run-log.ts";
export { syncDirectory } from "./sync-directory.ts";
