/**
 * What makes a batch durable: segments of frames, appended to and synced in groups. The content of batches does not
 * belong here.
 *
 * @module
 */
export type { BatchKey, FrameHead } from "./frame.ts";
export { type ClosedSegment, RunLog, type RunLogOptions, segmentName, segmentNumber } from "./run-log.ts";
export { type Frame, type ScannedSegment, scanSegment } from "./scan-segment.ts";
export { syncDirectory } from "./sync-directory.ts";
