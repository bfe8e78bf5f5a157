import type { Fact, GroupMetrics, MismatchMetrics, MismatchReport } from "../protocol/report.ts";

/** What the facts are drawn from: the report without the parts that are made from it. */
export type FactSource = Omit<
  MismatchReport,
  "facts" | "next" | "verdict" | "findings" | "left_out" | "sources" | "parity"
>;

/** A slice must hold this many tokens before it is compared with others. */
const ENOUGH_TOKENS = 50;

/**
 * The three most telling facts: every detector gives at most one, weighted by how far it is from "nothing special"
 * (log of the factor by which one part differs from the rest, or of concentration).
 */
export function factsOf(source: FactSource): Fact[] {
  const detectors = [
    singleToken,
    tailConcentration,
    drift,
    worstStep,
    turns,
    lowProbability,
    lateTokens,
    ranks,
    oneSided,
    wrongAnswers,
    productRatio,
  ];
  return detectors
    .flatMap((detect) => detect(source) ?? [])
    .filter((fact) => fact.weight >= 1)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3);
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(share < 0.1 ? 2 : 3))} %`;
const nats = (value: number): string => {
  const digits = Number(value.toPrecision(3));
  return Math.abs(digits) < 1e-3 && digits !== 0 ? digits.toExponential() : String(digits);
};
const times = (factor: number): string => `${Number(factor.toPrecision(2))} times`;
/** 1 at a factor of two. */
const byFactor = (factor: number): number => Math.log2(factor);

function singleToken({ worst_tokens, metrics }: FactSource): Fact | undefined {
  const [worst] = worst_tokens;
  if (!worst || metrics.tokens < ENOUGH_TOKENS) return undefined;
  const share = (Math.expm1(worst.delta) - worst.delta) / (metrics.k3 * metrics.tokens);
  return {
    kind: "single-token",
    text: `One token, ${worst.handle} (Δ ${nats(worst.delta)}, p ${nats(Math.exp(worst.rollout_logprob))} → ${nats(Math.exp(worst.trainer_logprob))}), makes ${percent(share)} of all k3`,
    weight: share > 0.1 ? 2 + 3 * share : 0,
  };
}

function tailConcentration({
  distributions,
  metrics,
  per_rollout_probability,
  tail_curve,
}: FactSource): Fact | undefined {
  const point = tail_curve.filter(({ share, tokens }) => tokens > 1 && share <= 0.01).at(0);
  if (!point || per_rollout_probability.length === 0 || distributions.delta_abs.count < 1000)
    return undefined;
  return {
    kind: "tail",
    text: `${Math.round(point.tokens).toLocaleString("en")} of ${metrics.tokens.toLocaleString("en")} tokens (${percent(point.share)}) differ by more than ${point.threshold} nats; the median is ${nats(metrics.delta_abs_p50)}`,
    weight: Math.log10(point.threshold / Math.max(metrics.delta_abs_p50, 1e-12)) / 2,
  };
}

const known = (slices: readonly (MismatchMetrics & { step: number | null })[]) =>
  slices.filter((slice) => slice.step !== null && slice.tokens >= ENOUGH_TOKENS);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

function drift({ per_step }: FactSource): Fact | undefined {
  const steps = known(per_step);
  const part = Math.floor(steps.length / 3);
  if (part < 1) return undefined;
  const early = median(steps.slice(0, part).map((step) => step.delta_abs_mean));
  const late = median(steps.slice(-part).map((step) => step.delta_abs_mean));
  const grows = late > early;
  return {
    kind: "drift",
    text: `Mean |Δ| ${grows ? "grows" : "falls"} over the run: ${nats(early)} in the first third of the steps, ${nats(late)} in the last`,
    weight: byFactor(grows ? late / early : early / late) * (grows ? 1.2 : 0.6),
  };
}

function worstStep({ per_step }: FactSource): Fact | undefined {
  const steps = known(per_step);
  if (steps.length < 4) return undefined;
  const worst = steps.reduce((a, b) => (b.delta_abs_mean > a.delta_abs_mean ? b : a));
  const usual = median(steps.map((step) => step.delta_abs_mean));
  return {
    kind: "worst-step",
    text: `Step ${worst.step} is the worst: mean |Δ| ${nats(worst.delta_abs_mean)}, ${times(worst.delta_abs_mean / usual)} the median step`,
    weight: byFactor(worst.delta_abs_mean / usual),
  };
}

function turns({ per_turn }: FactSource): Fact | undefined {
  const enough = per_turn.filter((turn) => turn.tokens >= ENOUGH_TOKENS);
  const [first] = enough;
  if (!first || enough.length < 2) return undefined;
  const worst = enough.reduce((a, b) => (b.delta_abs_mean > a.delta_abs_mean ? b : a));
  const best = enough.reduce((a, b) => (b.delta_abs_mean < a.delta_abs_mean ? b : a));
  return {
    kind: "turn",
    text: `Turn ${worst.turn} is ${times(worst.delta_abs_mean / best.delta_abs_mean)} as far off as turn ${best.turn} (mean |Δ| ${nats(worst.delta_abs_mean)} against ${nats(best.delta_abs_mean)})`,
    weight: byFactor(worst.delta_abs_mean / best.delta_abs_mean),
  };
}

function sumOf(
  groups: readonly GroupMetrics[],
  column: "token_share" | "k3_share" | "delta_abs_share",
): number {
  return groups.reduce((sum, group) => sum + group[column], 0);
}

function lowProbability({ per_rollout_probability }: FactSource): Fact | undefined {
  const low = per_rollout_probability.filter((bucket) => bucket.to <= 0.5);
  const share = sumOf(low, "token_share");
  const mass = sumOf(low, "delta_abs_share");
  if (share === 0) return undefined;
  return {
    kind: "low-probability",
    text: `Tokens that the rollout policy gave p < 0.5 are ${percent(share)} of the tokens and ${percent(mass)} of all |Δ|`,
    weight: byFactor(mass / share) / 2.5,
  };
}

function lateTokens({ per_position_decile, metrics }: FactSource): Fact | undefined {
  const first = per_position_decile.at(0);
  const last = per_position_decile.at(-1);
  if (!first || !last || first.decile === last.decile || metrics.tokens < 20 * ENOUGH_TOKENS)
    return undefined;
  const worst = per_position_decile.reduce((a, b) => (b.delta_abs_mean > a.delta_abs_mean ? b : a));
  const factor = worst.delta_abs_mean / metrics.delta_abs_mean;
  return {
    kind: "position",
    text: `The ${ordinal(worst.decile + 1)} tenth of the response is the worst place: mean |Δ| ${nats(worst.delta_abs_mean)}, ${times(factor)} the average`,
    weight: byFactor(factor),
  };
}

function ordinal(n: number): string {
  return `${n}${["th", "st", "nd", "rd"][n] ?? "th"}`;
}

function ranks({ per_rank }: FactSource): Fact | undefined {
  const enough = per_rank.filter((rank) => rank.tokens >= ENOUGH_TOKENS);
  if (enough.length < 2) return undefined;
  const worst = enough.reduce((a, b) => (b.delta_abs_mean > a.delta_abs_mean ? b : a));
  const others = median(enough.filter((rank) => rank !== worst).map((rank) => rank.delta_abs_mean));
  return {
    kind: "rank",
    text: `Rank ${worst.rank} stands out: mean |Δ| ${nats(worst.delta_abs_mean)} against ${nats(others)} on the other ranks`,
    weight: byFactor(worst.delta_abs_mean / others) * 1.5,
  };
}

function oneSided({ intervals, metrics }: FactSource): Fact | undefined {
  const interval = intervals.delta_mean;
  if (!interval || !(interval.low > 0 || interval.high < 0)) return undefined;
  const share = Math.abs(metrics.delta_mean) / metrics.delta_abs_mean;
  const who =
    metrics.delta_mean < 0 ? "trainer finds the tokens less likely" : "trainer finds the tokens likelier";
  return {
    kind: "one-sided",
    text: `Δ leans to one side: the ${who} by ${nats(Math.abs(metrics.delta_mean))} nats on average (95 % ${nats(interval.low)} to ${nats(interval.high)}), ${percent(share)} of mean |Δ|`,
    weight: 4 * share,
  };
}

function wrongAnswers({ per_correctness }: FactSource): Fact | undefined {
  const [correct, incorrect] = ["correct", "incorrect"].map((name) =>
    per_correctness.find((slice) => slice.name === name),
  );
  if (!correct || !incorrect || Math.min(correct.tokens, incorrect.tokens) < ENOUGH_TOKENS) return undefined;
  const factor = incorrect.delta_abs_mean / correct.delta_abs_mean;
  const [worse, better] = factor >= 1 ? [incorrect, correct] : [correct, incorrect];
  return {
    kind: "correctness",
    text: `${worse.name === "incorrect" ? "Incorrect" : "Correct"} responses are ${times(Math.max(factor, 1 / factor))} as far off as ${better.name} ones (mean |Δ| ${nats(worse.delta_abs_mean)} against ${nats(better.delta_abs_mean)})`,
    weight: Math.abs(byFactor(factor)),
  };
}

function productRatio({ sequence_metrics }: FactSource): Fact | undefined {
  if (sequence_metrics.sequences < 8) return undefined;
  return {
    kind: "product-ratio",
    text: `Sequence-level product ratios leave ${percent(sequence_metrics.ess_seq)} of the sequences effective (mean length ${Math.round(sequence_metrics.length_mean)} tokens)`,
    weight: byFactor(1 / sequence_metrics.ess_seq),
  };
}
