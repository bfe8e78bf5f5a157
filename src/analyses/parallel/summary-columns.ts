import type { RecordBatch } from "../../core/schema/index.ts";
import { type ClusterKeys, clusterKeys } from "../report/index.ts";

/**
 * What a run summary reads of a batch whose cluster keys are known; its test holds this list to what `RunSummary.add`
 * really touches.
 */
export const SUMMARY_COLUMNS = [
  "length",
  "provenance",
  "offsets",
  "responseMask",
  "turnMask",
  "rolloutLogprobs",
  "trainerLogprobs",
  "responseTokenIds",
  "steps",
  "ranks",
  "rows",
  "packs",
  "rewards",
  "advantages",
  "correctness",
  "environments",
  "engineIds",
  "finishReasons",
  "weightVersions",
  "entropies",
] as const satisfies readonly (keyof RecordBatch)[];

/**
 * The part of a batch that a run summary is made of: no texts, no alternatives, no further policies, and of prompts only
 * which rows share one.
 */
export type SummaryColumns = Pick<RecordBatch, (typeof SUMMARY_COLUMNS)[number]> & {
  readonly clusters: ClusterKeys;
};

export function summaryColumns(batch: RecordBatch): SummaryColumns {
  const columns = SUMMARY_COLUMNS.filter((name) => batch[name] !== undefined).map((name) => [
    name,
    batch[name],
  ]);
  return { ...Object.fromEntries(columns), clusters: clusterKeys(batch) } as SummaryColumns;
}

/** The columns as a batch in which all others are missing: its rows' clusters are those of `columns`. */
export function toBatch({ clusters: _, ...columns }: SummaryColumns): RecordBatch {
  const texts = new Array<undefined>(columns.length).fill(undefined);
  return {
    ...columns,
    sampling: {},
    policyLogprobs: {},
    topK: {},
    sourceOffsets: new Float64Array(columns.length).fill(-1),
    sampleIds: texts,
    groupIds: texts,
    promptTexts: texts,
    responseTexts: texts,
  };
}

/**
 * Columns ready for another thread: arrays that are all of their buffer are handed over (and are empty here from then
 * on), parts of buffers are copied, because a message would carry the whole buffer.
 */
export function transferable(columns: SummaryColumns): {
  readonly columns: SummaryColumns;
  readonly buffers: readonly ArrayBuffer[];
} {
  const buffers = new Set<ArrayBuffer>();
  const own = <T>(value: T): T => {
    if (!isTypedArray(value)) return value;
    const owned = ownsBuffer(value) ? value : value.slice();
    buffers.add(owned.buffer as ArrayBuffer);
    return owned as T;
  };
  const entries = Object.entries(columns).map(([name, value]) => {
    return [name, isRecord(value) && name !== "provenance" ? each(value, own) : own(value)];
  });
  return { columns: Object.fromEntries(entries) as SummaryColumns, buffers: [...buffers] };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isTypedArray(value) && !Array.isArray(value);
}

function each<T>(values: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

type Column = Extract<SummaryColumns[keyof SummaryColumns], ArrayBufferView>;

function isTypedArray(value: unknown): value is Column {
  return ArrayBuffer.isView(value);
}

function ownsBuffer({ buffer, byteLength }: Column): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}
