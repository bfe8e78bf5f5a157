/**
 * What the record states of its own run: a parameter that was off cannot have been forgotten by one side, and one that was
 * on may have been. Nobody checked these statements, and the trainer's side may have used others, so that they decide
 * only where log-probs leave a cause open.
 */
import { isNeutral, type SamplingParameter } from "../../../trainers/shared/index.ts";
import type { Odds } from "../rank.ts";
import type { StatedSetup } from "../stated/setups-seen.ts";

/** Nats against causes of a parameter that was off, and for those of one that was on. */
const OFF = -3;
const ON = 1.5;
/** Share of the run's sequences that must state the same to speak for all of it. */
const MOST_OF_IT = 0.95;

type Stated = Omit<StatedSetup, "sequences">;
interface Rule {
  readonly causes: readonly string[];
  /** What is stated, in words; null if nothing is. */
  readonly say: (setup: Stated) => string | null;
  /** Whether what is stated could make the two sides differ. */
  readonly mayDiffer: (setup: Stated) => boolean;
  /** What follows if it could not. */
  readonly off: string;
}

/** Number types of 8 bits and fewer, and those of 16 and more, as engines and trainers call them. */
const COARSE = /fp8|float8|f8e|mxfp|nvfp|fp4|float4|nf4|int8|int4|w8a|w4a|awq|gptq|q[2-8]_/i;
const FINE = /^(?:torch\.)?(?:bf16|bfloat16|fp16|float16|half|fp32|float32|float|fp64|float64|double)$/i;

const isOn = (parameter: SamplingParameter, value: number | null): boolean =>
  value !== null && !isNeutral(parameter, value);
const isFilter = ({ topP, topK, minP }: Stated): boolean =>
  isOn("top_p", topP) || isOn("top_k", topK) || isOn("min_p", minP);
const isPenalty = ({ repetitionPenalty, presencePenalty, frequencyPenalty }: Stated): boolean =>
  isOn("repetition_penalty", repetitionPenalty) ||
  isOn("presence_penalty", presencePenalty) ||
  isOn("frequency_penalty", frequencyPenalty);

const PLAIN = "a side that leaves it out computes the same";

const RULES: readonly Rule[] = [
  {
    causes: ["temperature_mismatch"],
    say: ({ temperature, logprobsMode }) =>
      temperature === null
        ? null
        : join([
            ["temperature", temperature],
            ["log-prob mode", logprobsMode],
          ]),
    mayDiffer: ({ temperature }) => isOn("temperature", temperature),
    off: PLAIN,
  },
  {
    causes: ["truncation_renormalised", "truncation_unlogged"],
    // Without top-p, engines take it from the model's generation_config.json.
    say: (setup) =>
      setup.topP === null && !isFilter(setup)
        ? null
        : join([
            ["top-p", setup.topP],
            ["top-k", setup.topK],
            ["min-p", setup.minP],
          ]),
    mayDiffer: isFilter,
    off: PLAIN,
  },
  {
    causes: ["penalty_mismatch"],
    say: (setup) =>
      setup.repetitionPenalty === null && !isPenalty(setup)
        ? null
        : join([
            ["repetition penalty", setup.repetitionPenalty],
            ["presence penalty", setup.presencePenalty],
            ["frequency penalty", setup.frequencyPenalty],
          ]),
    mayDiffer: isPenalty,
    off: PLAIN,
  },
  {
    causes: ["weight_quantization"],
    say: ({ rolloutPrecision: rollout, trainerPrecision: trainer }) => {
      const isKnown = COARSE.test(rollout ?? "") || (FINE.test(rollout ?? "") && FINE.test(trainer ?? ""));
      return isKnown
        ? join([
            ["precision in the rollout", rollout],
            ["precision in the trainer", trainer],
          ])
        : null;
    },
    mayDiffer: ({ rolloutPrecision }) => COARSE.test(rolloutPrecision ?? ""),
    off: "neither side is quantized",
  },
];

function join(facts: readonly (readonly [name: string, value: number | string | null])[]): string {
  return facts.flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])).join(", ");
}

/** @param sequences of the run, whether anything is stated of them or not */
export function weighSetups(
  odds: ReadonlyMap<string, Odds>,
  setups: readonly StatedSetup[],
  sequences: number,
): Map<string, Odds> {
  const weighed = new Map(odds);
  for (const { causes, say, mayDiffer, off } of RULES) {
    const stated = setups.filter((setup) => say(setup) !== null);
    const on = stated.filter(mayDiffer);
    const share = stated.reduce((sum, setup) => sum + setup.sequences, 0) / sequences;
    if (on.length === 0 && !(share >= MOST_OF_IT)) continue;
    const [first] = on.length > 0 ? on : stated;
    if (first === undefined) continue;
    const weight = on.length > 0 ? ON : OFF;
    const told = `The record states ${say(first)}`;
    const sentence = on.length > 0 ? `${told}.` : `${told}: ${off}.`;
    for (const cause of causes) {
      const known = weighed.get(cause);
      if (known === undefined) continue;
      const clue = { cause, weight, sentence, figures: { sequences: first.sequences } };
      weighed.set(cause, { ...known, score: known.score + weight, clues: [...known.clues, clue] });
    }
  }
  return weighed;
}
