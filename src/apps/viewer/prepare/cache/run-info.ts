/**
 * What the page requests first: what a run contains, and its color scales.
 *
 * @module
 */
import type { RunSummary } from "../../../../analyses/report/index.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import { type RunInfo, VIEW_SCHEMA_VERSION } from "../../../../results/view.ts";
import { shippedCorrections } from "../correct/shipped.ts";
import type { PassFacts } from "../pass/run-pass.ts";
import { k3Scale, valueScale } from "../pass/value-scale.ts";
import type { PrepareOptions } from "./options.ts";

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
  pass: PassFacts,
  { total, ranks, environments }: RunSummary,
  { metrics, per_step, trainers, findings }: MismatchReport,
): RunInfo {
  const { features } = pass;
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-run",
    name,
    version,
    sequences: pass.sequences,
    tokens: metrics.tokens,
    all_tokens: features.responseTokens,
    steps: per_step.flatMap(({ step }) => step ?? []),
    ranks: ranks.sorted().map(([rank]) => rank),
    environments: environments.sorted().map(([environment]) => environment),
    turns_max: metrics.turns_max,
    trainers,
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

function chooseScales({ scales }: PassFacts, total: RunSummary["total"]): RunInfo["scales"] {
  const { entropy, impact } = scales;
  const delta = valueScale(total.deltas.absolute());
  const k3 = k3Scale(total.deltas);
  const probDiff = valueScale(total.probDiffs!.absolute());
  return {
    delta: delta.scale,
    k3: k3.scale,
    prob_diff: probDiff.scale,
    entropy: entropy?.scale ?? null,
    impact: impact?.scale ?? null,
    largest: {
      delta: delta.largest,
      k3: k3.largest,
      prob_diff: probDiff.largest,
      entropy: entropy?.largest ?? null,
      impact: impact?.largest ?? null,
    },
  };
}
