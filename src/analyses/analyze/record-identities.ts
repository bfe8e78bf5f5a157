import { createHash } from "node:crypto";
import type { LogRecord } from "./parse-line.ts";

/** Which records were read already, by their `record_id`; records without one are all different. */
export interface RecordIdentities {
  /** Whether a record with this identity was seen before; remembers it. */
  isRepeated(record: LogRecord): boolean;
}

export function createRecordIdentities(): RecordIdentities {
  const seen = new Set<string>();
  return {
    isRepeated({ record_id: id }) {
      if (typeof id !== "string" || id === "") return false;
      // 12 bytes of a digest take a fifth of the memory, and still no two of a billion records collide.
      const digest = createHash("md5").update(id).digest("base64").slice(0, 16);
      if (seen.has(digest)) return true;
      seen.add(digest);
      return false;
    },
  };
}
