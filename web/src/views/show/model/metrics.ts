/**
 * What the strip can be colored by.
 *
 * @module
 */
import { computeImpact, computeK3, computeProbDiff } from "../../../../../src/core/kernels/index.ts";
import { formatNumber, formatSigned } from "../../../../../src/render/text/display/index.ts";
import { entropyWords, METRIC_WORDS, type RunInfo } from "../../../../../src/results/index.ts";
import type { WireSequence } from "../../../../../src/results/wire/index.ts";

export interface Metric {
  /** Its name in `metric=`. */
  readonly name: string;
  /** A few characters. */
  readonly title: string;
  /** A line. */
  readonly meaning: string;
  /** Whether both signs mean something. */
  readonly signed: boolean;
  /** Where the scale ends, in the units of `values`: the same for the whole run. */
  readonly domain: number;
  /** The largest value of the run, where known: the scale extends to it. */
  readonly largest?: number;
  /** `[n]`: response tokens with mask 1, NaN where the value is missing. */
  readonly values: (wire: WireSequence) => Float64Array;
  /** How a value is written. */
  readonly show: (value: number) => string;
}

type Scales = RunInfo["scales"];
type Words = Pick<Metric, "title" | "meaning">;

/** Nats. Log-probs below this get the darkest color; the same for every run. */
const SURPRISAL_DOMAIN = 10;
/** Group-normalized advantages rarely exceed 3. */
const ADVANTAGE_DOMAIN = 3;
/** Nats: another policy may be far from the trainer's, however close rollout and trainer are. */
const POLICY_DOMAIN = 1;

/** The metrics that this sequence has values for, always including Δ. */
export function listMetrics({ scales }: Pick<RunInfo, "scales">, wire: WireSequence): readonly Metric[] {
  const { policies } = wire;
  const deltaDomain = positive(scales.delta, 1);
  const nats = { signed: true, domain: deltaDomain, show: formatSigned };
  return [
    {
      ...nats,
      name: "delta",
      largest: scales.largest.delta,
      ...inWords(METRIC_WORDS.delta),
      values: (sequence) => own(sequence, deltaAt),
    },
    {
      ...nats,
      name: "rho",
      ...inWords(METRIC_WORDS.rho),
      domain: Math.expm1(deltaDomain),
      largest: Math.expm1(scales.largest.delta),
      values: (sequence) => own(sequence, (at, of) => Math.expm1(deltaAt(at, of))),
      show: (value) => formatNumber(1 + value),
    },
    {
      name: "k3",
      ...inWords(METRIC_WORDS.k3),
      signed: false,
      domain: positive(scales.k3, 0.5),
      largest: scales.largest.k3,
      values: (sequence) => own(sequence, (at, of) => computeK3(deltaAt(at, of))),
      show: formatNumber,
    },
    {
      ...nats,
      name: "prob_diff",
      ...inWords(METRIC_WORDS.dp),
      domain: positive(scales.prob_diff, 0.5),
      largest: scales.largest.prob_diff,
      values: (sequence) =>
        own(sequence, (at, { rollout, trainer }) => computeProbDiff(rollout[at]!, trainer[at]!)),
    },
    ...listEntropy(scales, wire),
    ...listAdvantage(scales, wire, nats),
    surprisal("rollout", METRIC_WORDS.logp, (wire) => wire.rollout),
    surprisal("trainer", METRIC_WORDS.trainer, (wire) => wire.trainer),
    ...Object.entries(policies).map(
      ([name, logprobs]): Metric => ({
        ...nats,
        name: `policy:${name}`,
        title: `− ${name}`,
        meaning: `log p trainer − log p ${name}, nats`,
        domain: POLICY_DOMAIN,
        values: (sequence) => own(sequence, (at, { trainer }) => difference(trainer[at]!, logprobs[at]!)),
      }),
    ),
  ];
}

/** Of the trainer's policy where both are known. */
function listEntropy(scales: Scales, { trainerEntropy, rolloutEntropy }: WireSequence): Metric[] {
  const entropy = trainerEntropy ?? rolloutEntropy;
  if (entropy === undefined) return [];
  return [
    {
      name: "entropy",
      ...inWords(entropyWords(trainerEntropy === undefined ? "rollout" : "trainer")),
      signed: false,
      domain: positive(scales.entropy ?? 0, 3),
      largest: scales.largest.entropy ?? 0,
      values: (sequence) => own(sequence, (at) => entropy[at]!),
      show: formatNumber,
    },
  ];
}

function listAdvantage(
  scales: Scales,
  { advantages }: WireSequence,
  nats: Pick<Metric, "signed" | "domain" | "show">,
): Metric[] {
  if (advantages === undefined) return [];
  return [
    {
      ...nats,
      name: "advantage",
      ...inWords(METRIC_WORDS.advantage),
      domain: ADVANTAGE_DOMAIN,
      values: (sequence) => own(sequence, (at) => advantages[at]!),
    },
    {
      ...nats,
      name: "impact",
      title: "A·(ρ − 1)",
      meaning: "A·(ρ − 1): what the token's weight in the policy gradient lacks",
      domain: positive(scales.impact ?? 0, 1),
      largest: scales.largest.impact ?? 0,
      values: (sequence) => own(sequence, (at, of) => computeImpact(advantages[at]!, deltaAt(at, of))),
    },
  ];
}

/** Δ of a response token, whatever its mask; NaN where a side is missing, infinite where both are -Infinity. */
export function deltaAt(at: number, { rollout, trainer }: Pick<WireSequence, "rollout" | "trainer">): number {
  return difference(trainer[at]!, rollout[at]!);
}

function difference(a: number, b: number): number {
  // -Infinity on both sides has no difference, but is not missing either.
  return a === -Infinity && b === -Infinity ? Infinity : a - b;
}

/** The terminal's words with the title in front: the page also shows a meaning without its title. */
function inWords({ title, meaning }: Words): Words {
  return { title, meaning: `${title}: ${meaning}` };
}

function surprisal(
  name: "rollout" | "trainer",
  words: Words,
  of: (wire: WireSequence) => Float32Array,
): Metric {
  return {
    name,
    ...inWords(words),
    signed: false,
    domain: SURPRISAL_DOMAIN,
    values: (wire) => own(wire, (at) => -of(wire)[at]!),
    show: (value) => formatNumber(value === 0 ? 0 : -value),
  };
}

function own(wire: WireSequence, valueAt: (at: number, wire: WireSequence) => number): Float64Array {
  const values = new Float64Array(wire.mask.length);
  for (let at = 0; at < values.length; at++)
    values[at] = wire.mask[at] === 0 ? Number.NaN : valueAt(at, wire);
  return values;
}

function positive(value: number, fallback: number): number {
  return Number.isFinite(value) && value > 0 ? value : fallback;
}
