/**
 * Examines a set of sequences: marks first, then whether the rest is an engine's precision, a column with a different
 * meaning, or a difference of policies, and which.
 *
 * @module
 */
import type { Clue } from "./clue.ts";
import { measureConsistency } from "./features/consistency.ts";
import { removeScale, type Scale } from "./features/scale.ts";
import { describeShape, type Figures, measureFigures, type Shape } from "./features/shape.ts";
import { measureSpread } from "./features/spread.ts";
import { measureStepNoise } from "./features/step-noise.ts";
import { type Health, judgeHealth, judgeNamelessNoise, type NoiseFloor } from "./judge/health.ts";
import { spreadKin } from "./judge/kin.ts";
import { compareLikeness } from "./judge/likeness.ts";
import { judgeMarks } from "./judge/marks.ts";
import { judgeMeaning, judgeSurplus } from "./judge/meaning.ts";
import { listUnlikeNoise } from "./judge/noise.ts";
import { addLogs, type Odds } from "./rank.ts";
import type { View } from "./sample/view.ts";
import { examineStructure, type Structure } from "./structure/examine.ts";

export interface Examined {
  readonly odds: Map<string, Odds>;
  readonly structure: Structure;
  readonly figures: Figures;
  readonly shape: Shape;
  readonly health: Health;
  /** Log-odds of the strongest mark; −Infinity if there is none. */
  readonly strongest: number;
}

/** Prior penalty for a second fault next to one that a mark proves. */
const SECOND_FAULT = 5;
/** Marks count as proof from this weight on, nats. */
const PROOF = 2;
/** Log-odds of a cause whose profile the run does not resemble, or that has none. */
const UNLIKE_ITS_PROFILE = -4;
/** A mark of this weight, nats, is written in the dump itself. */
const CERTAIN = 9;
/** Prior log-odds of an unlisted fault. */
const NONE_OF_THESE = -3;

export interface ExamineOptions {
  /** Whole steps, if the view is a sample of groups. */
  readonly steps?: View | undefined;
  /** σ of the engine's own noise, if three columns show it, nats. */
  readonly engineNoise?: number | undefined;
}

export function examineView(view: View, { steps, engineNoise }: ExamineOptions = {}): Examined {
  const structure = examineStructure(view, steps);
  const figures = measureFigures(view);
  const shape = describeShape(figures);
  const floor = findFloor(view, figures, engineNoise);
  const health = judgeHealth(figures, shape, { roundingAbs: structure.lattice.expectedAbs, floor });
  const marks = sumByCause(structure.clues);
  const strongest = Math.max(Number.NEGATIVE_INFINITY, ...[...marks.values()].map(({ score }) => score));
  const rest =
    figures.spread.tokens === 0 ? new Map<string, Odds>() : judgeRest(view, figures, shape, health);
  return {
    structure,
    figures,
    shape,
    health,
    strongest,
    odds: joinOdds(marks, shareRest(rest, structure.left), strongest >= PROOF),
  };
}

/** What the run shows about its engine's noise: from a third column, from its freshest weights, else from its own steps. */
function findFloor(
  view: View,
  { staleness }: Figures,
  engineNoise: number | undefined,
): NoiseFloor | undefined {
  if (engineNoise !== undefined) return { sigma: engineNoise, of: "third column" };
  if (staleness !== null && staleness.ages.length > 1)
    return { sigma: staleness.ages[0]!.noise, of: "freshest weights" };
  const sigma = measureStepNoise(view);
  return sigma === null ? undefined : { sigma, of: "own steps" };
}

function sumByCause(clues: readonly Clue[]): Map<string, Odds> {
  const odds = new Map<string, Odds>();
  for (const clue of clues) {
    const known = odds.get(clue.cause);
    odds.set(clue.cause, {
      // Several placeholders are one bug: only the strongest counts.
      score: Math.max(known?.score ?? Number.NEGATIVE_INFINITY, clue.weight),
      clues: [...(known?.clues ?? []), clue],
      explains: clue.explains == null ? null : Math.max(known?.explains ?? 0, clue.explains),
    });
  }
  return odds;
}

/** Log-odds of explanations for the tokens that no mark claimed, relative to "a difference of policies" at 0. */
function judgeRest(view: View, figures: Figures, shape: Shape, health: Health): Map<string, Odds> {
  const odds = new Map<string, Odds>();
  const meaning = judgeMeaning(figures, shape, (scale) => leavesNoise(view, scale, health));
  const isMeaning = meaning.logOdds > 0;
  const logHealthy = isMeaning ? Math.min(health.logOdds, -6) : health.logOdds;
  odds.set("healthy", { score: logHealthy, clues: [health.clue] });
  // A column that is raw beside samples of another temperature has a surplus because of that.
  for (const surplus of isMeaning ? [] : judgeSurplus(figures))
    odds.set(surplus.cause, { score: Math.max(logHealthy, 0) + surplus.weight, clues: [surplus] });
  const total = addLogs(meaning.clues.map(({ weight }) => weight));
  for (const clue of meaning.clues)
    odds.set(clue.cause, { score: meaning.logOdds + clue.weight - total, clues: [clue] });
  const marks = judgeMarks(figures, shape, health.logOdds > 3);
  for (const [cause, { score, clues }] of judgeDifferences(shape, marks)) {
    const known = odds.get(cause);
    odds.set(
      cause,
      known ? { score: addLogs([known.score, score]), clues: [...known.clues, ...clues] } : { score, clues },
    );
  }
  const isNamed = marks.some(({ weight }) => weight > 0);
  const nameless = isNamed ? undefined : judgeNamelessNoise(figures, health);
  odds.set("cannot_tell", { score: nameless?.weight ?? NONE_OF_THESE, clues: nameless ? [nameless] : [] });
  return odds;
}

/** Whether what a factor on the logits leaves of Δ is noise, and less of it than an engine's precision explains. */
function leavesNoise(view: View, scale: Scale, { threshold }: Health): boolean {
  const other = view.withDelta(removeScale(view, scale));
  const spread = measureSpread(other);
  const { byToken, byPair } = measureConsistency(other);
  const shape = {
    ...{ byToken, byPair, zeros: 0, surplus: 0, sureness: 0 },
    ...{ prefixTrainer: Number.NaN, prefixRollout: Number.NaN },
  };
  return listUnlikeNoise(spread, shape).length === 0 && spread.logitNoiseMean < threshold;
}

function judgeDifferences(shape: Shape, marks: readonly Clue[]): Map<string, Odds> {
  const likeness = new Map(
    compareLikeness(shape).flatMap(({ kin, probability, clues }) =>
      spreadKin(kin).map(({ cause, share }) => [
        cause,
        { score: Math.log(probability * share + 1e-9), clues: clues.map((clue) => ({ ...clue, cause })) },
      ]),
    ) as [string, Odds][],
  );
  for (const mark of marks) {
    const known = likeness.get(mark.cause) ?? { score: UNLIKE_ITS_PROFILE, clues: [] };
    // A mark is seen in this run, a profile was seen in others: it holds a proven cause back only so far.
    const score = mark.weight >= CERTAIN ? Math.max(known.score, UNLIKE_ITS_PROFILE) : known.score;
    likeness.set(mark.cause, { score: score + mark.weight, clues: [mark, ...known.clues] });
  }
  const total = addLogs([...likeness.values()].map(({ score }) => score));
  return new Map([...likeness].map(([cause, { score, clues }]) => [cause, { score: score - total, clues }]));
}

/** What no mark explains could be explained by any of the other causes. */
function shareRest(rest: ReadonlyMap<string, Odds>, left: number | null): Map<string, Odds> {
  return new Map(
    [...rest].map(([cause, odds]) => [cause, cause === "cannot_tell" ? odds : { ...odds, explains: left }]),
  );
}

/** A mark that explains less than this share of Σ|Δ| does not account for the rest, if something else does. */
const MOST_OF_IT = 0.5;
/** The rest counts as a named fault only if the probability of it being healthy, or unnamed, is at most this. */
const SOUND_REST = 0.05;
const NAMELESS_REST = 0.5;

/**
 * With a proven fault, the rest is judged as a second fault; without one, as the only fault. Marks that explain little
 * do not compete with what makes up most of Σ|Δ|: both are true.
 */
function joinOdds(
  marks: ReadonlyMap<string, Odds>,
  rest: ReadonlyMap<string, Odds>,
  isProven: boolean,
): Map<string, Odds> {
  const odds = new Map<string, Odds>();
  const total = addLogs([...rest.values()].map(({ score }) => score));
  const isApart = isProven && isMostOfIt(marks, rest, total);
  for (const [cause, { score, ...more }] of rest) {
    const isFault = cause !== "healthy" && cause !== "cannot_tell";
    const second = score - total + (isFault ? SECOND_FAULT : -2);
    odds.set(cause, { ...more, score: isProven && !isApart ? second : score });
  }
  for (const [cause, mark] of marks) {
    const known = odds.get(cause);
    if (known !== undefined) {
      const clues = [...mark.clues, ...known.clues];
      odds.set(cause, { ...known, score: addLogs([known.score, mark.score]), clues });
    } else odds.set(cause, isApart && mark.score >= PROOF ? { ...mark, coexists: true } : mark);
  }
  return odds;
}

/** Whether what the marks leave is most of Σ|Δ| and a named fault. */
function isMostOfIt(
  marks: ReadonlyMap<string, Odds>,
  rest: ReadonlyMap<string, Odds>,
  total: number,
): boolean {
  const chance = (cause: string): number =>
    Math.exp((rest.get(cause)?.score ?? Number.NEGATIVE_INFINITY) - total);
  const left = rest.get("healthy")?.explains ?? 0;
  return (
    left > MOST_OF_IT &&
    [...marks].every(([cause, { explains }]) => !rest.has(cause) && (explains ?? 0) < MOST_OF_IT) &&
    chance("healthy") < SOUND_REST &&
    chance("cannot_tell") < NAMELESS_REST
  );
}
