/**
 * Ways in which a run's Δ may arise, each with one property that is hard for intervals. Nothing differs between steps,
 * ranks, turns or right and wrong answers unless stated.
 *
 * @module
 */
import type { RecordBatch } from "../../../src/core/schema/record.ts";
import { normal, studentTwo } from "./claim.ts";

type Random = () => number;

/** A run with this many prompts: for each sequence its Δ, and what it belongs to. */
export interface DrawnSequence {
  readonly deltas: Float32Array;
  /** Rollout log-probs; default: all −1. */
  readonly rollout?: Float32Array;
  readonly prompt: number;
  readonly step: number;
}

export interface Process {
  readonly name: string;
  /** The run's prompts; a process of single samples has one sequence in each. */
  draw(random: Random, prompts: number): DrawnSequence[];
  /** The whole population, if it is finite. */
  readonly population?: readonly DrawnSequence[];
}

/** Spread of Δ, as large as in real runs. */
const SPREAD = 0.01;
/** Mean |Δ| of normal tokens with this spread. */
export const MEAN_ABS = SPREAD * Math.sqrt(2 / Math.PI);

interface Shape {
  readonly name: string;
  readonly samples?: number;
  readonly tokens?: (random: Random) => number;
  /** Deviations of the logarithms of a prompt's and of a sequence's spread. */
  readonly prompt?: number;
  /** How much further off a prompt is, beside that. */
  readonly level?: (random: Random) => number;
  readonly sequence?: number;
  readonly noise?: (random: Random) => number;
  /** Share of the sequences whose Δ are all 0. */
  readonly exact?: number;
  /** Whether longer sequences are proportionally further off. */
  readonly byLength?: boolean;
  /** Deviation of a shift of the whole sequence, in units of the spread. */
  readonly shift?: number;
  /** Whether tokens are sampled from distributions, whose logits have the noise, and not drawn as Δ. */
  readonly sampled?: boolean;
}

type Tokens = Pick<DrawnSequence, "deltas" | "rollout">;

/**
 * Tokens sampled from two outcomes each, with surprisals from near 0 to 8 nats. Logits differ by noise, so that Δ is
 * (1 − p) times it, and mean ρ is 1.
 */
function sampleTokens(random: Random, length: number, scale: number): Tokens {
  const [deltas, rollout] = [new Float32Array(length), new Float32Array(length)];
  for (let t = 0; t < length; t++) {
    const logit = 3 * normal(random);
    const moved = logit + scale * normal(random);
    const sign = random() < 1 / (1 + Math.exp(-logit)) ? 1 : -1;
    rollout[t] = -Math.log1p(Math.exp(-sign * logit));
    deltas[t] = -Math.log1p(Math.exp(-sign * moved)) - rollout[t]!;
  }
  return { deltas, rollout };
}

function process(shape: Shape): Process {
  const { name, samples = 1, tokens = () => 60, noise = normal } = shape;
  const { prompt = 0, level = () => 1, sequence = 0, exact = 0, byLength = false, shift = 0 } = shape;
  const drawSequence = (random: Random, scale: number): Tokens => {
    const length = tokens(random);
    const deltas = new Float32Array(length);
    if (random() < exact) return { deltas };
    const own = scale * Math.exp(sequence * normal(random)) * (byLength ? length / 60 : 1);
    if (shape.sampled) return sampleTokens(random, length, own);
    const moved = shift * normal(random);
    for (let t = 0; t < length; t++) deltas[t] = own * (noise(random) + moved);
    return { deltas };
  };
  return {
    name,
    draw: (random, prompts) =>
      Array.from({ length: prompts }, (_, at) => {
        const scale = SPREAD * Math.exp(prompt * normal(random)) * level(random);
        return Array.from({ length: samples }, () => ({
          ...drawSequence(random, scale),
          prompt: at,
          step: Math.floor((at * 12) / prompts),
        }));
      }).flat(),
  };
}

/** Lengths with a long tail: half of them below 45 tokens, one in twenty above 170. */
const lengths = (random: Random): number => Math.max(1, Math.round(45 * Math.exp(0.8 * normal(random))));

export const INDEPENDENT = process({ name: "independent normal tokens" });
export const PROMPT_EFFECTS = process({
  name: "prompts of 8 samples, spread e^N(0, 0.8²)",
  samples: 8,
  prompt: 0.8,
});
export const BOTH_EFFECTS = process({
  name: "prompts of 8 samples, prompt and sequence spread e^N(0, 0.5²)",
  samples: 8,
  prompt: 0.5,
  sequence: 0.5,
});
export const SEQUENCE_EFFECTS = process({ name: "sequence spread e^N(0, 1)", sequence: 1 });
export const SEQUENCE_SHIFTS = process({ name: "sequences shifted as a whole", shift: 0.5 });
export const UNEQUAL_LENGTHS = process({ name: "unequal lengths", tokens: lengths });
export const LONGER_IS_WORSE = process({
  name: "unequal lengths, spread in proportion",
  tokens: lengths,
  byLength: true,
});
export const MOSTLY_EXACT = process({ name: "90 % of the sequences bit-exact", exact: 0.9 });
export const HEAVY_T = process({ name: "tokens of Student's t, 2 degrees", noise: studentTwo });
export const HEAVY_LOGNORMAL = process({
  name: "tokens ± e^N(0, 2²)",
  noise: (random) => Math.sign(random() - 0.5) * Math.exp(2 * normal(random)),
});

export const SKEWED_PROMPTS = process({ name: "prompt spread e^N(0, 1.5²)", prompt: 1.5 });
export const OUTLYING_PROMPTS = process({
  name: "5 % of the prompts 50 times as far off",
  level: (random) => (random() < 0.05 ? 50 : 1),
});
/** Its mean is three times its least value, and its variance infinite. */
export const PARETO_PROMPTS = process({
  name: "prompt spread of Pareto, index 1.5",
  level: (random) => (1 - random()) ** (-1 / 1.5),
});
export const SAMPLED_TOKENS = process({
  name: "sampled tokens, prompt spread e^N(0, 0.5²)",
  prompt: 0.5,
  tokens: lengths,
  sampled: true,
});

export const PROCESSES: readonly Process[] = [
  INDEPENDENT,
  SEQUENCE_SHIFTS,
  SEQUENCE_EFFECTS,
  UNEQUAL_LENGTHS,
  LONGER_IS_WORSE,
  PROMPT_EFFECTS,
  BOTH_EFFECTS,
  MOSTLY_EXACT,
  OUTLYING_PROMPTS,
  SAMPLED_TOKENS,
  HEAVY_T,
  HEAVY_LOGNORMAL,
];

/** Prompts of a recorded run, drawn with replacement, each with all its samples. */
export function resampled(name: string, population: readonly DrawnSequence[]): Process {
  const byPrompt = new Map<number, DrawnSequence[]>();
  for (const sequence of population)
    byPrompt.set(sequence.prompt, [...(byPrompt.get(sequence.prompt) ?? []), sequence]);
  const prompts = [...byPrompt.values()];
  return {
    name,
    population,
    draw: (random, count) =>
      Array.from({ length: count }, (_, at) =>
        prompts[Math.floor(random() * prompts.length)]!.map((sequence) => ({ ...sequence, prompt: at })),
      ).flat(),
  };
}

/**
 * The sequences of a run as a batch, with each prompt's id as its group id where `grouped`.
 */
export function batchOfSequences(sequences: readonly DrawnSequence[], grouped = true): RecordBatch {
  const offsets = new Int32Array(sequences.length + 1);
  sequences.forEach(({ deltas }, row) => {
    offsets[row + 1] = offsets[row]! + deltas.length;
  });
  const tokens = offsets[sequences.length]!;
  const rolloutLogprobs = new Float64Array(tokens).fill(-1);
  const trainerLogprobs = new Float64Array(tokens);
  sequences.forEach(({ deltas, rollout }, row) => {
    const start = offsets[row]!;
    if (rollout) rolloutLogprobs.set(rollout, start);
    for (let t = 0; t < deltas.length; t++)
      trainerLogprobs[start + t] = rolloutLogprobs[start + t]! + deltas[t]!;
  });
  const unknown = new Float64Array(sequences.length).fill(Number.NaN);
  const texts = sequences.map(() => undefined);
  return {
    length: sequences.length,
    provenance: { file: "drawn", format: "drawn", trainer: "drawn", alignment: "token" },
    sampling: {},
    offsets,
    responseMask: new Uint8Array(tokens).fill(1),
    rolloutLogprobs,
    trainerLogprobs,
    policyLogprobs: {},
    entropies: {},
    topK: {},
    steps: Float64Array.from(sequences, ({ step }) => step),
    ranks: unknown,
    rows: Int32Array.from(sequences, (_, row) => row),
    packs: new Int32Array(sequences.length),
    rewards: unknown,
    correctness: unknown,
    sourceOffsets: new Float64Array(sequences.length).fill(-1),
    sampleIds: texts,
    groupIds: grouped ? sequences.map(({ prompt }) => String(prompt)) : texts,
    environments: texts,
    promptTexts: texts,
    responseTexts: texts,
  };
}
