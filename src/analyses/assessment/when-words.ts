import { formatNumber, plural } from "../../core/text/index.ts";
import type { StepSegment } from "../../results/assessment.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { LEVELS } from "./baselines.ts";
import { FACTOR, type Segmentation } from "./when.ts";

/** Places that are written out; more are counted. */
const MOST_PLACES = 3;

const EVERY = "in every step";

/** Joins a time and a sentence: `since step 59: …`, but `…, in every step`. */
export function placeWords(words: string | null, sentence: string): string {
  if (words === null) return sentence;
  return words.startsWith(EVERY) ? `${sentence}, ${words}` : `${words}: ${sentence}`;
}

/**
 * When a run has this level, the worst of its steps or its pooled figures: `in steps 10–30; normal since step 50`,
 * `since step 59`, `in step 20 only`, `in every step`. Null if no level jumps and not every step has this level.
 */
export function sayWhen({ segments, steps_skipped }: Segmentation, level: VerdictLevel): string | null {
  const stretches = joinLevels(segments);
  if (stretches.length > 1) return sayLevels(stretches, level);
  const steps = segments.reduce((sum, one) => sum + one.steps, 0);
  const isEvery = segments.every((one) => one.level === level && one.steps_at_level === one.steps);
  const every = steps_skipped > 0 ? `${EVERY} with enough tokens` : EVERY;
  const parts = [...(isEvery && steps > 1 ? [every] : []), ...sayFactors(segments)];
  return parts.length === 0 ? null : parts.join("; ");
}

/** A segment and its place in the run. */
interface Stretch extends StepSegment {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function markEnds(segments: readonly StepSegment[]): Stretch[] {
  return segments.map((one, i) => ({ ...one, isFirst: i === 0, isLast: i === segments.length - 1 }));
}

/** Merges consecutive segments of the same level. */
function joinLevels(segments: readonly StepSegment[]): Stretch[] {
  const joined: StepSegment[] = [];
  for (const one of segments) {
    const before = joined.at(-1);
    if (before?.level !== one.level) joined.push(one);
    else joined[joined.length - 1] = { ...before, to_step: one.to_step, steps: before.steps + one.steps };
  }
  return markEnds(joined);
}

/** The worst level first; the mildest is mentioned only as a return to it, if that is not obvious. */
function sayLevels(stretches: readonly Stretch[], verdict: VerdictLevel): string {
  const levels = LEVELS.filter((level) => stretches.some((one) => one.level === level)).reverse();
  const told = levels.map((level, i) => {
    const all = stretches.filter((one) => one.level === level);
    return i < levels.length - 1 ? all : all.filter(({ isLast }) => isLast);
  });
  const [worst = []] = told;
  const isSingleStep =
    levels.length === 2 && worst.length === 1 && worst[0]!.steps === 1 && !worst[0]!.isLast;
  if (isSingleStep) return `${nameLevel(levels[0]!, verdict)}${sayPlaces(worst)} only`;
  return told
    .flatMap((places, i) =>
      places.length === 0 ? [] : [`${nameLevel(levels[i]!, verdict)}${sayPlaces(places)}`],
    )
    .join("; ");
}

/** Names a level, unless it is the verdict's own, which is stated next to these words. */
function nameLevel(level: StepSegment["level"], verdict: VerdictLevel): string {
  if (level === verdict) return "";
  return level === "none" ? "no mismatch " : `${level} `;
}

/** How segments of one level differ: each compared with the one with the most steps. */
function sayFactors(segments: readonly StepSegment[]): string[] {
  if (segments.length < 2) return [];
  const base = segments.reduce((a, b) => (b.steps > a.steps ? b : a));
  const factor = (one: StepSegment): number => one.delta_abs_mean / base.delta_abs_mean;
  const others = markEnds(segments).filter((one) => factor(one) >= FACTOR || factor(one) <= 1 / FACTOR);
  const places = others
    .slice(0, MOST_PLACES)
    .map((one) => `${formatNumber(factor(one), 2)} times as large ${sayPlaces([one])}`);
  if (places.length === 0) return [];
  return [`mean |Δ| ${[...places, ...countRest(others)].join(", ")}`];
}

/** `in steps 10–30, in step 58, since step 90` */
function sayPlaces(stretches: readonly Stretch[]): string {
  const places = stretches.slice(0, MOST_PLACES).map(({ from_step: from, to_step: to, isFirst, isLast }) => {
    if (isLast && !isFirst) return `since step ${from}`;
    return from === to ? `in step ${from}` : `in steps ${from}–${to}`;
  });
  return [...places, ...countRest(stretches)].join(", ");
}

const countRest = (stretches: readonly Stretch[]): string[] =>
  stretches.length > MOST_PLACES
    ? [`and ${plural(stretches.length - MOST_PLACES, "more stretch", "more stretches")}`]
    : [];
