/**
 * Chooses the most informative experiment of those that could confirm the likeliest cause: the one expected to reduce the
 * entropy over causes most, given the outcome that each cause predicts. One whose outcomes do not name that cause could
 * only leave it standing.
 *
 * @module
 */
import type { NextExperiment } from "../../results/diagnosis.ts";
import { EXPERIMENTS, type Experiment } from "./experiment-list.ts";

/** Experiments can go wrong: this often the outcome is the expected one. */
const RELIABILITY = 0.92;
/** Nats: a smaller gain is not worth a user's time; confirming a cause that already has 95 % gains less. */
const WORTHWHILE = 0.15;
/** Outcomes list causes from this probability on. */
const WORTH_NAMING = 0.005;

/** @param causes probabilities by id, most likely first; returns null if no experiment is worthwhile */
export function chooseExperiment(causes: ReadonlyMap<string, number>): NextExperiment | null {
  const first = [...causes.keys()].find((cause) => cause !== "cannot_tell" && cause !== "healthy");
  const confirming = EXPERIMENTS.filter(({ outcomes }) =>
    outcomes.some((outcome) => outcome.causes.includes(first ?? "")),
  );
  const judged = confirming.map((experiment) => ({ experiment, gain: expectGain(experiment, causes) }));
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

/** Causes that no outcome names lead to the last one; an unlisted cause may lead to any. */
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
