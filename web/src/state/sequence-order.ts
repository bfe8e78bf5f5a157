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
import type { SequenceColumn, SequenceText } from "../../../src/results/metrics/sequence-columns.ts";
import type { TokenMatches } from "../../../src/results/wire/matches.ts";
import type { SequenceTable } from "../../../src/results/wire/table.ts";

type Params = Readonly<Record<string, string>>;

/** Columns by which rows can be sorted, by their keys in the list; `sequence`, the place, is another. */
export const FIGURE_KEYS = {
  abs: "delta_abs_mean",
  worst: "delta_abs_max",
  delta: "delta_mean",
  k3: "k3_mean",
  sum: "delta_sum",
  ess: "ess",
  dp: "prob_diff_max",
  tokens: "tokens",
  response: "response_tokens",
  prompt: "prompt_tokens",
  turns: "turns",
  correct: "correct",
  reward: "reward",
  advantage: "advantage",
  impact: "impact",
  entropy: "entropy_mean",
  logp: "rollout_logprob_mean",
  step: "step",
  rank: "rank",
  cached: "cached_tokens",
} as const satisfies Readonly<Record<string, SequenceColumn>>;
export const TEXT_KEYS = {
  group: "group",
  env: "environment",
  sample: "sample",
  finish: "finish_reason",
  engine: "engine",
  file: "file",
} as const satisfies Readonly<Record<string, SequenceText>>;

/** The column with the number of tokens that match a filter. */
export const MATCHING = "matching";

export type FigureKey = keyof typeof FIGURE_KEYS;
export type TextKey = keyof typeof TEXT_KEYS;

/** `[table.length]`, NaN where missing; undefined for no key. */
export function sortValues(table: SequenceTable, key: string): ArrayLike<number> | undefined {
  if (key === "sequence") return Float64Array.from({ length: table.length }, (_, row) => row);
  if (Object.hasOwn(FIGURE_KEYS, key)) return table.columns[FIGURE_KEYS[key as FigureKey]];
  return Object.hasOwn(TEXT_KEYS, key) ? textRanks(table, TEXT_KEYS[key as TextKey]) : undefined;
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
  return (
    ["sequence", MATCHING].includes(key) || Object.hasOwn(FIGURE_KEYS, key) || Object.hasOwn(TEXT_KEYS, key)
  );
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
