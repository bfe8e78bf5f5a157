/**
 * What the stated weights of a run say: whether both sides had the same, since when not, and how many steps apart.
 *
 * @module
 */
import { relateWeights, type WeightRelation, weightKeys } from "../../../core/schema/index.ts";
import type { WeightFacts } from "../../../results/diagnosis.ts";
import type { StatedWeights } from "./weights-seen.ts";
import { sayWeights, type WeightCounts } from "./words.ts";

interface Related {
  readonly step: number;
  readonly relation: WeightRelation;
  /** Null unless the trainer had the engine's weights at another step. */
  readonly lag: number | null;
  readonly sequences: number;
}

/** @param stated by step, unknown ones last. Null if no sequence states both sides' weights */
export function relateSides(stated: readonly StatedWeights[]): WeightFacts | null {
  const owners = findOwners(stated);
  const related = stated.flatMap((each) => relate(each, owners));
  if (related.length === 0) return null;
  const different = related.filter(({ relation }) => relation === "different");
  const first = different.find(({ step }) => !Number.isNaN(step));
  const [lag = null, sequences = 0] = mostFrequentLag(different) ?? [];
  const counts: WeightCounts = {
    sequences: count(related),
    equal: count(related, "equal"),
    rounded: count(related, "rounded"),
    different: count(related, "different"),
    unknown: count(related, "unknown"),
    first_different_step: first?.step ?? null,
    lag,
    lag_sequences: sequences,
    ...countUpdates(stated),
  };
  return { ...counts, sentence: sayWeights(counts) };
}

function count(related: readonly Related[], of?: WeightRelation): number {
  return related
    .filter(({ relation }) => of === undefined || relation === of)
    .reduce((sum, { sequences }) => sum + sequences, 0);
}

/** The steps at which the trainer had each weights, ascending. */
function findOwners(stated: readonly StatedWeights[]): Map<string, number[]> {
  const owners = new Map<string, number[]>();
  for (const { step, trainer } of stated) {
    if (trainer === null || Number.isNaN(step)) continue;
    const { rounded } = weightKeys(trainer);
    const steps = owners.get(rounded);
    if (steps === undefined) owners.set(rounded, [step]);
    else if (steps.at(-1) !== step) steps.push(step);
  }
  return owners;
}

function relate(
  { step, rollout, trainer, sequences }: StatedWeights,
  owners: ReadonlyMap<string, readonly number[]>,
): Related[] {
  if (rollout === null || trainer === null) return [];
  const relation = relateWeights(rollout, trainer);
  if (relation === "equal" || relation === "rounded") return [{ step, relation, lag: null, sequences }];
  // If the trainer used the same text at another step, both sides name weights alike, and these are others.
  const steps = owners.get(weightKeys(rollout).rounded) ?? [];
  const owner = steps.findLast((at) => at < step) ?? steps.find((at) => at > step);
  if (owner === undefined) return [{ step, relation, lag: null, sequences }];
  return [{ step, relation: "different", lag: step - owner, sequences }];
}

function mostFrequentLag(related: readonly Related[]): [lag: number, sequences: number] | undefined {
  const lags = new Map<number, number>();
  for (const { lag, sequences } of related) if (lag !== null) lags.set(lag, (lags.get(lag) ?? 0) + sequences);
  return [...lags].sort(([a, x], [b, y]) => y - x || a - b)[0];
}

/** Changes of the trainer's weights from one recorded step to the next, where each step has one. */
function countUpdates(
  stated: readonly StatedWeights[],
): Pick<WeightFacts, "updates" | "updates_below_bfloat16"> {
  const steps = new Map<number, Set<string>>();
  for (const { step, trainer } of stated) {
    if (trainer === null || Number.isNaN(step)) continue;
    steps.set(step, (steps.get(step) ?? new Set()).add(trainer));
  }
  const weights = [...steps.values()].flatMap((texts) =>
    texts.size === 1 ? [weightKeys([...texts][0]!)] : [],
  );
  let [updates, below] = [0, 0];
  for (const [i, { exact, rounded }] of weights.entries()) {
    const before = weights[i - 1];
    if (before === undefined || before.exact === exact) continue;
    updates++;
    if (before.rounded === rounded) below++;
  }
  return { updates, updates_below_bfloat16: below };
}
