import { MissingSideError, SchemaError } from "../../core/base/index.ts";
import { TOKEN_VALUES } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import {
  entropyWords,
  TOKEN_METRICS,
  type TokenMetric,
  type TokenMetricName,
} from "../../results/metrics/token-metrics.ts";
import type { ShowMetric } from "../../results/show.ts";
import { takeSides } from "./sides.ts";

/** A metric and its values in a batch. */
export interface MetricOf {
  readonly metric: ShowMetric;
  /** At a token's index in the batch; NaN if missing. */
  readonly valueAt: (at: number) => number;
}

/**
 * @param scale distance from the neutral value at which the scale ends; default a fixed one
 * @throws SchemaError if the batch lacks what the metric needs
 */
export function openMetric(batch: RecordBatch, name: TokenMetricName, scale?: number): MetricOf {
  const { rollout, trainer, only } = takeSides(batch);
  if (only !== undefined && !ONE_POLICY_METRICS[only].includes(name)) refuseComparison(batch, name, only);
  const { title, meaning, signed, neutral = 0, scale: usual }: TokenMetric = TOKEN_METRICS[name];
  const metric = { name, title, meaning, signed, neutral, scale: scale ?? usual };
  if (name === "entropy") {
    const side = batch.entropies.trainer === undefined ? "rollout" : "trainer";
    const entropy = batch.entropies[side] ?? missing(batch, name, "entropies of either policy");
    return { metric: { ...metric, ...entropyWords(side) }, valueAt: (at) => entropy[at]! };
  }
  if (name === "advantage") {
    const advantages = batch.advantages ?? missing(batch, name, "advantages");
    return { metric, valueAt: (at) => advantages[at]! };
  }
  const compute = TOKEN_VALUES[name];
  return { metric, valueAt: (at) => compute(rollout[at]!, trainer[at]!) };
}

/** What can color the tokens of a single policy. */
const ONE_POLICY_METRICS: Readonly<Record<"rollout" | "trainer", readonly TokenMetricName[]>> = {
  rollout: ["logp", "entropy", "advantage"],
  trainer: ["trainer", "entropy", "advantage"],
};

/** What colors the tokens by default. */
export function defaultMetric(batch: RecordBatch): TokenMetricName {
  const { only } = takeSides(batch);
  return only === undefined ? "delta" : ONE_POLICY_METRICS[only][0]!;
}

function refuseComparison(batch: RecordBatch, name: TokenMetricName, only: "rollout" | "trainer"): never {
  throw new MissingSideError(`--metric ${name} compares the policies: the input has ${only} log-probs only`, {
    at: { file: batch.provenance.file },
    hint: `of one policy there are ${ONE_POLICY_METRICS[only].join(", ")}`,
  });
}

function missing(batch: RecordBatch, name: TokenMetricName, what: string): never {
  throw new SchemaError(`--metric ${name}: the input has no ${what}`, {
    at: { file: batch.provenance.file },
    hint: "delta, abs, rho, k3, dp, logp and trainer need the two log-probs only",
  });
}
