/**
 * Sequences that were packed without a block mask: the first of each pack has none before it and is sound, the others
 * read what was packed before them.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { orderSteps } from "./order.ts";
import { compareMeans, median, quantiles } from "./stats.ts";

export interface Packing {
  /** Packs of so many sequences, or of as many as fit into so many tokens, prompts included. */
  readonly of: "sequences" | "tokens";
  readonly size: number;
  /**
   * Median gap in logits of the first sequences of the packs, and the lower quartile of the others': they are all off, unlike
   * those of one of several workers.
   */
  readonly soundGap: number;
  readonly otherGap: number;
  readonly sound: number;
  readonly other: number;
  /** Student's t, as a normal deviate, of the others' log gaps against those of the sound rows. */
  readonly z: number;
}

const MOST_SEQUENCES = 16;
const FEWEST = 4;
/** A longer period, or a budget, must separate by a fifth better. */
const BETTER = 1.2;

/**
 * Packs are filled in the order of the file, of the step, or of the run: the last pack of a step may go on in the next.
 *
 * @param rowGaps mean gap in logits of each row; NaN for rows with too few tokens
 */
export function findPacking(view: View, rowGaps: readonly number[]): Packing | null {
  const inFile = view.rows.map(({ row }) => row);
  const inRun = [...orderSteps(view)].sort(([x], [y]) => x - y).flatMap(([, rows]) => rows);
  const inStep = [...orderSteps(view).values()].flatMap((rows) =>
    rows.map((r, place) => [r, place] as const),
  );
  const found = [
    findPeriod(rowGaps, inFile),
    findPeriod(rowGaps, placeAt(inStep)),
    findPeriod(rowGaps, placeAt(inRun.map((r, place) => [r, place]))),
    findBudget(view, rowGaps, inRun),
  ];
  return found.reduce((best, one) => {
    if (best === null || one === null) return best ?? one;
    return contrast(one) > BETTER * contrast(best) ? one : best;
  }, null);
}

function placeAt(pairs: readonly (readonly [r: number, place: number])[]): number[] {
  const places = new Array<number>(pairs.length);
  for (const [r, place] of pairs) places[r] = place;
  return places;
}

function findPeriod(rowGaps: readonly number[], places: readonly number[]): Packing | null {
  let best: Packing | null = null;
  for (let period = 2; period <= MOST_SEQUENCES; period++) {
    const found = compare(rowGaps, (r) => places[r]! % period === 0, "sequences", period);
    if (found !== null && (best === null || contrast(found) > BETTER * contrast(best))) best = found;
  }
  return best;
}

function compare(
  rowGaps: readonly number[],
  isFirst: (r: number) => boolean,
  of: Packing["of"],
  size: number,
): Packing | null {
  const [sound, other]: [number[], number[]] = [[], []];
  rowGaps.forEach((gap, r) => {
    if (Number.isFinite(gap)) (isFirst(r) ? sound : other).push(gap);
  });
  if (sound.length < FEWEST || other.length < FEWEST) return null;
  return {
    of,
    size,
    soundGap: median(sound),
    otherGap: quantiles(other, [0.25])[0]!,
    sound: sound.length,
    other: other.length,
    z: compareMeans(other.map(logGap), sound.map(logGap)),
  };
}

/**
 * The token budget that explains which rows are sound. A pack that starts at one sound row and ends before the next holds
 * at most the budget, so each pair of sound rows offers one; packs may restart with every step or go on.
 */
function findBudget(view: View, rowGaps: readonly number[], order: readonly number[]): Packing | null {
  const limit = splitGaps(rowGaps);
  if (limit === undefined) return null;
  const sizes = order.map((r) => view.rows[r]!.mask.length + (view.rows[r]!.prompt?.length ?? 0));
  const isNewStep = order.map((r, place) => view.rows[r]!.step !== view.rows[order[place - 1] ?? -1]?.step);
  const starts = order.flatMap((r, place) => (rowGaps[r]! < limit ? [place] : []));
  const budgets = starts
    .slice(1)
    .map((next, k) => sizes.slice(starts[k], next).reduce((sum, size) => sum + size, 0));
  for (const budget of new Set(budgets))
    for (const restarts of [false, true]) {
      const places = fillPacks(sizes, budget, (place) => restarts && isNewStep[place]!);
      const firsts = new Set(places.map((place) => order[place]!));
      if (predicts(rowGaps, limit, firsts)) return compare(rowGaps, (r) => firsts.has(r), "tokens", budget);
    }
  return null;
}

/** The first of each pack when rows are packed in order. */
function fillPacks(sizes: readonly number[], budget: number, isForced: (place: number) => boolean): number[] {
  const firsts: number[] = [];
  let room = 0;
  sizes.forEach((size, place) => {
    if (size > room || place === 0 || isForced(place)) {
      firsts.push(place);
      room = budget;
    }
    room -= size;
  });
  return firsts;
}

const NEARLY_ALL = 0.9;

/** Whether nearly all sound rows are firsts of packs, and nearly all others are not. */
function predicts(rowGaps: readonly number[], limit: number, firsts: ReadonlySet<number>): boolean {
  let [sound, soundFirst, other, otherLater] = [0, 0, 0, 0];
  rowGaps.forEach((gap, r) => {
    if (!Number.isFinite(gap)) return;
    if (gap < limit) {
      sound++;
      if (firsts.has(r)) soundFirst++;
    } else {
      other++;
      if (!firsts.has(r)) otherLater++;
    }
  });
  return soundFirst >= NEARLY_ALL * sound && otherLater >= NEARLY_ALL * other;
}

/** The widest space between two neighboring gaps, on a log scale, with a few rows on either side. */
function splitGaps(rowGaps: readonly number[]): number | undefined {
  const logs = rowGaps
    .filter(Number.isFinite)
    .map(logGap)
    .sort((x, y) => x - y);
  let [widest, limit]: [number, number | undefined] = [Math.log(2), undefined];
  for (let k = FEWEST; k <= logs.length - FEWEST; k++) {
    const space = logs[k]! - logs[k - 1]!;
    if (space > widest) [widest, limit] = [space, Math.exp((logs[k]! + logs[k - 1]!) / 2)];
  }
  return limit;
}

function logGap(gap: number): number {
  return Math.log(gap + 1e-6);
}

function contrast({ soundGap, otherGap, sound }: Packing): number {
  return (otherGap / (soundGap + 1e-6)) * Math.sqrt(sound);
}
