/**
 * Which of several checkpoints each side of a run used: how far its log-probs are from those that the checkpoints give
 * the same texts.
 *
 * @module
 */
import type { FloatArray } from "../../../core/base/index.ts";
import type { CheckpointFit, ServedReport, ServedSide, ServedStep } from "../../../results/served.ts";
import { examineView } from "../examine.ts";
import { measureLogitNoise, NoiseSums } from "../features/logit-noise.ts";
import { median } from "../features/stats.ts";
import type { SampledRow } from "../sample/row.ts";
import { View } from "../sample/view.ts";
import { compareCheckpoints, type PromptDistances } from "./likelihood.ts";
import { sayServed } from "./words.ts";

/** A sequence with its log-probs under each checkpoint. */
export interface RescoredRow {
  readonly row: SampledRow;
  /** In the order of the checkpoints, `[tokens]` each, nats. */
  readonly scores: readonly FloatArray[];
}

export interface NamedCheckpoint {
  readonly name: string;
  readonly at: string;
}

type Side = "rollout" | "trainer";

/** One side's answer, and its distance to each checkpoint. */
interface JudgedSide {
  readonly answer: ServedSide;
  readonly fits: readonly CheckpointFit[];
}

/**
 * Null if there is no checkpoint, or no token that both sides and all checkpoints have a log-prob of.
 *
 * Log-odds between checkpoints are those of `compareCheckpoints`. "None of these" is judged like a fault of the run
 * (`judgeHealth`), with the nearest checkpoint as the other side.
 */
export function judgeServed(
  rows: readonly RescoredRow[],
  checkpoints: readonly NamedCheckpoint[],
): ServedReport | null {
  const tokens = rows.reduce((sum, each) => sum + comparable(each).length, 0);
  if (tokens === 0 || checkpoints.length === 0) return null;
  const names = checkpoints.map(({ name }) => name);
  const [rollout, trainer] = (["rollout", "trainer"] as const).map((side) => judgeSide(rows, names, side));
  const answer = { rollout: rollout!.answer, trainer: trainer!.answer, by_step: judgeSteps(rows, names) };
  return {
    sentence: sayServed(answer, rollout!.fits[names.indexOf(answer.rollout.nearest)]!),
    sequences: rows.length,
    prompts: new Set(rows.map(({ row }) => row.group)).size,
    tokens,
    ...answer,
    checkpoints: checkpoints
      .map(({ name, at }, i) => ({ name, at, rollout: rollout!.fits[i]!, trainer: trainer!.fits[i]! }))
      .sort(
        (a, b) =>
          b.rollout.probability - a.rollout.probability ||
          a.rollout.logit_noise_mean - b.rollout.logit_noise_mean,
      ),
  };
}

function judgeSteps(rows: readonly RescoredRow[], names: readonly string[]): ServedStep[] {
  const steps = groupRows(rows, ({ row }) => row.step);
  if (steps.size < 2) return [];
  return [...steps]
    .filter(([step, own]) => !Number.isNaN(step) && own.some((each) => comparable(each).length > 0))
    .sort(([a], [b]) => a - b)
    .map(([step, own]) => ({
      step,
      sequences: own.length,
      rollout: judgeSide(own, names, "rollout").answer,
      trainer: judgeSide(own, names, "trainer").answer,
    }));
}

/** Places of the row's sampled tokens that both sides and all checkpoints have a log-prob of. */
function comparable({ row, scores }: RescoredRow): number[] {
  const columns = [row.rollout, row.trainer, ...scores];
  return [...row.mask.keys()].filter(
    (t) => row.mask[t] === 1 && columns.every((column) => Number.isFinite(column[t]!)),
  );
}

function judgeSide(rows: readonly RescoredRow[], names: readonly string[], side: Side): JudgedSide {
  const distances = names.map((_, checkpoint) => measureDistance(rows, side, checkpoint));
  const nearest = distances.reduce(
    (best, { noiseMean }, i) => (noiseMean < distances[best]!.noiseMean ? i : best),
    0,
  );
  const { health } = examineView(viewAgainst(rows, side, nearest));
  const odds = compareCheckpoints(distancesByPrompt(rows, side), nearest, distances[nearest]!.noiseMean);
  const none = 1 / (1 + Math.exp(health.logOdds));
  const total = odds.reduce((sum, each) => sum + Math.exp(each), 0);
  const fits = distances.map(({ noise, noiseMean, deltaMedian }, i) => ({
    probability: ((1 - none) * Math.exp(odds[i]!)) / total,
    logit_noise: noise,
    logit_noise_mean: noiseMean,
    delta_abs_median: deltaMedian,
  }));
  const likeliest = fits.reduce((best, fit, i) => (fit.probability > fits[best]!.probability ? i : best), 0);
  return {
    fits,
    answer: {
      checkpoint: fits[likeliest]!.probability >= none ? names[likeliest]! : null,
      nearest: names[nearest]!,
      none,
      most_noise: health.threshold,
    },
  };
}

/** The side's column beside a checkpoint's, as if these were the rollout's and the trainer's. */
function viewAgainst(rows: readonly RescoredRow[], side: Side, checkpoint: number): View {
  return new View(
    rows.map(({ row, scores }) => ({ ...row, rollout: row[side], trainer: scores[checkpoint]! })),
  );
}

interface Distance {
  readonly noise: number;
  readonly noiseMean: number;
  readonly deltaMedian: number;
}

function measureDistance(rows: readonly RescoredRow[], side: Side, checkpoint: number): Distance {
  const sizes: number[] = [];
  const sums = new NoiseSums();
  for (const each of rows)
    for (const t of comparable(each)) {
      const own = each.row[side][t]!;
      const delta = each.scores[checkpoint]![t]! - own;
      sizes.push(Math.abs(delta));
      sums.add(own, delta);
    }
  const { logitNoise: noise, logitNoiseMean: noiseMean } = measureLogitNoise(sums);
  return { noise, noiseMean, deltaMedian: median(sizes) };
}

function distancesByPrompt(rows: readonly RescoredRow[], side: Side): PromptDistances[] {
  return [...groupRows(rows, ({ row }) => row.group).values()].map((own) => {
    const places = own.map((each) => [each, comparable(each)] as const);
    const list = (of: (each: RescoredRow, t: number) => number): Float64Array =>
      Float64Array.from(places.flatMap(([each, at]) => at.map((t) => of(each, t))));
    return {
      unsure: list(({ row }, t) => -Math.expm1(row[side][t]!)),
      deltas: own[0]!.scores.map((_, i) => list(({ row, scores }, t) => scores[i]![t]! - row[side][t]!)),
    };
  });
}

function groupRows(
  rows: readonly RescoredRow[],
  keyOf: (each: RescoredRow) => number,
): Map<number, RescoredRow[]> {
  const groups = new Map<number, RescoredRow[]>();
  for (const each of rows) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}
