/**
 * What joined files state of their own side and contradict each other in: it names a cause before any number is looked at,
 * but the numbers must leave that cause open, since both columns may have been taken before the parameter applied.
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
/** Weights are named by each side in its own way, so two names say little. */
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

/** The odds with what findings of `sides-differ` say, for causes that the data have not ruled out. */
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
