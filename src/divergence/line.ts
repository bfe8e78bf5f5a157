import type { DivergenceRecord } from "../protocol/divergence.ts";

/** A record as its line of the JSONL form, without the line's end. JSON has no infinities: they become null. */
export function divergenceLine(record: DivergenceRecord): string {
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? null : value,
  );
}

const RECORD_ID = /"record_id":"([^"\\]+)"\}$/;

/**
 * The `record_id` of a line of the log; undefined for one that has none or is cut off: it is the last field.
 */
export function lineIdentity(line: string): string | undefined {
  return RECORD_ID.exec(line)?.[1];
}

/** `{iteration}` in a path filled in; `none` where the iteration is not known. */
export function fillIteration(path: string, iteration: number | null): string {
  return path.replaceAll("{iteration}", String(iteration ?? "none"));
}
