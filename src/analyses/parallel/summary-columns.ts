import type { RecordBatch } from "../../core/schema/index.ts";
import { type ClusterKeys, clusterKeys } from "../report/cluster-keys.ts";

/**
 * The columns of a batch that evidence needs once cluster keys are known; a test compares this list with what
 * `RunEvidence.add` actually reads.
 */
export const SUMMARY_COLUMNS = [
  "length",
  "provenance",
  "sides",
  "offsets",
  "responseMask",
  "turnMask",
  "readAsMissing",
  "asWritten",
  "rolloutLogprobs",
  "trainerLogprobs",
  "responseTokenIds",
  "promptOffsets",
  "promptTokenIds",
  "topK",
  "promptTexts",
  "tokenTexts",
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
  "policyLogprobs",
  "positionIds",
  "sampling",
] as const satisfies readonly (keyof RecordBatch)[];

/** The part of a batch that evidence needs: no texts of responses. */
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

/** The columns as a batch that lacks all others; the clusters of its rows are in `columns`. */
export function toBatch({ clusters: _, ...columns }: SummaryColumns): RecordBatch {
  const texts = new Array<undefined>(columns.length).fill(undefined);
  return {
    ...columns,
    sourceOffsets: new Float64Array(columns.length).fill(-1),
    sampleIds: texts,
    groupIds: texts,
    responseTexts: texts,
  };
}
