/**
 * Rows of a step with the same tokens and bit-identical log-probs as another, compared with what confident policies
 * repeat by chance.
 */
import { KeyHash } from "../../../core/summaries/index.ts";
import type { View } from "../sample/view.ts";

export interface Duplicates {
  readonly rows: number;
  /** Rows that exactly repeat an earlier row of their step, in tokens and both columns. */
  readonly copies: number;
  /** Their indexes. */
  readonly copied: readonly number[];
  /** Copies whose prompt differs from the row they repeat: never by chance. */
  readonly acrossPrompts: number;
  /** Copies in prompts with more responses than usual, if nearly all prompts of the step have the same number. */
  readonly inLargerGroups: number;
  /** Pairs of equal responses expected by chance among rows of one prompt, from their probabilities. */
  readonly expectedPairs: number;
  readonly pairs: number;
  readonly examples: readonly (readonly [row: number, first: number])[];
  /** Rows whose prompt has other rows in the step, and those with the same tokens as all of them. */
  readonly rowsInGroups: number;
  readonly rowsAllSame: number;
}

export function measureDuplicates(view: View): Duplicates {
  const first = new Map<number, number[]>();
  const examples: [number, number][] = [];
  const copied: number[] = [];
  const larger = findLargerGroups(view);
  let [pairs, acrossPrompts, inLargerGroups] = [0, 0, 0];
  for (let r = 0; r < view.rows.length; r++) {
    const key = contentKey(view, r);
    const same = first.get(key);
    if (same === undefined) {
      first.set(key, [r]);
      continue;
    }
    copied.push(r);
    pairs += same.length;
    if (!isSamePrompt(view, r, same[0]!)) acrossPrompts++;
    if (larger.has(view.rows[r]!.group)) inLargerGroups++;
    if (examples.length < 5) examples.push([r, same[0]!]);
    same.push(r);
  }
  return {
    rows: view.rows.length,
    copies: copied.length,
    copied,
    pairs,
    acrossPrompts,
    inLargerGroups,
    examples,
    expectedPairs: expectPairs(view),
    ...compareGroups(view),
  };
}

const REGULAR = 0.7;

/** Prompts with more responses than the usual number; none if there is no usual number. */
function findLargerGroups(view: View): Set<number> {
  const sizes = new Map<number, number>();
  for (const { group, hasPrompt } of view.rows) if (hasPrompt) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  const counts = new Map<number, number>();
  for (const size of sizes.values()) counts.set(size, (counts.get(size) ?? 0) + 1);
  const [usual, number] = [...counts].sort((x, y) => y[1] - x[1])[0] ?? [0, 0];
  if (usual < 2 || number < REGULAR * sizes.size) return new Set();
  return new Set([...sizes].flatMap(([group, size]) => (size > usual ? [group] : [])));
}

function contentKey(view: View, r: number): number {
  const { step, ids, rollout, trainer } = view.rows[r]!;
  const hash = new KeyHash().addNumber(step);
  if (ids) hash.addWords(ids, 0, ids.length);
  for (const column of [rollout, trainer]) for (const value of column) hash.addNumber(value);
  return hash.key();
}

function isSamePrompt(view: View, r: number, q: number): boolean {
  const [ours, theirs] = [view.rows[r]!.prompt, view.rows[q]!.prompt];
  if (ours === undefined || theirs === undefined) return true;
  return ours.length === theirs.length && ours.every((id, k) => id === theirs[k]);
}

function listGroups(view: View): number[][] {
  const groups = new Map<number, number[]>();
  view.rows.forEach(({ group, hasPrompt }, r) => {
    if (hasPrompt) groups.set(group, [...(groups.get(group) ?? []), r]);
  });
  return [...groups.values()].filter((rows) => rows.length > 1);
}

/** Σ over pairs of a prompt of the probability that one repeats the other, from the surer side. */
function expectPairs(view: View): number {
  let expected = 0;
  for (const rows of listGroups(view)) {
    for (const r of rows) expected += ((rows.length - 1) / 2) * Math.exp(sumLogprobs(view, r));
  }
  return expected;
}

function sumLogprobs(view: View, r: number): number {
  const [from, to] = view.span(r);
  let [rollout, trainer] = [0, 0];
  for (let i = from; i < to; i++) {
    if (!view.isOwn(i)) continue;
    rollout += Math.min(0, view.a[i]!);
    trainer += Math.min(0, view.c[i]!);
  }
  return Math.max(rollout, trainer);
}

function compareGroups(view: View): { rowsInGroups: number; rowsAllSame: number } {
  let [rowsInGroups, rowsAllSame] = [0, 0];
  for (const rows of listGroups(view)) {
    rowsInGroups += rows.length;
    const texts = new Set(rows.map((r) => view.rows[r]!.ids?.join(" ")));
    if (texts.size === 1 && !texts.has(undefined)) rowsAllSame += rows.length;
  }
  return { rowsInGroups, rowsAllSame };
}
