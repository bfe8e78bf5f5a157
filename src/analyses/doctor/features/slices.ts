/**
 * Whether every k-th sequence, or every k-th prompt, of the steps is further off than the rest, as one of several
 * workers taking turns would cause. No column says which worker a sequence came from.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { orderSteps } from "./order.ts";
import { compareMeans, mean, median } from "./stats.ts";

export interface Slice {
  /** `sequence`: every `period`-th sequence of a step; `prompt`: every `period`-th prompt. */
  readonly kind: "sequence" | "prompt";
  readonly period: number;
  /** Starts at 0. */
  readonly offset: number;
  /** Rows of the view that belong to the slice. */
  readonly rows: readonly number[];
  /** z of Student's t of its log gaps, minus their step's median, against the others'. */
  readonly z: number;
  /** Ratio of the medians. */
  readonly ratio: number;
  /** How many slices were compared. */
  readonly tested: number;
}

const MOST_WORKERS = 8;
/** Minimum units per slice: with fewer, ranks say nothing. */
const FEWEST = 4;

interface Unit {
  readonly place: number;
  readonly rows: readonly number[];
  readonly score: number;
}

/** The slice that stands out most; null if there is none to compare. */
export function scanSlices(view: View, rowGaps: readonly number[]): Slice | null {
  const units: Record<Slice["kind"], Unit[]> = { sequence: [], prompt: [] };
  for (const rows of orderSteps(view).values()) addStep(view, rowGaps, rows, units);
  let [best, tested]: [Omit<Slice, "tested"> | null, number] = [null, 0];
  for (const kind of ["sequence", "prompt"] as const)
    for (let period = 2; period <= MOST_WORKERS; period++)
      for (let offset = 0; offset < period; offset++) {
        const found = compareSlice(kind, units[kind], period, offset);
        if (found === null) continue;
        tested++;
        if (best === null || found.z > best.z) best = found;
      }
  return best === null ? null : { ...best, tested };
}

function addStep(
  view: View,
  rowGaps: readonly number[],
  rows: readonly number[],
  units: Record<Slice["kind"], Unit[]>,
): void {
  // NaN for a row with too few tokens; it keeps its place.
  const scores = rows.map((r) => Math.log(rowGaps[r]! + 1e-9));
  const level = median(scores.filter(Number.isFinite));
  const prompts = new Map<number, { rows: number[]; scores: number[] }>();
  rows.forEach((r, place) => {
    const score = scores[place]! - level;
    units.sequence.push({ place, rows: [r], score });
    const { group } = view.rows[r]!;
    const prompt = prompts.get(group) ?? { rows: [], scores: [] };
    prompts.set(group, prompt);
    prompt.rows.push(r);
    if (Number.isFinite(score)) prompt.scores.push(score);
  });
  [...prompts.values()].forEach((prompt, place) => {
    units.prompt.push({ place, rows: prompt.rows, score: mean(prompt.scores) });
  });
}

function compareSlice(
  kind: Slice["kind"],
  units: readonly Unit[],
  period: number,
  offset: number,
): Omit<Slice, "tested"> | null {
  const inside = units.filter(({ place, score }) => place % period === offset && Number.isFinite(score));
  const outside = units.filter(({ place, score }) => place % period !== offset && Number.isFinite(score));
  if (inside.length < FEWEST || outside.length < FEWEST) return null;
  const [ours, theirs] = [inside.map(({ score }) => score), outside.map(({ score }) => score)];
  return {
    kind,
    period,
    offset,
    rows: inside.flatMap(({ rows }) => rows),
    z: compareMeans(ours, theirs),
    ratio: Math.exp(median(ours) - median(theirs)),
  };
}
