import type { DivergenceRecord } from "../../results/index.ts";

/**
 * A record as its line of the JSONL form, without the line's end. JSON has no infinities: they become null. The
 * `record_id` comes last, so that a line that was cut off has none.
 */
export function divergenceLine({ record_id, ...record }: DivergenceRecord): string {
  return JSON.stringify({ ...record, record_id }, (_, value: unknown) =>
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
