/**
 * The directory in which `logratio serve` keeps a run: its log of received batches, the file of their keys, and the
 * layout of both. Code that receives, stores or answers does not belong here (`apps/serve`).
 *
 * @module
 */
export { type BatchKey, encodeFrameStart, type FrameHead, keyText } from "./frame.ts";
export { appendKeys, readKeyLines } from "./key-file.ts";
export {
  OWN_FOLDER,
  partName,
  partSegment,
  type RunPlaces,
  runPlaces,
  segmentName,
  segmentNumber,
} from "./places/index.ts";
export { type Damage, describeDamage, scanSegment } from "./scan-segment.ts";
export { countWaiting } from "./waiting-batches.ts";
