import type { AnswerTable } from "./answers.ts";

/** Rows of each prompt group (same group, same step) with at least two known rewards. In the table's order. */
export function* rewardedGroups({ length, columns, texts }: AnswerTable): Generator<number[]> {
  const { step, reward } = columns;
  const { codes } = texts.group;
  const groups = new Map<string, number[]>();
  for (let row = 0; row < length; row++) {
    if (codes[row]! < 0 || !Number.isFinite(reward[row]!)) continue;
    const key = `${step[row]} ${codes[row]}`;
    const rows = groups.get(key);
    if (rows === undefined) groups.set(key, [row]);
    else rows.push(row);
  }
  for (const rows of groups.values()) if (rows.length > 1) yield rows;
}
