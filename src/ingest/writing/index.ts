/**
 * From batches to files: the record as Parquet, corrected arrays, logs of lines. Apart from reading, which most verbs do
 * without it.
 *
 * @module
 */
export { type ArrayFormat, createCorrectedArrays, MASK_NAME, WEIGHTS_NAME } from "./corrected-arrays.ts";
export { appendJsonl, type JsonlLog, type JsonlLogOptions, listLogFiles, openJsonlLog } from "./jsonl-log.ts";
export { type WriteRecordOptions, writeRecord } from "./write-record.ts";
