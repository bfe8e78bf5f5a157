import { MissingSideError, SchemaError } from "../../core/base/index.ts";
import { computeK3, computeProbDiff } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { entropyWords, METRIC_WORDS, type ShowMetric, type ShowMetricName } from "../../results/index.ts";
import { takeSides } from "./sides.ts";

/** A metric and its values in a batch. */
export interface MetricOf {
  readonly metric: ShowMetric;
  /** At a token's place in the batch; NaN where it is missing. */
  readonly valueAt: (at: number) => number;
}

type Described = Omit<ShowMetric, "name" | "neutral" | "scale"> & Partial<Pick<ShowMetric, "neutral">>;

/** Where scales end unless the user says otherwise: fixed, so that colors mean the same in every sequence. */
const SCALES: Readonly<Record<ShowMetricName, number>> = {
  delta: 1,
  abs: 1,
  rho: 1,
  k3: 0.5,
  dp: 0.5,
  entropy: 3,
  logp: 10,
  trainer: 10,
  advantage: 3,
};

/**
 * @param scale distance from the neutral value at which the scale ends; a fixed one unless given
 * @throws SchemaError when the batch lacks what the metric needs
 */
export function openMetric(batch: RecordBatch, name: ShowMetricName, scale = SCALES[name]): MetricOf {
  const { rollout, trainer, only } = takeSides(batch);
  if (only !== undefined && !ONE_POLICY_METRICS[only].includes(name)) refuseComparison(batch, name, only);
  const delta = (at: number): number => computeDelta(rollout[at]!, trainer[at]!);
  const made = (valueAt: MetricOf["valueAt"], described: Described): MetricOf => ({
    metric: { name, neutral: 0, scale, ...described },
    valueAt,
  });
  switch (name) {
    case "delta":
      return made(delta, { ...METRIC_WORDS.delta, signed: true });
    case "abs":
      return made((at) => Math.abs(delta(at)), { ...METRIC_WORDS.abs, signed: false });
    case "rho":
      return made((at) => Math.exp(delta(at)), { ...METRIC_WORDS.rho, signed: true, neutral: 1 });
    case "k3":
      return made((at) => computeK3(delta(at)), { ...METRIC_WORDS.k3, signed: false });
    case "dp":
      return made((at) => computeProbDiff(rollout[at]!, trainer[at]!), { ...METRIC_WORDS.dp, signed: true });
    case "entropy": {
      const side = batch.entropies.trainer === undefined ? "rollout" : "trainer";
      const entropy = batch.entropies[side] ?? missing(batch, name, "entropies of either policy");
      return made((at) => entropy[at]!, { ...entropyWords(side), signed: false });
    }
    case "logp":
      return made((at) => rollout[at]!, { ...METRIC_WORDS.logp, signed: false });
    case "trainer":
      return made((at) => trainer[at]!, { ...METRIC_WORDS.trainer, signed: false });
    case "advantage": {
      const advantages = batch.advantages ?? missing(batch, name, "advantages");
      return made((at) => advantages[at]!, { ...METRIC_WORDS.advantage, signed: true });
    }
  }
}

/** What tokens of one policy can be colored by. */
const ONE_POLICY_METRICS: Readonly<Record<"rollout" | "trainer", readonly ShowMetricName[]>> = {
  rollout: ["logp", "entropy", "advantage"],
  trainer: ["trainer", "entropy", "advantage"],
};

/** What tokens are colored by unless the user says otherwise. */
export function defaultMetric(batch: RecordBatch): ShowMetricName {
  const { only } = takeSides(batch);
  return only === undefined ? "delta" : ONE_POLICY_METRICS[only][0]!;
}

function refuseComparison(batch: RecordBatch, name: ShowMetricName, only: "rollout" | "trainer"): never {
  throw new MissingSideError(`--metric ${name} compares the policies: the input has ${only} log-probs only`, {
    at: { file: batch.provenance.file },
    hint: `of one policy there are ${ONE_POLICY_METRICS[only].join(", ")}`,
  });
}

/** NaN where a side is missing; infinite where one side, or both, rule the token out. */
export function computeDelta(rollout: number, trainer: number): number {
  return rollout === -Infinity && trainer === -Infinity ? Infinity : trainer - rollout;
}

function missing(batch: RecordBatch, name: ShowMetricName, what: string): never {
  throw new SchemaError(`--metric ${name}: the input has no ${what}`, {
    at: { file: batch.provenance.file },
    hint: "delta, abs, rho, k3, dp, logp and trainer need the two log-probs only",
  });
}
