/**
 * Finds the adapter for a document.
 *
 * @module
 */
import { isNumericArray, UsageError } from "../core/base/index.ts";
import type { Adapter, ColumnMapping, Match } from "../input/adapters/adapter.ts";
import { isList, isMap, type SourceDocument, type TreeMap, type TreeValue } from "../input/io/index.ts";
import { ADAPTERS } from "../trainers/files/index.ts";

export interface RecogniseOptions {
  readonly mapping?: ColumnMapping | undefined;
  /** Name of the adapter to use, whatever detection says. */
  readonly adapter?: string | undefined;
}

export interface Recognised {
  readonly adapter: Adapter;
  readonly match: Match;
  /** The document as the adapter reads it. */
  readonly document: SourceDocument;
}

async function findAdapter(
  document: SourceDocument,
  { mapping, adapter: wanted }: RecogniseOptions,
): Promise<Recognised | undefined> {
  const candidates = wanted === undefined ? ADAPTERS : ADAPTERS.filter(({ name }) => name === wanted);
  if (candidates.length === 0) {
    throw new UsageError(
      `unknown format "${wanted}"; the formats are ${ADAPTERS.map(({ name }) => name).join(", ")}`,
    );
  }
  let best: Recognised | undefined;
  for (const adapter of candidates) {
    const match = await adapter.detect(document, mapping);
    if (match !== undefined && match.score > (best?.match.score ?? 0)) best = { adapter, match, document };
  }
  return best;
}

/**
 * The adapter that a document fits best; undefined when it fits none. A single JSON object is either one object or the
 * only row of a file of rows: the reading with the higher score wins, and on a tie the one that the file's name
 * suggests, unless the object holds a batch in arrays of `[B, T]`, which as a row would be one long sequence.
 *
 * @throws UsageError when there is no adapter of the requested name
 */
export async function recognise(
  document: SourceDocument,
  options: RecogniseOptions,
): Promise<Recognised | undefined> {
  const named = await findAdapter(document, options);
  if (document.otherwise === undefined) return named;
  const other = await findAdapter(document.otherwise, options);
  if (other === undefined || named === undefined) return named ?? other;
  const { score } = named.match;
  const isBatch =
    document.kind === "rows" && document.otherwise.kind === "tree" && holdsBatch(document.otherwise.root);
  return other.match.score > score || (isBatch && other.match.score === score) ? other : named;
}

const LOG_PROBS = /log_?prob|logp/i;
/** A token's alternatives are a list inside the sequence's list. */
const ALTERNATIVES = /top|alternative|digit|distribution/i;

function holdsBatch(root: TreeMap): boolean {
  return Object.entries(root).some(([name, value]) =>
    isMap(value) ? holdsBatch(value) : LOG_PROBS.test(name) && !ALTERNATIVES.test(name) && isBatch(value),
  );
}

function isBatch(value: TreeValue): boolean {
  return isList(value) && value.length > 1 && value.every(isNumericArray);
}
