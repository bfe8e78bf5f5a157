/** What digests of both sides' weights say about causes: equal ones rule different weights out, others prove them. */
import type { WeightFacts } from "../../../results/diagnosis.ts";
import type { Odds } from "../rank.ts";

/** Causes by which the weights that a side loaded are others. */
const OTHER_WEIGHTS = [
  "stale_weights",
  "trainer_ahead_one_update",
  "wrong_checkpoint",
  "layer_not_synced",
  "tied_head_not_synced",
  "lora_not_merged",
];
/** Weights that are the same only after rounding: the trainer's may have moved by less than the engine can hold. */
const BELOW_PRECISION = "update_below_precision";
/** Causes by which one side has the other's weights of another step. */
const OTHER_STEP = new Set(["stale_weights", "trainer_ahead_one_update"]);
/**
 * Nats. Digests compare a sample of each tensor at the time of recording, and somebody may have digested the wrong copy:
 * they decide where log-probs are silent, and not against what those prove.
 */
const SURE = 8;
const LIKELY = 4;
/** Share of the run's sequences that must state equal weights to speak for all of it. */
const MOST_OF_IT = 0.95;

/** @param sequences of the run, with and without digests */
export function weighWeights(
  odds: ReadonlyMap<string, Odds>,
  facts: WeightFacts | null,
  sequences: number,
): Map<string, Odds> {
  const weighed = new Map(odds);
  const speak = facts === null ? undefined : chooseWeights(facts, sequences);
  if (facts === null || speak === undefined) return weighed;
  const { sentence, equal, rounded, different, unknown, lag } = facts;
  for (const cause of [...OTHER_WEIGHTS, BELOW_PRECISION]) {
    const known = weighed.get(cause);
    const weight = speak(cause);
    if (known === undefined || weight === 0) continue;
    const clue = { cause, weight, sentence, figures: { equal, rounded, different, unknown, lag } };
    weighed.set(cause, { ...known, score: known.score + weight, clues: [...known.clues, clue] });
  }
  return weighed;
}

/** Nats for each cause; undefined if the digests leave it open whether weights differ. */
function chooseWeights(facts: WeightFacts, sequences: number): ((cause: string) => number) | undefined {
  const { equal, rounded, different, lag } = facts;
  if (different === 0 && equal + rounded < MOST_OF_IT * sequences) return undefined;
  if (different === 0) return (cause) => (cause === BELOW_PRECISION ? weighRounded(facts) : -SURE);
  if (lag === null) return (cause) => (cause === BELOW_PRECISION || OTHER_STEP.has(cause) ? 0 : LIKELY);
  return (cause) => {
    if (!OTHER_STEP.has(cause)) return -LIKELY;
    // The trainer scores with the weights after its update: the engine's are those of its step before.
    return cause === "trainer_ahead_one_update" && lag !== 1 ? -LIKELY : SURE;
  };
}

/** Nats for updates below the engine's precision, where no digests differ after rounding. */
function weighRounded({ equal, rounded, updates, updates_below_bfloat16: lost }: WeightFacts): number {
  if (rounded < equal) return -SURE;
  return lost > 0 && lost >= updates / 2 ? SURE : 0;
}
