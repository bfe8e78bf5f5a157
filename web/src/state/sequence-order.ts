/**
 * Sequences as the address filters and orders them: `filter`, `steps` (`10..30`, as the brush of a chart sets it) and
 * `sort` (the key of a column, with `-` before it for the largest first).
 *
 * @module
 */
import {
  type Filter,
  matchingRows,
  narrowed,
  parseFilter,
  withoutTokens,
} from "../../../src/analyses/filter/index.ts";
import { type SequenceText, sequenceColumnAt } from "../../../src/results/metrics/sequence-columns.ts";
import type { TokenMatches } from "../../../src/results/wire/matches.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";

type Params = Readonly<Record<string, string>>;

/** The column with the number of tokens that match a filter. */
export const MATCHING = "matching";

/** `[table.length]`, NaN where missing; undefined for no key. */
export function sortValues(table: SequenceTable, key: string): ArrayLike<number> | undefined {
  if (key === "sequence") return Float64Array.from({ length: table.length }, (_, row) => row);
  const entry = sequenceColumnAt(key);
  return entry?.kind === "text" ? textRanks(table, entry.key) : entry && table.columns[entry.key];
}

/** A column by which a table is sorted. */
export interface Sort {
  readonly key: string;
  readonly descending: boolean;
}

const WORST_FIRST: Sort = { key: "worst", descending: true };

export function parseSort({ sort }: Params): Sort {
  if (sort === undefined) return WORST_FIRST;
  const descending = sort.startsWith("-");
  const key = descending ? sort.slice(1) : sort;
  return isSortKey(key) ? { key, descending } : WORST_FIRST;
}

export function isSortKey(key: string): boolean {
  return ["sequence", MATCHING].includes(key) || sequenceColumnAt(key) !== undefined;
}

/**
 * @param filter the address's, parsed
 * @param matches the matching tokens, if the filter is about tokens: other sequences are left out
 */
export function orderedSequences(
  table: SequenceTable,
  params: Params,
  filter: Filter = parseFilter(params.filter ?? ""),
  matches?: TokenMatches,
): Uint32Array {
  const steps = parseFilter(params.steps === undefined ? "" : `step:${params.steps}`);
  const alternatives = narrowed(filter.alternatives, steps.alternatives);
  const possible = matchingRows(table, alternatives);
  const counts = matches && matchCounts(table, matches);
  // An alternative without terms on tokens also matches sequences without matching tokens.
  const sure = new Set(counts && matchingRows(table, withoutTokens(alternatives)));
  const matching = counts ? possible.filter((row) => counts[row]! > 0 || sure.has(row)) : possible;
  const { key, descending } = parseSort(params);
  const values = key === MATCHING ? counts : sortValues(table, key);
  return values ? sortedBy(matching, values, descending) : matching;
}

/** `[table.length]`: matching tokens, NaN without any. */
function matchCounts({ length }: SequenceTable, { sequences, counts }: TokenMatches): Float64Array {
  const all = new Float64Array(length).fill(Number.NaN);
  for (const [at, row] of sequences.entries()) all[row] = counts[at]!;
  return all;
}

/** Rows sorted by a value; missing values come last in either direction, equal ones keep their order. */
export function sortedBy(rows: Uint32Array, values: ArrayLike<number>, descending: boolean): Uint32Array {
  const there = rows.filter((row) => !Number.isNaN(values[row]));
  const missing = rows.filter((row) => Number.isNaN(values[row]));
  const sign = descending ? -1 : 1;
  there.sort((a, b) => {
    const [x, y] = [values[a]!, values[b]!];
    return x < y ? -sign : x > y ? sign : 0;
  });
  const sorted = new Uint32Array(rows.length);
  sorted.set(there);
  sorted.set(missing, there.length);
  return sorted;
}

const collator = new Intl.Collator("en", { numeric: true });

/** The place of each row's text among the texts in order; NaN where there is none. */
export function textRanks(table: SequenceTable, column: SequenceText): Float64Array {
  const { values, codes } = table.texts[column];
  const order = values.map((_, code) => code).sort((a, b) => collator.compare(values[a]!, values[b]!));
  const ranks = new Float64Array(values.length);
  for (const [rank, code] of order.entries()) ranks[code] = rank;
  return Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : ranks[code]!));
}
