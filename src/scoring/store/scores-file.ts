/**
 * Scores of one policy on disk: Parquet, one row per text, one list entry per response token. `docs/kl.md` describes the
 * columns for those who read them elsewhere.
 *
 * @module
 */

import type { ErrorSpan } from "../../analyses/kl/index.ts";
import { FormatError } from "../../core/base/index.ts";
import type { RowChunk, RowValue } from "../../input/io/index.ts";
import { type ColumnBatch, type ColumnSpec, openParquet, writeParquet } from "../../input/readers/index.ts";
import type { AttentionColumns, HiddenColumns } from "../score-attention.ts";
import type { PairColumns, TextScores } from "../score-text.ts";

/** A text's scores, and which text. */
export interface ScoreRow extends TextScores {
  readonly text: string;
  /** Digest of the text's token ids: scores belong to these and to no others. */
  readonly key: string;
}

/** Which columns a file has. */
export interface ScoresLayout {
  readonly entropies: boolean;
  readonly topK: number;
  /** Policies that this one is compared with, exactly. */
  readonly partners: readonly string[];
  readonly attention?: AttentionLayout | undefined;
}

export interface AttentionLayout {
  /** Of a layer. */
  readonly heads: number;
  /** Partners that were compared with while tokens were hidden. */
  readonly hiding: readonly string[];
}

const PAIR_LISTS = {
  forwardKl: "forward_kl",
  reverseKl: "reverse_kl",
  jsDivergence: "js_divergence",
  totalVariation: "total_variation",
} as const;
const PAIR_NUMBERS = {
  forwardKlAfterEnd: "forward_kl_after_end",
  excludedP: "excluded_p",
  excludedQ: "excluded_q",
} as const;
/** Names of columns. */
const ATTENTION = {
  from: "error_from",
  token: "error_token",
  toError: "attention_to_error",
  toControl: "attention_to_control",
  heads: "attention_heads",
} as const;
const HIDDEN_LISTS = {
  klWithoutError: "forward_kl_without_error",
  klWithoutControl: "forward_kl_without_control",
} as const;
type PairList = keyof typeof PAIR_LISTS;
type PairNumber = keyof typeof PAIR_NUMBERS;

/** `forward_kl|dpo`: of this policy against dpo. */
const pairColumn = (name: string, partner: string): string => `${name}|${partner}`;

/** In a file's footer: see `ManifestPolicy`. */
const FINGERPRINT = "logratio.fingerprint";

/**
 * Writes rows to a file, whole or not at all.
 *
 * @param fingerprint of the models that they are scores of
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

/** Rows of a file, in its order. @throws FormatError when it is no file of scores */
export async function* readScores(path: string, columns?: readonly string[]): AsyncGenerator<ScoreRow> {
  const document = await openParquet(path);
  try {
    const [first] = document.sample;
    const names = Object.keys(first ?? {});
    const partners = findPartners(names);
    const hiding = namesBehind(HIDDEN_LISTS.klWithoutError, names);
    for await (const chunk of document.chunks(columns && { columns }))
      for (let i = 0; i < chunk.length; i++) yield scoreRow(chunk, i, partners, hiding, path);
  } finally {
    await document.close();
  }
}

/** What a file holds. */
export interface ScoresFileContents {
  /** Of the models that scored them; undefined: it does not say. */
  readonly fingerprint: string | undefined;
  /** Digests of its texts, in its order. */
  readonly keys: readonly string[];
  readonly partners: readonly string[];
  /** Undefined: it was written without attention. */
  readonly attention:
    | {
        readonly hiding: readonly string[];
        /** The error of each text, in the order of `keys`. */
        readonly errors: readonly (ErrorSpan | undefined)[];
      }
    | undefined;
}

/** What a file holds; no scores are decoded. */
export async function readKeys(path: string): Promise<ScoresFileContents> {
  const document = await openParquet(path);
  const keys: string[] = [];
  const errors: (ErrorSpan | undefined)[] = [];
  try {
    const names = Object.keys(document.sample[0] ?? {});
    const hasAttention = names.includes(ATTENTION.toError);
    const columns = hasAttention ? ["key", ATTENTION.from, ATTENTION.token] : ["key"];
    for await (const chunk of document.chunks({ columns })) {
      for (let i = 0; i < chunk.length; i++) {
        keys.push(String(chunk.get(i, "key")));
        if (hasAttention) errors.push(readError(chunk, i));
      }
    }
    const hiding = namesBehind(HIDDEN_LISTS.klWithoutError, names);
    return {
      fingerprint: document.metadata[FINGERPRINT],
      keys,
      partners: findPartners(names),
      attention: hasAttention ? { hiding, errors } : undefined,
    };
  } finally {
    await document.close();
  }
}

function findPartners(names: readonly string[]): string[] {
  return namesBehind(PAIR_LISTS.forwardKl, names);
}

/** Partners of the columns that are called so. */
function namesBehind(column: string, names: readonly string[]): string[] {
  const prefix = pairColumn(column, "");
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

function readError(chunk: RowChunk, i: number): ErrorSpan | undefined {
  const [from, token] = [chunk.get(i, ATTENTION.from), chunk.get(i, ATTENTION.token)];
  return typeof from === "number" && typeof token === "number" ? { from, token } : undefined;
}

function readHeads(value: RowValue | undefined): AttentionColumns["heads"] {
  const shares = flat(value, Float32Array) as Float32Array | undefined;
  return { layers: Array.isArray(value) ? value.length : 0, shares: shares ?? new Float32Array() };
}

function scoreRow(
  chunk: RowChunk,
  i: number,
  partners: readonly string[],
  hiding: readonly string[],
  path: string,
): ScoreRow {
  const at = { file: path, row: chunk.firstRow + i };
  const wrong = (name: string): FormatError =>
    new FormatError(`the scores file has no ${name}`, {
      at: { ...at, entry: name },
      likely: "it was not written by logratio score",
    });
  const text = (name: string): string => {
    const value = chunk.get(i, name);
    if (typeof value !== "string") throw wrong(name);
    return value;
  };
  const number = (name: string): number => {
    const value = chunk.get(i, name);
    return typeof value === "number" ? value : Number.NaN;
  };
  // Views on a chunk end with it; rows are held beyond that.
  const floats = (name: string): Float32Array => {
    const value = chunk.get(i, name);
    if (!isNumbers(value)) throw wrong(name);
    return Float32Array.from(value);
  };
  const integers = (name: string): Int32Array => {
    const value = chunk.get(i, name);
    if (!isNumbers(value)) throw wrong(name);
    return Int32Array.from(value);
  };
  const logprobs = floats("logprob");
  const ids = flat(chunk.get(i, "topk_ids"), Int32Array);
  const topLogprobs = flat(chunk.get(i, "topk_logprobs"), Float32Array);
  if (ids === undefined || topLogprobs === undefined) throw wrong("topk_ids");
  const entropies = chunk.get(i, "entropy");
  const attention = isNumbers(chunk.get(i, ATTENTION.toError))
    ? ({
        error: readError(chunk, i),
        toError: floats(ATTENTION.toError),
        toControl: floats(ATTENTION.toControl),
        heads: readHeads(chunk.get(i, ATTENTION.heads)),
      } satisfies AttentionColumns)
    : undefined;
  return {
    text: text("text"),
    key: text("key"),
    logprobs,
    ...(isNumbers(entropies) && { entropies: Float32Array.from(entropies) }),
    ranks: integers("rank"),
    topK: {
      k: logprobs.length === 0 ? 0 : ids.length / logprobs.length,
      ids: ids as Int32Array,
      logprobs: topLogprobs as Float32Array,
    },
    pairs: Object.fromEntries(
      partners.map((partner) => {
        const lists = mapEntries(PAIR_LISTS, (name) => floats(pairColumn(name, partner)));
        const numbers = mapEntries(PAIR_NUMBERS, (name) => number(pairColumn(name, partner)));
        const hidden = hiding.includes(partner)
          ? mapEntries(HIDDEN_LISTS, (name) => floats(pairColumn(name, partner)))
          : {};
        return [partner, { ...lists, ...numbers, ...hidden } as PairColumns];
      }),
    ),
    ...(attention !== undefined && { attention }),
  };
}

function mapEntries<K extends string, T>(
  names: Readonly<Record<K, string>>,
  value: (column: string) => T,
): Record<K, T> {
  return Object.fromEntries(
    Object.entries<string>(names).map(([field, column]) => [field, value(column)]),
  ) as Record<K, T>;
}

function isNumbers(value: RowValue | undefined): value is Float32Array {
  return ArrayBuffer.isView(value);
}

/** A list of lists of the same length, as one array. */
function flat(
  value: RowValue | undefined,
  Type: Int32ArrayConstructor | Float32ArrayConstructor,
): Int32Array | Float32Array | undefined {
  if (isNumbers(value)) return Type.from(value);
  if (!Array.isArray(value)) return undefined;
  const lists = value as readonly Float32Array[];
  const k = lists[0]?.length ?? 0;
  const all = new Type(lists.length * k);
  lists.forEach((list, i) => {
    all.set(list, i * k);
  });
  return all;
}
