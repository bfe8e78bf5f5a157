/**
 * Contradictions between what joined files state about their own sides: they name a cause before any number is
 * examined, but the numbers must leave that cause open, because both columns may have been taken before the parameter
 * applied.
 */
import type { Finding } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Odds } from "../rank.ts";

interface Stated {
  readonly name: string;
  readonly causes: readonly string[];
  /** Nats for each of the causes. */
  readonly weight: number;
}

const TRUNCATION = ["truncation_renormalised", "truncation_unlogged"];
const PENALTY = ["penalty_mismatch"];
/** Each side names weights in its own way, so different names say little. */
const WEIGHTS = [
  "stale_weights",
  "trainer_ahead_one_update",
  "wrong_checkpoint",
  "layer_not_synced",
  "lora_not_merged",
];

const FACTS = new Map<string, Stated>([
  ["temperature", { name: "temperature", causes: ["temperature_mismatch"], weight: 4 }],
  ["topP", { name: "top-p", causes: TRUNCATION, weight: 4 }],
  ["topK", { name: "top-k", causes: TRUNCATION, weight: 4 }],
  ["minP", { name: "min-p", causes: TRUNCATION, weight: 4 }],
  ["repetitionPenalty", { name: "repetition penalty", causes: PENALTY, weight: 4 }],
  ["presencePenalty", { name: "presence penalty", causes: PENALTY, weight: 4 }],
  ["frequencyPenalty", { name: "frequency penalty", causes: PENALTY, weight: 4 }],
  [
    "logprobsMode",
    { name: "log-prob mode", causes: ["temperature_mismatch", ...TRUNCATION, ...PENALTY], weight: 3 },
  ],
  ["weights", { name: "weights", causes: WEIGHTS, weight: 1 }],
]);

/** Adds the evidence of `sides-differ` findings to the odds of causes that the data have not ruled out. */
export function weighStated(
  odds: ReadonlyMap<string, Odds>,
  findings: readonly Finding[],
): Map<string, Odds> {
  const weighed = new Map(odds);
  for (const { sides, count } of findings) {
    const stated = sides && FACTS.get(sides.fact);
    if (sides === undefined || stated === undefined) continue;
    const { name, causes, weight } = stated;
    const { rollout, trainer } = sides;
    const sentence = `For ${plural(count, "sequence")}, the files state ${name} ${rollout} on the rollout side and ${trainer} on the trainer side.`;
    for (const cause of causes) {
      const known = weighed.get(cause);
      if (known === undefined) continue;
      const clue = { cause, weight, sentence, figures: { sequences: count, rollout, trainer } };
      weighed.set(cause, { score: known.score + weight, clues: [...known.clues, clue] });
    }
  }
  return weighed;
}
