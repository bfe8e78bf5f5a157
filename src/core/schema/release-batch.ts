import type { RecordBatch } from "./record.ts";
import { type Column, releaseColumn } from "./spare-memory.ts";

/**
 * Returns the memory of a batch's per-token columns to builders, which saves them copies and new memory. Only the owner
 * of a batch may call it, once none of its arrays is in use; arrays that no builder made are left alone.
 */
export function releaseBatch(batch: RecordBatch): void {
  releaseColumns(batch);
}

function releaseColumns(of: object): void {
  for (const value of Object.values(of)) {
    if (ArrayBuffer.isView(value)) releaseColumn(value as Column);
    // Lists contain texts and no columns.
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) releaseColumns(value);
  }
}
