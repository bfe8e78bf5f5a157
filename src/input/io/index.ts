/**
 * Byte sources, decompression, zip directories, temporary files and messages for system errors. File formats belong in
 * `readers`.
 *
 * @module
 */
export { HINT_WRITE_AGAIN, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "./advice.ts";
export { backoffMs, isPassingStatus, retryAfterMs, sleep } from "./backoff.ts";
export { basicCredentials } from "./basic-credentials.ts";
export { readBodyStart, readBodyText } from "./bounded-body.ts";
export type { Allocate, ByteSource } from "./byte-source.ts";
export type {
  BadRow,
  DType,
  PickledObject,
  RowChunk,
  RowDocument,
  RowMap,
  RowValue,
  SourceDocument,
  Tensor,
  TreeDocument,
  TreeMap,
  TreeValue,
} from "./columns.ts";
export { confinedEnvironment, leadsInside, type PinnedFile, pinFile, refuseOutside } from "./confinement.ts";
export { type ByteStream, decompress, openPlain } from "./decompress.ts";
export { memorySource, openFile } from "./file-source.ts";
export { isAbsence, isPresent, listIfPresent, readTextIfPresent, statIfPresent } from "./if-present.ts";
export { onInterrupt, onNextInterrupt } from "./interrupts.ts";
export { MAX_READ_BYTES } from "./limits.ts";
export { makeDirectory } from "./make-directory.ts";
export { networkWords } from "./network-words.ts";
export { createScratch, removeLeftovers, type Scratch } from "./scratch.ts";
export { createSemaphore } from "./semaphore.ts";
export { openStandardInput } from "./standard-input.ts";
export { isMap, isTensor } from "./tree-guards.ts";
export { writeAll } from "./write-all.ts";
export { writeWholeFile } from "./write-whole-file.ts";
export { openZip } from "./zip.ts";
export { openMember } from "./zip-member.ts";
export { loadFastUnzstd, loadZstd, unzstdBlock } from "./zstd-blocks.ts";
