/** The place of a sequence in its step: across ranks and files, in the order they were written. */
import type { View } from "../sample/view.ts";

/** Rows of each step, in order. */
export function orderSteps(view: View): ReadonlyMap<number, readonly number[]> {
  const steps = new Map<number, number[]>();
  view.rows.forEach(({ step }, r) => {
    const rows = steps.get(step);
    if (rows === undefined) steps.set(step, [r]);
    else rows.push(r);
  });
  const at = (r: number): View["rows"][number] => view.rows[r]!;
  const rank = (r: number): number => (Number.isNaN(at(r).rank) ? 0 : at(r).rank);
  const file = (q: number, r: number): number =>
    at(q).file < at(r).file ? -1 : at(q).file > at(r).file ? 1 : 0;
  for (const rows of steps.values())
    rows.sort((q, r) => rank(q) - rank(r) || file(q, r) || at(q).row - at(r).row);
  return steps;
}
