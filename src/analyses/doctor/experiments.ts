/**
 * The experiment that would tell most: by how much each is expected to reduce the entropy of the causes, from what each
 * cause makes of it.
 *
 * @module
 */
import type { NextExperiment } from "../../results/diagnosis.ts";
import { EXPERIMENTS, type Experiment } from "./experiment-list.ts";

/** Experiments go wrong: an outcome is the expected one this often. */
const RELIABILITY = 0.92;
/** Nats: less is not worth a user's time; a cause of 95 % that an experiment would confirm leaves less. */
const WORTHWHILE = 0.15;
/** Outcomes name causes from here on. */
const WORTH_NAMING = 0.005;

/** @param causes probabilities by id, most likely first; null where nothing is left to tell */
export function chooseExperiment(causes: ReadonlyMap<string, number>): NextExperiment | null {
  const judged = EXPERIMENTS.map((experiment) => ({ experiment, gain: expectGain(experiment, causes) }));
  const best = judged.sort((x, y) => y.gain - x.gain)[0];
  return best === undefined || best.gain < WORTHWHILE ? null : describe(best.experiment, best.gain, causes);
}

/** Mutual information of outcome and cause, nats: H(outcome) − E[H(outcome | cause)]. */
function expectGain(experiment: Experiment, causes: ReadonlyMap<string, number>): number {
  const outcomes = experiment.outcomes.length;
  const totals = new Array<number>(outcomes).fill(0);
  let conditional = 0;
  for (const [cause, probability] of causes) {
    const chances = outcomeChances(experiment, cause);
    chances.forEach((chance, k) => {
      totals[k] = totals[k]! + probability * chance;
    });
    conditional += probability * entropy(chances);
  }
  return entropy(totals) - conditional;
}

function entropy(chances: readonly number[]): number {
  return chances.reduce((sum, chance) => sum - (chance > 0 ? chance * Math.log(chance) : 0), 0);
}

/** The last outcome is that of all causes that no other one names; who knows none of these may give any. */
function outcomeChances({ outcomes }: Experiment, cause: string): number[] {
  if (cause === "cannot_tell") return outcomes.map(() => 1 / outcomes.length);
  const named = outcomes.findIndex(({ causes }) => causes.includes(cause));
  const expected = named < 0 ? outcomes.length - 1 : named;
  return outcomes.map((_, k) => (k === expected ? RELIABILITY : (1 - RELIABILITY) / (outcomes.length - 1)));
}

function describe(experiment: Experiment, gain: number, causes: ReadonlyMap<string, number>): NextExperiment {
  const { id, title, steps, outcomes } = experiment;
  const named = new Set(outcomes.flatMap(({ causes }) => causes));
  const likely = [...causes].filter(([, probability]) => probability >= WORTH_NAMING).map(([cause]) => cause);
  return {
    id,
    title,
    steps,
    outcomes: outcomes.map(({ outcome, causes: own }, k) => ({
      outcome,
      causes: likely.filter((cause) =>
        k === outcomes.length - 1 ? !named.has(cause) && cause !== "cannot_tell" : own.includes(cause),
      ),
    })),
    expected_information: gain,
  };
}
