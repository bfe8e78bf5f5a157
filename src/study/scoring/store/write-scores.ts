/**
 * Writes scores of one policy to disk: Parquet, one row per text, one list entry per response token.
 *
 * @module
 */
import { type ColumnBatch, type ColumnSpec, writeParquet } from "../../../input/readers/index.ts";
import type { HiddenColumns } from "../score-attention.ts";
import {
  ATTENTION,
  type AttentionLayout,
  FINGERPRINT,
  HIDDEN_LISTS,
  PAIR_LISTS,
  PAIR_NUMBERS,
  type PairList,
  type PairNumber,
  pairColumn,
  type ScoreRow,
  type ScoresLayout,
} from "./scores-layout.ts";

/**
 * Writes rows to a file atomically.
 *
 * @param fingerprint fingerprint of the models that gave the scores
 */
export async function writeScores(
  path: string,
  layout: ScoresLayout,
  rows: AsyncIterable<ScoreRow> | Iterable<ScoreRow>,
  fingerprint: string,
): Promise<void> {
  async function* batches(): AsyncGenerator<ColumnBatch> {
    for await (const row of rows) yield { length: 1, columns: buildColumns(row, layout) };
  }
  await writeParquet(path, listSpecs(layout), batches(), {
    metadata: { [FINGERPRINT]: fingerprint },
    checksum: true,
  });
}

function listSpecs({ entropies, topK, partners, attention }: ScoresLayout): ColumnSpec[] {
  const list = (name: string, element: "float32" | "int32" = "float32"): ColumnSpec => ({
    name,
    type: { list: element },
    nullable: false,
  });
  return [
    { name: "text", type: "string", nullable: false },
    { name: "key", type: "string", nullable: false },
    list("logprob"),
    ...(entropies ? [list("entropy")] : []),
    list("rank", "int32"),
    { name: "topk_ids", type: { list: "int32", inner: topK }, nullable: false },
    { name: "topk_logprobs", type: { list: "float32", inner: topK }, nullable: false },
    ...partners.flatMap((partner) => [
      ...Object.values(PAIR_LISTS).map((name) => list(pairColumn(name, partner))),
      ...Object.values(PAIR_NUMBERS).map(
        (name): ColumnSpec => ({ name: pairColumn(name, partner), type: "float64" }),
      ),
    ]),
    ...(attention === undefined ? [] : attentionSpecs(attention)),
  ];

  function attentionSpecs({ heads, hiding }: AttentionLayout): ColumnSpec[] {
    return [
      { name: ATTENTION.from, type: "int32" },
      { name: ATTENTION.token, type: "int32" },
      list(ATTENTION.toError),
      list(ATTENTION.toControl),
      { name: ATTENTION.heads, type: { list: "float32", inner: heads }, nullable: false },
      ...hiding.flatMap((partner) =>
        Object.values(HIDDEN_LISTS).map((name) => list(pairColumn(name, partner))),
      ),
    ];
  }
}

function buildColumns(
  row: ScoreRow,
  { entropies, partners, attention }: ScoresLayout,
): ColumnBatch["columns"] {
  const offsets = [0, row.logprobs.length];
  return [
    { values: [row.text] },
    { values: [row.key] },
    { values: row.logprobs, offsets },
    ...(entropies ? [{ values: row.entropies ?? new Float32Array(offsets[1]!).fill(NaN), offsets }] : []),
    { values: row.ranks, offsets },
    { values: row.topK.ids, offsets },
    { values: row.topK.logprobs, offsets },
    ...partners.flatMap((partner) => {
      const pair = row.pairs[partner]!;
      return [
        ...Object.keys(PAIR_LISTS).map((name) => ({ values: pair[name as PairList], offsets })),
        ...Object.keys(PAIR_NUMBERS).map((name) => ({
          values: Float64Array.of(pair[name as PairNumber]),
          valid: Uint8Array.of(Number.isNaN(pair[name as PairNumber]) ? 0 : 1),
        })),
      ];
    }),
    ...(attention === undefined ? [] : attentionColumns(row, attention)),
  ];
}

function attentionColumns(
  { attention, pairs, logprobs }: ScoreRow,
  { heads, hiding }: AttentionLayout,
): ColumnBatch["columns"] {
  const offsets = [0, logprobs.length];
  const list = (values: Float32Array | undefined) => ({
    values: values ?? new Float32Array(logprobs.length).fill(Number.NaN),
    offsets,
  });
  const place = (value: number | undefined) => ({
    values: Int32Array.of(value ?? 0),
    valid: Uint8Array.of(value === undefined ? 0 : 1),
  });
  const byHead = attention?.heads.shares ?? new Float32Array();
  return [
    place(attention?.error?.from),
    place(attention?.error?.token),
    list(attention?.toError),
    list(attention?.toControl),
    { values: byHead, offsets: [0, byHead.length / heads] },
    ...hiding.flatMap((partner) =>
      Object.keys(HIDDEN_LISTS).map((name) => list(pairs[partner]?.[name as keyof HiddenColumns])),
    ),
  ];
}
