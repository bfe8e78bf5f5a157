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
  FormatName,
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
export {
  checkOpened,
  confinedEnvironment,
  isConfined,
  leadsInside,
  type PinnedFile,
  pinFile,
  refuseOutside,
} from "./confinement.ts";
export { crc32 } from "./crc32.ts";
export { type ByteStream, decompress, openPlain, type PlainStream } from "./decompress.ts";
export { memorySource, openFile } from "./file-source.ts";
export { holdStream } from "./held-source.ts";
export { isAbsence, isPresent, listIfPresent, readTextIfPresent, statIfPresent } from "./if-present.ts";
export { onInterrupt, onNextInterrupt } from "./interrupts.ts";
export { MAX_READ_BYTES, MAX_WALK_DEPTH, MAX_WALK_ENTRIES, SCRATCH_PER_MEMORY } from "./limits.ts";
export { makeDirectory } from "./make-directory.ts";
export { networkWords } from "./network-words.ts";
export { openPipe } from "./pipe.ts";
export { quickCalls } from "./quick-calls.ts";
export { createScratch, createTemporaryFile, removeLeftovers, type Scratch } from "./scratch.ts";
export { createSemaphore } from "./semaphore.ts";
export { openStandardInput } from "./standard-input.ts";
export { isList, isMap, isPickled, isTensor } from "./tree-guards.ts";
export { writeAll } from "./write-all.ts";
export { writeWholeFile } from "./write-whole-file.ts";
export { isZip, openZip } from "./zip.ts";
export { openMember } from "./zip-member.ts";
export { loadFastUnzstd, loadZstd, unzstdBlock } from "./zstd-blocks.ts";
