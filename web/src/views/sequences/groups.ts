/**
 * GRPO groups: the sequences of one prompt in one step.
 *
 * @module
 */
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { sortedBy } from "../../state/sequence-order.ts";

export interface SequenceGroup {
  /** Stable for the run: `100/calc/solve/0001`. */
  readonly key: string;
  readonly name: string;
  readonly step: number;
  /** In the order in which they came. */
  readonly rows: readonly number[];
  readonly tokens: number;
  /** Of those that have one; NaN where none has. */
  readonly rewardMean: number;
  /** Standard deviation of the rewards (over n); 0 where all are equal, and the group teaches nothing. */
  readonly rewardSpread: number;
  readonly right: number;
  /** Over its tokens. */
  readonly deltaAbsMean: number;
  readonly deltaAbsMax: number;
}

export const GROUP_ORDERS = ["abs", "worst", "reward", "spread", "n", "group"] as const;
export type GroupOrder = (typeof GROUP_ORDERS)[number];

/** Groups of the rows, in the order of their first one; sequences without a group are one by themselves. */
export function groupRows(table: SequenceTable, rows: Uint32Array): SequenceGroup[] {
  const { values, codes } = table.texts.group;
  const members = new Map<string, number[]>();
  for (const row of rows) {
    const step = table.columns.step[row]!;
    const code = codes[row]!;
    const key = `${Number.isNaN(step) ? "" : step}/${code < 0 ? "" : values[code]}`;
    const known = members.get(key);
    if (known) known.push(row);
    else members.set(key, [row]);
  }
  return [...members].map(([key, own]) => summarised(table, key, own));
}

export function sortedGroups(
  groups: readonly SequenceGroup[],
  order: GroupOrder,
  descending: boolean,
): SequenceGroup[] {
  if (order === "group") {
    const sorted = [...groups].sort(
      (a, b) => a.step - b.step || a.name.localeCompare(b.name, "en", { numeric: true }),
    );
    return descending ? sorted.reverse() : sorted;
  }
  const values = groups.map((group) => ORDER_OF[order](group));
  const places = Uint32Array.from(groups, (_, place) => place);
  return Array.from(sortedBy(places, values, descending), (place) => groups[place]!);
}

const ORDER_OF: Readonly<Record<Exclude<GroupOrder, "group">, (group: SequenceGroup) => number>> = {
  abs: ({ deltaAbsMean }) => deltaAbsMean,
  worst: ({ deltaAbsMax }) => deltaAbsMax,
  reward: ({ rewardMean }) => rewardMean,
  spread: ({ rewardSpread }) => rewardSpread,
  n: ({ rows }) => rows.length,
};

function summarised({ columns, texts }: SequenceTable, key: string, rows: readonly number[]): SequenceGroup {
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
    name: texts.group.values[texts.group.codes[rows[0]!]!] ?? "without a group",
    step: columns.step[rows[0]!]!,
    rows,
    tokens,
    rewardMean: mean,
    rewardSpread: Math.sqrt(square),
    right,
    deltaAbsMean: absolute / tokens,
    deltaAbsMax: largest,
  };
}
