/**
 * Groups of sequences: those of one prompt in one step (GRPO), or those with the same value of any other column.
 *
 * @module
 */
import { sequenceColumnAt } from "../../../../src/results/metrics/sequence-columns.ts";
import { formatGroupKey } from "../../../../src/results/wire/groups.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { sortedBy } from "../../state/sequence-order.ts";
import { columnNamed } from "./columns.ts";
import { shortNames } from "./short-names.ts";

export interface SequenceGroup {
  /** Stable for the run: `100/calc/solve/0001`. */
  readonly key: string;
  readonly name: string;
  /** The full name, where it is shortened. */
  readonly hint?: string;
  readonly step: number;
  /** Place among the groups by value; groups of prompts are ordered by step and name. */
  readonly rank: number;
  /** Rows of the table, in the order of the list. */
  readonly rows: readonly number[];
  readonly tokens: number;
  /** Mean over sequences with a reward; NaN without one. */
  readonly rewardMean: number;
  /** Standard deviation of the rewards (over n); 0 if all are equal, in which case the group teaches nothing. */
  readonly rewardSpread: number;
  readonly right: number;
  /** Mean over the group's tokens. */
  readonly deltaAbsMean: number;
  readonly deltaAbsMax: number;
}

export const GROUP_ORDERS = ["abs", "worst", "reward", "spread", "n", "group"] as const;
export type GroupOrder = (typeof GROUP_ORDERS)[number];

/** The column that sequences are grouped by: the given one, or a run's default. */
export function readGroupedBy(given: string | undefined, hasGroups: boolean): string {
  return given !== undefined && sequenceColumnAt(given) ? given : hasGroups ? "group" : "step";
}

/** Figures with more values than this are grouped by quarters of the sequences. */
const MOST_VALUES = 24;
const QUARTERS = 4;

/** Groups of the rows, in the order of their first row; sequences without a value are one group. */
export function groupRows(table: SequenceTable, rows: Uint32Array, by = "group"): SequenceGroup[] {
  const describe = describer(table, rows, by);
  const members = new Map<string, number[]>();
  for (const row of rows) {
    const key = describe.key(row);
    const known = members.get(key);
    if (known) known.push(row);
    else members.set(key, [row]);
  }
  return [...members].map(([key, own]) => ({ ...summarised(table, key, own), ...describe.name(own[0]!) }));
}

type Named = Pick<SequenceGroup, "name" | "hint" | "step" | "rank">;

interface Describer {
  readonly key: (row: number) => string;
  /** The name of the group that a row is in. */
  readonly name: (row: number) => Named;
}

function describer(table: SequenceTable, rows: Uint32Array, by: string): Describer {
  const column = sequenceColumnAt(by)!;
  if (column.kind !== "text") return byFigure(table.columns[column.key], table, rows, by);
  const { values, codes } = table.texts[column.key];
  const name = (row: number): Named => {
    const [whole, short] = [values[codes[row]!], shortNames(values)[codes[row]!]];
    return {
      name: short ?? (by === "group" ? "without a group" : "not known"),
      ...(whole !== undefined && { hint: whole }),
      step: by === "group" ? table.columns.step[row]! : Number.NaN,
      rank: Number.NaN,
    };
  };
  return { key: (row) => (by === "group" ? formatGroupKey(table, row) : (values[codes[row]!] ?? "")), name };
}

function byFigure(values: ArrayLike<number>, table: SequenceTable, rows: Uint32Array, by: string): Describer {
  const { text } = columnNamed(by)!;
  const there = rows.filter((row) => !Number.isNaN(values[row]));
  const named = (name: string, rank: number): Named => ({ name, rank, step: Number.NaN });
  if (new Set(Array.from(there, (row) => values[row])).size <= MOST_VALUES) {
    return {
      key: (row) => String(values[row]),
      name: (row) => named(text(table, row), values[row]!),
    };
  }
  // Equal values stay in one group, so quarters are only as equal as the values allow.
  const sorted = there.sort((a, b) => values[a]! - values[b]!);
  const starts = Array.from(
    { length: QUARTERS },
    (_, at) => sorted[Math.floor((at * sorted.length) / QUARTERS)]!,
  );
  const quarter = (row: number): number => starts.findLastIndex((start) => values[start]! <= values[row]!);
  return {
    key: (row) => (Number.isNaN(values[row]) ? "NaN" : String(quarter(row))),
    name: (row) => {
      const at = quarter(row);
      if (Number.isNaN(values[row])) return named("–", Number.NaN);
      const own = sorted.filter((other) => quarter(other) === at);
      return named(`${text(table, own[0]!)} to ${text(table, own.at(-1)!)}`, at);
    },
  };
}

export function sortedGroups(
  groups: readonly SequenceGroup[],
  order: GroupOrder,
  descending: boolean,
): SequenceGroup[] {
  if (order === "group") {
    const sorted = [...groups].sort(
      (a, b) =>
        compareRanks(a.rank, b.rank) ||
        a.step - b.step ||
        a.name.localeCompare(b.name, "en", { numeric: true }),
    );
    return descending ? sorted.reverse() : sorted;
  }
  const values = groups.map((group) => ORDER_OF[order](group));
  const places = Uint32Array.from(groups, (_, place) => place);
  return Array.from(sortedBy(places, values, descending), (place) => groups[place]!);
}

/** Groups whose value is unknown come last. */
function compareRanks(a: number, b: number): number {
  return Number.isNaN(a) || Number.isNaN(b) ? Number(Number.isNaN(a)) - Number(Number.isNaN(b)) : a - b;
}

const ORDER_OF: Readonly<Record<Exclude<GroupOrder, "group">, (group: SequenceGroup) => number>> = {
  abs: ({ deltaAbsMean }) => deltaAbsMean,
  worst: ({ deltaAbsMax }) => deltaAbsMax,
  reward: ({ rewardMean }) => rewardMean,
  spread: ({ rewardSpread }) => rewardSpread,
  n: ({ rows }) => rows.length,
};

function summarised(
  { columns }: SequenceTable,
  key: string,
  rows: readonly number[],
): Omit<SequenceGroup, keyof Named> {
  let [tokens, absolute, largest, right] = [0, 0, Number.NaN, 0];
  const rewards: number[] = [];
  for (const row of rows) {
    const own = columns.tokens[row]!;
    const mean = columns.delta_abs_mean[row]!;
    if (own > 0 && !Number.isNaN(mean)) {
      tokens += own;
      absolute += own * mean;
    }
    const worst = columns.delta_abs_max[row]!;
    if (!(largest >= worst) && !Number.isNaN(worst)) largest = worst;
    if (columns.correct[row] === 1) right++;
    if (!Number.isNaN(columns.reward[row])) rewards.push(columns.reward[row]!);
  }
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  const square = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length;
  return {
    key,
    rows,
    tokens,
    rewardMean: mean,
    rewardSpread: Math.sqrt(square),
    right,
    deltaAbsMean: absolute / tokens,
    deltaAbsMax: largest,
  };
}
