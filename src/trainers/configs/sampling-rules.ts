/**
 * Sampling parameters that bias the ratio, linted together with the correction that would use it. With p the trainer's
 * probability of a token at the sampling temperature and S the mass that the filters keep at its position, a token is drawn
 * with probability p/S. Over drawn tokens:
 *
 * ```
 *  engine's log-probs     ρ          mean ρ                what the correction makes of it
 *  processed: log p/S     S          the kept mass, < 1    takes the filter for a mismatch
 *  before filters: log p  1          1                     cannot see that p/S was sampled
 *  raw: temperature 1     p / p₁     1 + χ²(p ‖ p₁) > 1    takes the temperature for a mismatch
 * ```
 *
 * Sources: huggingface/trl#6789 and #7269 (kept mass), #4159 (temperature), #6944, vllm-project/vime#64 (modes).
 *
 * @module
 */
import type { LintFinding } from "../../results/lint.ts";
import type { Correction } from "../neutral/correction.ts";
import type { Entry } from "../shared/config-entry.ts";
import { isTrue, type LintContext } from "../shared/dialect.ts";
import {
  isNeutral,
  type LogprobsOf,
  type RolloutSampling,
  type SamplingParameter,
} from "../shared/sampling.ts";

/** A parameter that the config sets to something else than neutral. */
interface Asked {
  readonly parameter: SamplingParameter;
  readonly entry: Entry;
  readonly value: number;
}

const FILTERS: readonly SamplingParameter[] = ["top_p", "top_k", "min_p"];
const PENALTIES: readonly SamplingParameter[] = [
  "repetition_penalty",
  "presence_penalty",
  "frequency_penalty",
];
const OFF: Readonly<Record<SamplingParameter, number>> = {
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  accept_threshold: 1,
};

export function samplingFindings(
  context: LintContext,
  sampling: RolloutSampling | undefined,
  correction: Correction,
): LintFinding[] {
  if (sampling === undefined) return [];
  const asked = findAsked(context, sampling);
  const of = readLogprobsOf(context, sampling);
  return [
    ...temperatureFinding(context, asked, of, sampling, correction),
    ...filterFinding(context, asked, of, sampling, correction),
    ...penaltyFinding(context, asked, of, sampling, correction),
    ...speculationFinding(context, asked, sampling),
  ];
}

function findAsked(context: LintContext, sampling: RolloutSampling): Asked[] {
  const { keys, replayKey } = sampling;
  const isReplayed = replayKey === undefined || isTrue(context.get(replayKey));
  const replayed = isReplayed ? (sampling.replayed ?? []) : [];
  return Object.entries(keys).flatMap(([name, paths]) => {
    const parameter = name as SamplingParameter;
    const entry = paths.map((path) => context.get(path)).find((found) => found !== undefined);
    const value = entry?.value;
    if (entry === undefined || typeof value !== "number" || replayed.includes(parameter)) return [];
    return isNeutral(parameter, value) ? [] : [{ parameter, entry, value }];
  });
}

function readLogprobsOf(context: LintContext, sampling: RolloutSampling): LogprobsOf | undefined {
  const { modeKey, engineKey, logprobs } = sampling;
  if (engineKey !== undefined && context.get(engineKey)?.value === "sglang") return "scaled";
  const mode = modeKey === undefined ? undefined : context.get(modeKey);
  if (mode === undefined) return logprobs;
  if (typeof mode.value !== "string") return undefined;
  return mode.value.startsWith("raw") ? "raw" : "processed";
}

function temperatureFinding(
  context: LintContext,
  asked: readonly Asked[],
  of: LogprobsOf | undefined,
  { modeKey, source }: RolloutSampling,
  correction: Correction,
): LintFinding[] {
  const [set] = asked.filter(({ parameter, value }) => parameter === "temperature" && value > 0);
  if (set === undefined || of !== "raw") return [];
  const { entry, value } = set;
  const favored = value < 1 ? "likely" : "unlikely";
  return [
    {
      severity: usesRatio(correction) ? "error" : "warning",
      code: "sampling-temperature",
      ...context.at(entry),
      message: `${entry.key} is ${value}, and the engine's log-probs are of temperature 1: the ratio compares two temperatures, not two engines`,
      why: `over tokens drawn at ${value} its mean is 1 + χ² between the two, above 1, and ${favored} tokens get the larger weights${usesRatio(correction) ? "; the bounds of this correction cut by temperature" : ""}`,
      source,
      instead:
        modeKey === undefined ? off([set]) : `${context.get(modeKey)?.key ?? modeKey}: processed_logprobs`,
    },
  ];
}

function filterFinding(
  context: LintContext,
  asked: readonly Asked[],
  of: LogprobsOf | undefined,
  { source }: RolloutSampling,
  correction: Correction,
): LintFinding[] {
  const filters = asked.filter(({ parameter }) => FILTERS.includes(parameter));
  if (filters.length === 0) return [];
  const cut = `${list(filters)} ${filters.length === 1 ? "cuts" : "cut"} the tail off`;
  const mass = keptMass(filters);
  const texts = {
    processed: {
      message: `${cut}, and the engine's log-probs are of what is left: the mean ratio is the kept mass S${mass}, not 1`,
      why: filterEffect(correction),
    },
    unseen: {
      message: `${cut}, and neither side's log-probs know it: the tokens came from another policy than either column is of`,
      why: `the weight that is missing is the kept mass S${mass}, and no correction of these columns can find it`,
    },
    unknown: {
      message: `${cut}: the mean ratio is the kept mass S${mass}, not 1, or, where the engine's log-probs are taken before the filter, neither side knows it`,
      why: filterEffect(correction),
    },
  };
  const known = of === undefined ? "unknown" : of === "processed" ? "processed" : "unseen";
  return [
    {
      severity: usesRatio(correction) || known === "unseen" ? "warning" : "note",
      code: "sampling-filter",
      ...context.at(filters[0]!.entry),
      ...texts[known],
      source,
      instead: off(filters),
    },
  ];
}

/** ", at least 0.8": every position keeps at least top_p, if nothing else filters. */
function keptMass(filters: readonly Asked[]): string {
  const [first] = filters;
  return filters.length === 1 && first!.parameter === "top_p" ? `, at least ${first!.value}` : "";
}

function filterEffect(correction: Correction): string {
  const { weight, steps } = correction;
  const isProduct = (level?: string, aggregation?: string): boolean =>
    level !== undefined && level !== "token" && aggregation === "sum";
  const measures = steps.flatMap((step) =>
    "measure" in step && step.measure !== "weight" ? [step.measure] : [],
  );
  if (
    isProduct(weight?.level, weight?.aggregation) ||
    measures.some((own) => isProduct(own.level, own.aggregation))
  )
    return "a product takes one S for each token: at S = 0.95, a thousand tokens come to e^-51, so long sequences lose their weight or are rejected";
  if (measures.some(({ level, aggregation }) => level !== "token" && aggregation === "mean"))
    return "a mean over a sequence keeps all of it: the geometric mean of the ratios is S, so bounds near 1 reject sequences for the filter";
  if (usesRatio(correction))
    return "each token's weight or rejection takes its S for a mismatch: the gradient shrinks, most where the policy is unsure";
  return "nothing is corrected here; logged metrics of the mismatch show the filter";
}

function penaltyFinding(
  context: LintContext,
  asked: readonly Asked[],
  of: LogprobsOf | undefined,
  { source }: RolloutSampling,
  correction: Correction,
): LintFinding[] {
  const penalties = asked.filter(({ parameter }) => PENALTIES.includes(parameter));
  if (penalties.length === 0) return [];
  const isUnseen = of === "raw";
  const isWeighed = correction.weight !== undefined && !isUnseen;
  const changed = `${list(penalties)} ${penalties.length === 1 ? "changes" : "change"} what is sampled`;
  return [
    {
      severity: isWeighed ? "note" : "warning",
      code: "sampling-penalty",
      ...context.at(penalties[0]!.entry),
      message: isUnseen
        ? `${changed}, and neither side's log-probs know it: the tokens came from another policy`
        : `${changed}, and only the engine's log-probs contain it: the ratio compares the penalized policy with the plain one`,
      why: isWeighed
        ? "weights correct for it as for any other policy, and spread more; what their bounds cut is the penalty's"
        : "nothing here makes up for it",
      source,
      instead: off(penalties),
    },
  ];
}

function speculationFinding(
  context: LintContext,
  asked: readonly Asked[],
  { source }: RolloutSampling,
): LintFinding[] {
  return asked
    .filter(({ parameter }) => parameter === "accept_threshold")
    .map((set) => ({
      severity: "warning" as const,
      code: "sampling-speculation",
      ...context.at(set.entry),
      message: `${set.entry.key} is ${set.value}: drafted tokens are accepted that the target would not have drawn, and no log-prob knows it`,
      why: "speculative decoding draws from the target exactly only where acceptance is exact, at 1",
      source,
      instead: off([set]),
    }));
}

/** Whether weights or rejections depend on the ratio at all. */
function usesRatio({ weight, steps }: Correction): boolean {
  return weight !== undefined || steps.length > 0;
}

function list(asked: readonly Asked[]): string {
  const parts = asked.map(({ entry, value }) => `${entry.key} ${value}`);
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** The keys with the values that switch them off, as the config writes them. */
function off(asked: readonly Asked[]): string {
  return asked
    .map(({ entry: { key }, parameter }) =>
      key.startsWith("--") ? `${key} ${OFF[parameter]}` : `${key}: ${OFF[parameter]}`,
    )
    .join(", ");
}
