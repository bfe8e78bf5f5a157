/**
 * What the page requests first: what a run contains, and its color scales.
 *
 * @module
 */
import type { RunSummary } from "../../../../analyses/report/index.ts";
import type { ValueSketch } from "../../../../core/summaries/index.ts";
import { type MismatchReport, type RunInfo, VIEW_SCHEMA_VERSION } from "../../../../results/index.ts";
import { shippedCorrections } from "../correct/shipped.ts";
import type { RunPass } from "../pass/run-pass.ts";
import type { PrepareOptions } from "./options.ts";

/** p99.5: all but the most extreme tokens get distinguishable colors. */
const SCALE_QUANTILE = 0.995;

export interface RunFacts {
  readonly name: string;
  readonly version: string;
  readonly paths: readonly string[];
  readonly options: PrepareOptions;
  readonly hasTexts: boolean;
  readonly hasDigits: boolean;
  /** Files that are not read to their end. */
  readonly writing: readonly string[];
}

export function buildRunInfo(
  { name, version, paths, options, hasTexts, hasDigits, writing }: RunFacts,
  pass: RunPass,
  { total, ranks, environments }: RunSummary,
  { metrics, per_step, findings }: MismatchReport,
): RunInfo {
  const { features } = pass;
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-run",
    name,
    version,
    sequences: pass.table.length,
    tokens: metrics.tokens,
    all_tokens: features.responseTokens,
    steps: per_step.flatMap(({ step }) => step ?? []),
    ranks: ranks.sorted().map(([rank]) => rank),
    environments: environments.sorted().map(([environment]) => environment),
    turns_max: metrics.turns_max,
    top_k: pass.topK,
    entropies: [...features.entropies],
    policies: [...features.policies],
    has: {
      texts: hasTexts,
      briefs: features.briefs,
      prompts: features.prompts,
      advantages: features.advantages,
      rewards: features.rewards,
      correctness: features.correctness,
      groups: features.groups,
      weight_versions: features.weightVersions,
      digits: hasDigits,
    },
    shipped: shippedCorrections(),
    scales: chooseScales(pass, total),
    tokenizer: options.tokenizer ?? null,
    input: { paths, flags: options.flags ?? [] },
    sampling: [...features.sampling.values()],
    compared: [],
    status: options.following ? "reading" : "ready",
    ...(writing.length > 0 && { writing }),
    redacted: options.redact === "text",
    findings,
  };
}

function chooseScales({ k3, tokens }: RunPass, total: RunSummary["total"]): RunInfo["scales"] {
  return {
    delta: chooseScale(total.deltas.absolute()),
    k3: chooseScale(k3),
    prob_diff: chooseScale(total.probDiffs!.absolute()),
    entropy: tokens.entropy.count > 0 ? chooseScale(tokens.entropy) : null,
    impact: tokens.impact.count > 0 ? chooseScale(tokens.impact) : null,
    largest: {
      delta: total.deltas.absolute().max,
      k3: k3.max,
      prob_diff: total.probDiffs!.absolute().max,
      entropy: tokens.entropy.count > 0 ? tokens.entropy.max : null,
      impact: tokens.impact.count > 0 ? tokens.impact.max : null,
    },
  };
}

/** The largest value where almost all are 0, and 1e-6 where all are, so that no scale is empty. */
function chooseScale(sketch: ValueSketch): number {
  const [value = 0] = sketch.quantiles([SCALE_QUANTILE]);
  if (value > 0) return value;
  return sketch.max > 0 ? sketch.max : 1e-6;
}
