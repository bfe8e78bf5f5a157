import { CUT_RATE, findChangePoints } from "../../core/statistics/change-points.ts";
import { isEnough } from "../../core/statistics/enough.ts";
import { CLUSTER, CLUSTER_WIDTH, type ClusterSums } from "../../core/summaries/index.ts";
import type { StepSegment, When } from "../../results/assessment.ts";
import type { ReadingLevel } from "../../results/report.ts";
import { findWorstLevel, readFigure } from "./baselines.ts";

/** With fewer prompts their spread is not known. */
const FEWEST_PROMPTS = 4;
/**
 * Range of mean |Δ| in nats within which levels are distinguished: below is float32 rounding, above is beyond any real
 * mismatch.
 */
const [LEAST, MOST] = [1e-5, 1e3];
/** Factor by which neighboring segments of the same level must differ. */
export const FACTOR = 2;

/** Columns of a row; with x = Σ|Δ| (nats) and n = tokens of a prompt, the last three are Σx², Σxn and Σn² over prompts. */
const AT = {
  from: 0,
  to: 1,
  steps: 2,
  sequences: 3,
  tokens: 4,
  deltaAbs: 5,
  k3: 6,
  probTokens: 7,
  probDiffAbs: 8,
  prompts: 9,
  squares: 10,
  products: 11,
  lengths: 12,
} as const;
const WIDTH = Object.keys(AT).length;

/** What is needed of a step: its sums by prompt, as slices of a run summary have them. */
export interface StepOfRun {
  readonly step: number;
  readonly clusters: ClusterSums | undefined;
}

/** What the steps show; the words also depend on the verdict. */
export type Segmentation = Omit<When, "words">;

/**
 * Cuts a run where the level of its steps jumps: which steps are bad, since when, and whether it is over.
 *
 * Uses only sums by step and prompt, which are exact, so merged parts give the same answer as the whole. A step with
 * too little data is joined with the following ones until they have enough together, or left out if those have enough
 * alone. Keeps 104 bytes per step.
 */
export class StepLevels {
  /** {@link WIDTH} numbers per point: a step, or several small ones. */
  readonly #points: number[] = [];
  /** Small steps collected so far. */
  #small: Float64Array | undefined;
  #skipped = 0;

  /** @param one the next step, in ascending order; a step without a number is left out */
  add({ step, clusters }: StepOfRun): void {
    if (Number.isNaN(step) || clusters === undefined || clusters.count === 0) return;
    const row = sumStep(step, clusters);
    if (isPoint(row)) this.#skip();
    else if (this.#small !== undefined) addRow(row, this.#small);
    this.#small = isPoint(row) ? undefined : row;
    if (this.#small === undefined) this.#points.push(...row);
  }

  #skip(): void {
    this.#skipped += this.#small?.[AT.steps] ?? 0;
    this.#small = undefined;
  }

  find(): Segmentation {
    this.#skip();
    const points = Float64Array.from(this.#points);
    const count = points.length / WIDTH;
    const levels = new Float64Array(count);
    for (let i = 0; i < count; i++) levels[i] = logLevel(pointAt(points, i));
    const cuts = findChangePoints(levels, poolVariances(points));
    return {
      segments: count === 0 ? [] : joinAlike(points, cuts),
      steps_skipped: this.#skipped,
      false_alarm_rate: CUT_RATE,
    };
  }
}

function sumStep(step: number, clusters: ClusterSums): Float64Array {
  const { table } = clusters;
  const row = new Float64Array(WIDTH);
  row.set([step, step, 1, clusters.sequences]);
  row[AT.prompts] = clusters.count;
  for (let at = 0; at < table.length; at += CLUSTER_WIDTH) {
    const [n, x] = [table[at + CLUSTER.tokens]!, table[at + CLUSTER.deltaAbs]!];
    row[AT.tokens]! += n;
    row[AT.deltaAbs]! += x;
    row[AT.k3]! += table[at + CLUSTER.k3]!;
    row[AT.probTokens]! += table[at + CLUSTER.probTokens]!;
    row[AT.probDiffAbs]! += table[at + CLUSTER.probDiffAbs]!;
    row[AT.squares]! += x * x;
    row[AT.products]! += x * n;
    row[AT.lengths]! += n * n;
  }
  return row;
}

function addRow(into: Float64Array, row: Float64Array): void {
  into[AT.from] = Math.min(into[AT.from]!, row[AT.from]!);
  into[AT.to] = Math.max(into[AT.to]!, row[AT.to]!);
  for (let i = AT.steps; i < WIDTH; i++) into[i]! += row[i]!;
}

const isPoint = (row: Float64Array): boolean =>
  isEnough({ tokens: row[AT.tokens]!, sequences: row[AT.sequences]! }) && row[AT.prompts]! >= FEWEST_PROMPTS;

const meanOf = (row: Float64Array): number => row[AT.deltaAbs]! / row[AT.tokens]!;

const logLevel = (row: Float64Array): number => Math.log(Math.min(MOST, Math.max(LEAST, meanOf(row))));

const pointAt = (points: Float64Array, at: number): Float64Array =>
  points.subarray(at * WIDTH, (at + 1) * WIDTH);

/**
 * Sampling variance of each point's ln mean |Δ|, over prompts: C/(C − 1) · Σ(x − R n)² / (Σx)² with R = Σx/Σn. It would
 * be too small where a rarely drawn prompt is absent, so it is at least what all points together give for as many
 * prompts.
 */
function poolVariances(points: Float64Array): Float64Array {
  const count = points.length / WIDTH;
  const variances = new Float64Array(count);
  let pooled = 0;
  for (let i = 0; i < count; i++) {
    const row = pointAt(points, i);
    const [prompts, x, mean] = [row[AT.prompts]!, row[AT.deltaAbs]!, meanOf(row)];
    const squares = row[AT.squares]! - 2 * mean * row[AT.products]! + mean * mean * row[AT.lengths]!;
    const variance = ((prompts / (prompts - 1)) * Math.max(0, squares)) / (x * x);
    // Sums that overflow come from a single prompt, whose variance is 1.
    variances[i] = x === 0 ? 0 : Number.isFinite(variance) ? variance : 1;
    pooled += (variances[i]! * prompts) / count;
  }
  return variances.map((own, i) => Math.max(own, pooled / points[i * WIDTH + AT.prompts]!));
}

/**
 * Joins from left to right: a part that has the same level as the one before and differs by less than the factor
 * belongs to it.
 */
function joinAlike(points: Float64Array, cuts: readonly number[]): StepSegment[] {
  const parts: Float64Array[] = [];
  const bounds = [0, ...cuts, points.length / WIDTH];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const part = points.slice(bounds[i]! * WIDTH, (bounds[i]! + 1) * WIDTH);
    for (let at = bounds[i]! + 1; at < bounds[i + 1]!; at++) addRow(part, pointAt(points, at));
    while (parts.length > 0 && areAlike(parts.at(-1)!, part)) addRow(part, parts.pop()!);
    parts.push(part);
  }
  let at = 0;
  return parts.map((part) => {
    const level = levelOf(part);
    let atLevel = 0;
    for (; at < points.length / WIDTH && pointAt(points, at)[AT.to]! <= part[AT.to]!; at++)
      if (levelOf(pointAt(points, at)) === level) atLevel += pointAt(points, at)[AT.steps]!;
    return describeSegment(part, level, atLevel);
  });
}

function areAlike(a: Float64Array, b: Float64Array): boolean {
  return levelOf(a) === levelOf(b) && Math.abs(logLevel(a) - logLevel(b)) < Math.log(FACTOR);
}

function describeSegment(sums: Float64Array, level: ReadingLevel, atLevel: number): StepSegment {
  return {
    from_step: sums[AT.from]!,
    to_step: sums[AT.to]!,
    steps: sums[AT.steps]!,
    steps_at_level: atLevel,
    tokens: sums[AT.tokens]!,
    delta_abs_mean: meanOf(sums),
    k3: sums[AT.k3]! / sums[AT.tokens]!,
    level,
  };
}

function levelOf(row: Float64Array): ReadingLevel {
  if (row[AT.deltaAbs] === 0) return "none";
  const figures = {
    delta_abs_mean: meanOf(row),
    k3: row[AT.k3]! / row[AT.tokens]!,
    prob_diff_mean: row[AT.probDiffAbs]! / row[AT.probTokens]!,
  };
  return findWorstLevel(
    Object.entries(figures).flatMap(([metric, value]) => readFigure(metric, value)?.level ?? []),
  );
}
