/**
 * Reads scores of one policy from disk. The columns (`scores-layout.ts`) and writing (`write-scores.ts`) are elsewhere.
 *
 * @module
 */

import { FormatError } from "../../../core/base/index.ts";
import type { RowChunk, RowValue } from "../../../input/io/index.ts";
import { openParquet } from "../../../input/readers/index.ts";
import type { ErrorSpan } from "../../analysis/error-span.ts";
import type { AttentionColumns } from "../score-attention.ts";
import type { PairColumns } from "../score-text.ts";
import {
  ATTENTION,
  FINGERPRINT,
  HIDDEN_LISTS,
  PAIR_LISTS,
  PAIR_NUMBERS,
  pairColumn,
  type ScoreRow,
} from "./scores-layout.ts";

export type { AttentionLayout, ScoreRow, ScoresLayout } from "./scores-layout.ts";
export { writeScores } from "./write-scores.ts";

/** Rows of a file, in its order. @throws FormatError when it is not a file of scores */
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

/** The content of a file. */
export interface ScoresFileContents {
  /** Fingerprint of the models that scored them; undefined if not recorded. */
  readonly fingerprint: string | undefined;
  /** Digests of its texts, in its order. */
  readonly keys: readonly string[];
  readonly partners: readonly string[];
  /** Undefined if it was written without attention. */
  readonly attention:
    | {
        readonly hiding: readonly string[];
        /** The error of each text, in the order of `keys`. */
        readonly errors: readonly (ErrorSpan | undefined)[];
      }
    | undefined;
}

/** The content of a file, without decoding scores. */
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

/** Partners that have a column with this prefix. */
function namesBehind(column: string, names: readonly string[]): string[] {
  const prefix = pairColumn(column, "");
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

function readError(chunk: RowChunk, i: number): ErrorSpan | undefined {
  const [from, token] = [chunk.get(i, ATTENTION.from), chunk.get(i, ATTENTION.token)];
  return typeof from === "number" && typeof token === "number" ? { from, token } : undefined;
}

/** Reads columns of one row, checking their types. */
class RowReader {
  readonly #chunk: RowChunk;
  readonly #i: number;
  readonly #path: string;

  constructor(chunk: RowChunk, i: number, path: string) {
    this.#chunk = chunk;
    this.#i = i;
    this.#path = path;
  }

  raw(name: string): RowValue | undefined {
    return this.#chunk.get(this.#i, name);
  }

  wrong(name: string): FormatError {
    return new FormatError(`the scores file has no ${name}`, {
      at: { file: this.#path, row: this.#chunk.firstRow + this.#i, entry: name },
      likely: "it was not written by logratio score",
    });
  }

  text(name: string): string {
    const value = this.raw(name);
    if (typeof value !== "string") throw this.wrong(name);
    return value;
  }

  number(name: string): number {
    const value = this.raw(name);
    return typeof value === "number" ? value : Number.NaN;
  }

  // Copied, since rows outlive the chunk.
  floats(name: string): Float32Array {
    const value = this.raw(name);
    if (!isNumbers(value)) throw this.wrong(name);
    return Float32Array.from(value);
  }

  integers(name: string): Int32Array {
    const value = this.raw(name);
    if (!isNumbers(value)) throw this.wrong(name);
    return Int32Array.from(value);
  }
}

function scoreRow(
  chunk: RowChunk,
  i: number,
  partners: readonly string[],
  hiding: readonly string[],
  path: string,
): ScoreRow {
  const row = new RowReader(chunk, i, path);
  const logprobs = row.floats("logprob");
  const ids = flat(row.raw("topk_ids"), Int32Array);
  const topLogprobs = flat(row.raw("topk_logprobs"), Float32Array);
  if (ids === undefined || topLogprobs === undefined) throw row.wrong("topk_ids");
  const entropies = row.raw("entropy");
  const attention = readAttention(chunk, i, row);
  return {
    text: row.text("text"),
    key: row.text("key"),
    logprobs,
    ...(isNumbers(entropies) && { entropies: Float32Array.from(entropies) }),
    ranks: row.integers("rank"),
    topK: {
      k: logprobs.length === 0 ? 0 : ids.length / logprobs.length,
      ids: ids as Int32Array,
      logprobs: topLogprobs as Float32Array,
    },
    pairs: Object.fromEntries(
      partners.map((partner) => [partner, readPairColumns(row, partner, hiding.includes(partner))]),
    ),
    ...(attention !== undefined && { attention }),
  };
}

/** Undefined if the file was written without attention. */
function readAttention(chunk: RowChunk, i: number, row: RowReader): AttentionColumns | undefined {
  if (!isNumbers(row.raw(ATTENTION.toError))) return undefined;
  const value = row.raw(ATTENTION.heads);
  const shares = flat(value, Float32Array) as Float32Array | undefined;
  return {
    error: readError(chunk, i),
    toError: row.floats(ATTENTION.toError),
    toControl: row.floats(ATTENTION.toControl),
    heads: { layers: Array.isArray(value) ? value.length : 0, shares: shares ?? new Float32Array() },
  };
}

function readPairColumns(row: RowReader, partner: string, hasHidden: boolean): PairColumns {
  const lists = mapEntries(PAIR_LISTS, (name) => row.floats(pairColumn(name, partner)));
  const numbers = mapEntries(PAIR_NUMBERS, (name) => row.number(pairColumn(name, partner)));
  const hidden = hasHidden ? mapEntries(HIDDEN_LISTS, (name) => row.floats(pairColumn(name, partner))) : {};
  return { ...lists, ...numbers, ...hidden } as PairColumns;
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
