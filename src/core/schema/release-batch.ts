import type { RecordBatch } from "./record.ts";
import { type Column, releaseColumn } from "./spare-memory.ts";

/**
 * Gives the memory of a batch's columns per token back to builders, which save copies and new memory with it. Only the
 * owner of a batch may call it, once none of its arrays is used any more; what no builder made stays as it is.
 */
export function releaseBatch(batch: RecordBatch): void {
  releaseColumns(batch);
}

function releaseColumns(of: object): void {
  for (const value of Object.values(of)) {
    if (ArrayBuffer.isView(value)) releaseColumn(value as Column);
    // Lists are of texts and have no columns in them.
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) releaseColumns(value);
  }
}
