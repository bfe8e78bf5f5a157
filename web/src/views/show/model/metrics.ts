/**
 * What the strip can be colored by.
 *
 * @module
 */
import { computeDelta, computeImpact, TOKEN_VALUES } from "../../../../../src/core/kernels/index.ts";
import { formatNumber, formatSigned } from "../../../../../src/render/text/display/index.ts";
import {
  COLORING_METRICS,
  entropyWords,
  TOKEN_METRICS,
} from "../../../../../src/results/metrics/token-metrics.ts";
import type { RunInfo } from "../../../../../src/results/view.ts";
import type { WireSequence } from "../../../../../src/results/wire/sequence.ts";
import { NATS, runScale, type Scale } from "../../../ui/color-scale.ts";

export interface Metric {
  /** Its name in `metric=`. */
  readonly name: string;
  /** A few characters. */
  readonly title: string;
  /** A line. */
  readonly meaning: string;
  /** Whether the sign has a meaning. */
  readonly signed: boolean;
  /** The scale in the units of `values`, the same for every run. */
  readonly anchored: Scale;
  /** The run's own scale, if its sizes are known. */
  readonly ofRun?: Scale | undefined;
  /** `[n]`: response tokens with mask 1, NaN where the value is missing. */
  readonly values: (wire: WireSequence) => Float64Array;
  /** Formats a value. */
  readonly show: (value: number) => string;
  /** The figure that a value stands for, if that is a different number. */
  readonly figure?: (value: number) => number;
}

type Scales = RunInfo["scales"];
type Words = Pick<Metric, "title" | "meaning">;

/** Nats. Above 3 a policy is unsure; a vocabulary of 160,000 allows 12. */
const ENTROPY: Scale = { floor: 0, domain: TOKEN_METRICS.entropy.scale, end: 12 };
/** Nats. Log-probs below this get the darkest color. */
const SURPRISAL: Scale = { floor: 0, domain: TOKEN_METRICS.logp.scale, end: TOKEN_METRICS.logp.scale };
/** Group-normalized advantages rarely exceed 3. */
const ADVANTAGE: Scale = {
  floor: 0,
  domain: TOKEN_METRICS.advantage.scale,
  end: TOKEN_METRICS.advantage.scale,
};

/** The metrics that this sequence has values for, always including Δ. */
export function listMetrics({ scales }: Pick<RunInfo, "scales">, wire: WireSequence): readonly Metric[] {
  const { policies } = wire;
  const { largest } = scales;
  const nats = { signed: true, anchored: NATS, show: formatSigned };
  const ofRun = runScale(scales.delta, largest.delta);
  const ofRuns: Readonly<Partial<Record<string, Scale>>> = {
    k3: runScale(scales.k3, largest.k3),
    dp: runScale(scales.prob_diff, largest.prob_diff),
  };
  return [
    {
      ...nats,
      name: "delta",
      ofRun,
      ...inWords(TOKEN_METRICS.delta),
      values: (sequence) => own(sequence, deltaAt),
    },
    {
      // ρ is on the scale of its logarithm: ½ is as far from 1 as 2.
      ...nats,
      name: "rho",
      ofRun,
      ...inWords(TOKEN_METRICS.rho),
      values: (sequence) => own(sequence, deltaAt),
      figure: Math.exp,
      show: (value) => formatNumber(Math.exp(value)),
    },
    ...COLORING_METRICS.map((name): Metric => {
      const { scale: domain, color, signed, ...words } = TOKEN_METRICS[name];
      return {
        name,
        ...inWords(words),
        signed,
        anchored: { ...color, domain },
        ofRun: ofRuns[name],
        values: (sequence) =>
          own(sequence, (at, { rollout, trainer }) => TOKEN_VALUES[name](rollout[at]!, trainer[at]!)),
        show: signed ? formatSigned : formatNumber,
      };
    }),
    ...listEntropy(scales, wire),
    ...listAdvantage(scales, wire, nats),
    surprisal("logp", TOKEN_METRICS.logp, (wire) => wire.rollout),
    surprisal("trainer", TOKEN_METRICS.trainer, (wire) => wire.trainer),
    ...Object.entries(policies).map(
      ([name, logprobs]): Metric => ({
        ...nats,
        name: `policy:${name}`,
        title: `− ${name}`,
        meaning: `log p trainer − log p ${name}, nats`,
        values: (sequence) => own(sequence, (at, { trainer }) => computeDelta(logprobs[at]!, trainer[at]!)),
      }),
    ),
  ];
}

/** The entropy of the trainer's policy if both are known. */
function listEntropy(scales: Scales, { trainerEntropy, rolloutEntropy }: WireSequence): Metric[] {
  const entropy = trainerEntropy ?? rolloutEntropy;
  if (entropy === undefined) return [];
  return [
    {
      name: "entropy",
      ...inWords(entropyWords(trainerEntropy === undefined ? "rollout" : "trainer")),
      signed: false,
      anchored: ENTROPY,
      ofRun: runScale(scales.entropy, scales.largest.entropy),
      values: (sequence) => own(sequence, (at) => entropy[at]!),
      show: formatNumber,
    },
  ];
}

function listAdvantage(
  scales: Scales,
  { advantages }: WireSequence,
  nats: Pick<Metric, "signed" | "anchored" | "show">,
): Metric[] {
  if (advantages === undefined) return [];
  return [
    {
      ...nats,
      name: "advantage",
      ...inWords(TOKEN_METRICS.advantage),
      anchored: ADVANTAGE,
      values: (sequence) => own(sequence, (at) => advantages[at]!),
    },
    {
      ...nats,
      name: "impact",
      title: "A·(ρ − 1)",
      meaning: "A·(ρ − 1): what the token's weight in the policy gradient lacks",
      ofRun: runScale(scales.impact, scales.largest.impact),
      values: (sequence) => own(sequence, (at, of) => computeImpact(advantages[at]!, deltaAt(at, of))),
    },
  ];
}

/** Δ of a response token, whatever its mask; NaN where a side is missing, infinite where both are -Infinity. */
export function deltaAt(at: number, { rollout, trainer }: Pick<WireSequence, "rollout" | "trainer">): number {
  return computeDelta(rollout[at]!, trainer[at]!);
}

/** The terminal's words with the title in front, because the page also shows a meaning without its title. */
function inWords({ title, meaning }: Words): Words {
  return { title, meaning: `${title}: ${meaning}` };
}

function surprisal(name: "logp" | "trainer", words: Words, of: (wire: WireSequence) => Float32Array): Metric {
  return {
    name,
    ...inWords(words),
    signed: false,
    anchored: SURPRISAL,
    values: (wire) => own(wire, (at) => -of(wire)[at]!),
    figure: minus,
    show: (value) => formatNumber(minus(value)),
  };
}

function minus(value: number): number {
  return value === 0 ? 0 : -value;
}

function own(wire: WireSequence, valueAt: (at: number, wire: WireSequence) => number): Float64Array {
  const values = new Float64Array(wire.mask.length);
  for (let at = 0; at < values.length; at++)
    values[at] = wire.mask[at] === 0 ? Number.NaN : valueAt(at, wire);
  return values;
}
