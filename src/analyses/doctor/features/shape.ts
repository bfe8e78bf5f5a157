/**
 * Describes a difference of two policies as numbers by which causes can be compared. Most are ratios, so that they mean
 * the same for small and large models.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { type Confidence, measureConfidence } from "./confidence.ts";
import { type Consistency, measureConsistency } from "./consistency.ts";
import { measurePlaces, type Places } from "./places.ts";
import { measurePrefixes, type Prefixes } from "./prefixes.ts";
import { measureRepeats, type Repeats } from "./repeats.ts";
import { measureScale, type Scale } from "./scale.ts";
import { measureSpread, type Spread } from "./spread.ts";
import { measureStaleness, type Staleness } from "./staleness.ts";
import { quantiles } from "./stats.ts";
import { measureTilt, type Tilt } from "./tilt.ts";
import { measureTraining, type Training } from "./training.ts";

export interface Figures {
  readonly spread: Spread;
  readonly tilt: Tilt;
  readonly confidence: Confidence;
  readonly places: Places;
  readonly prefixes: Prefixes;
  readonly repeats: Repeats | null;
  readonly scale: Scale | null;
  readonly training: Training;
  readonly consistency: Consistency;
  readonly staleness: Staleness | null;
}

export function measureFigures(view: View): Figures {
  return {
    spread: measureSpread(view),
    tilt: measureTilt(view),
    confidence: measureConfidence(view),
    places: measurePlaces(view),
    prefixes: measurePrefixes(view),
    repeats: measureRepeats(view),
    scale: measureScale(view),
    training: measureTraining(view),
    consistency: measureConsistency(view),
    staleness: measureStaleness(view),
  };
}

/** Names of the numbers, in the order in which evidence lists them. */
export const SHAPE = [
  "level",
  "noise",
  "asymmetry",
  "concentration",
  "slope",
  "scatter",
  "positive",
  "bend",
  "early",
  "position",
  "prefixTrainer",
  "prefixRollout",
  "packing",
  "promptLength",
  "advantage",
  "alongTrainer",
  "referenceDistance",
  "repeats",
  "zeros",
  "surplus",
  "trainerSurprised",
  "rolloutSurprised",
  "rowSpread",
  "unitMean",
  "byToken",
  "byPair",
  "byPrompt",
  "neighbors",
  "sureness",
  "turnStarts",
  "copied",
] as const;

export type ShapeName = (typeof SHAPE)[number];
/** NaN if the data do not give a number. */
export type Shape = Readonly<Record<ShapeName, number>>;

const log = (value: number, floor: number): number => Math.log10(Math.max(value, floor));
const clip = (value: number, most: number): number => Math.max(-most, Math.min(most, value));

/** Tokens after equal prefixes needed for a comparison. */
const FEWEST_PAIRS = 20;
const FEWEST_ROWS = 16;

export function describeShape(figures: Figures): Shape {
  const { spread, confidence, places, prefixes, training, consistency } = figures;
  const { reference, advantage } = training;
  const hasPairs = prefixes.pairs >= FEWEST_PAIRS;
  const rows = places.rowGaps.filter(Number.isFinite);
  const [low, high] = quantiles(rows, [0.15, 0.85]) as [number, number];
  return {
    level: log(spread.meanAbs, 1e-8),
    noise: log(spread.logitNoiseMedian, 1e-6),
    asymmetry: spread.asymmetry,
    concentration: log(spread.logitGap[2] / (spread.logitGap[0] + 1e-6), 1),
    slope: clip(Math.log(confidence.slope), 1.5),
    scatter: log(1 - confidence.correlation ** 2, 1e-7) - 2 * log(spread.logitNoiseMedian, 1e-3),
    positive: confidence.decided < 20 ? Number.NaN : confidence.positiveShare,
    bend: measureBend(confidence),
    early: log(places.early, 1e-4) - log(places.later, 1e-4),
    position: compareEnds(places),
    prefixTrainer: hasPairs ? log(prefixes.trainer / (prefixes.between + 1e-6), 1e-3) : Number.NaN,
    prefixRollout: hasPairs ? log(prefixes.rollout / (prefixes.between + 1e-6), 1e-3) : Number.NaN,
    packing:
      places.packing === null
        ? Number.NaN
        : log(places.packing.otherGap / (places.packing.soundGap + 1e-6), 0.1),
    promptLength: places.promptLength.r,
    advantage: advantage.rows < FEWEST_ROWS ? Number.NaN : advantage.r,
    alongTrainer: reference?.alongTrainer ?? Number.NaN,
    referenceDistance:
      reference === null
        ? Number.NaN
        : clip(log(reference.rolloutDistance, 1e-6) - log(reference.trainerDistance, 1e-6), 2),
    repeats: measureContrast(figures.repeats),
    zeros: Math.max(confidence.rolloutZero, confidence.trainerZero),
    surplus: confidence.rolloutSurplus.tokens === 0 ? Number.NaN : clip(confidence.rolloutSurplus.z, 12),
    trainerSurprised: log(spread.trainerSurprised, 1e-4),
    rolloutSurprised: log(spread.rolloutSurprised, 1e-4),
    rowSpread: log(high / (low + 1e-6), 1),
    unitMean: clip(spread.unitMeanZ, 12),
    byToken: consistency.byToken,
    byPair: consistency.byPair,
    byPrompt: consistency.byPrompt,
    neighbors: consistency.neighbors,
    sureness: consistency.sureness,
    turnStarts: clip(Math.log10(consistency.turnStarts), 2),
    copied: clip(Math.log10(places.copied / places.written), 2),
  };
}

/** How much logits are scaled at sure tokens compared with unsure ones: about 1 or more for a temperature. */
function measureBend({ ratioBySureness }: Confidence): number {
  const known = ratioBySureness.filter(Number.isFinite);
  const [first, last] = [known[0], known[known.length - 1]];
  if (known.length < 2 || first === undefined || last === undefined || Math.abs(first - 1) < 0.02)
    return Number.NaN;
  return clip((last - 1) / (first - 1), 3);
}

/** Level in the last quarter of positions relative to the first. */
function compareEnds({ bins }: Places): number {
  const quarter = Math.max(1, Math.floor(bins.length / 4));
  const level = (part: Places["bins"]): number =>
    part.reduce((sum, { gap }) => sum + gap, 0) / Math.max(1, part.length);
  return log(level(bins.slice(-quarter)), 1e-4) - log(level(bins.slice(0, quarter)), 1e-4);
}

/** Near 1 if repeated tokens move one way and new ones the other, and that makes up most of the movement. */
function measureContrast(repeats: Repeats | null): number {
  if (repeats === null || repeats.freshTokens < 10 || repeats.repeatedTokens < 10) return Number.NaN;
  const size = Math.abs(repeats.fresh) + Math.abs(repeats.repeated);
  return size === 0 ? 0 : (repeats.explained * (repeats.repeated - repeats.fresh)) / size;
}
