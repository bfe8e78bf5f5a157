/**
 * What is known about each sequence: the columns of the viewer's table, and the name of each in filters and in SQL.
 *
 * @module
 */

import { RUN_METRICS } from "./run-metrics.ts";

export interface SequenceColumnEntry {
  /** Key in {@link SequenceTable}; filters accept it too. */
  readonly key: string;
  /** As a heading of the table; absent if it has no such column. */
  readonly label?: string;
  /** Its name in addresses of the page; default the filter's. */
  readonly address?: string;
  readonly kind: "whole" | "number" | "yes-no" | "text";
  /** One line: meaning and unit. Figures are over the policy's own tokens (mask 1). */
  readonly meaning: string;
  /** How filters use it; `name` and `sql` only if they differ from the key. Absent if only the page needs it. */
  readonly filter?: {
    readonly name?: string;
    readonly aliases?: readonly string[];
    readonly example: string;
  };
  readonly sql?: string;
}

/** In the order in which help lists them. */
const ENTRIES = [
  { key: "step", label: "step", kind: "whole", meaning: "training step", filter: { example: "step:10..30" } },
  {
    key: "rank",
    label: "rank",
    kind: "whole",
    meaning: "rank that computed it",
    filter: { example: "rank:0" },
  },
  { key: "row", kind: "whole", meaning: "row in its file", filter: { example: "row:41" }, sql: "batch_row" },
  {
    key: "sample",
    label: "Sample",
    kind: "text",
    meaning: "the trainer's id of the sample",
    filter: { example: "sample:abc" },
    sql: "sample_id",
  },
  {
    key: "group",
    label: "Group",
    kind: "text",
    meaning: "prompt group (GRPO group)",
    filter: { example: "group:calc/solve/0001" },
    sql: "group_id",
  },
  {
    key: "environment",
    label: "Environment",
    kind: "text",
    meaning: "environment or data source",
    filter: { name: "env", example: "env:math" },
  },
  {
    key: "finish_reason",
    label: "Finish",
    kind: "text",
    meaning: "why the engine stopped",
    filter: { name: "finish", example: "finish:length" },
  },
  {
    key: "engine",
    label: "Engine",
    kind: "text",
    meaning: "engine or replica that sampled it",
    filter: { aliases: ["engine_id"], example: "engine:replica-3" },
    sql: "engine_id",
  },
  {
    key: "recorder",
    kind: "text",
    meaning: "recorder object that wrote it",
    filter: { example: "recorder:3f2a" },
  },
  {
    key: "file",
    label: "File",
    kind: "text",
    meaning: "file that it was read from",
    filter: { example: "file:step_0100" },
  },
  {
    key: "cached_tokens",
    label: "cached",
    kind: "whole",
    meaning: "prompt tokens from the engine's prefix cache",
    filter: { name: "cached", example: "cached>0" },
  },
  { key: "reward", label: "reward", kind: "number", meaning: "reward", filter: { example: "reward<0" } },
  {
    key: "correct",
    label: "correct",
    kind: "yes-no",
    meaning: "whether its answer is right",
    filter: { aliases: ["right"], example: "correct:no" },
  },
  {
    key: "turns",
    label: "turns",
    kind: "whole",
    meaning: "turns: runs of the policy's own tokens",
    filter: { aliases: ["rounds"], example: "turns>=3" },
  },
  {
    key: "tokens",
    label: "tokens",
    kind: "whole",
    meaning: "the policy's own tokens (mask 1)",
    filter: { aliases: ["length"], example: "tokens>200" },
    sql: "own_tokens",
  },
  {
    key: "response_tokens",
    label: "response",
    kind: "whole",
    meaning: "response tokens, tool output included",
    filter: { name: "response", example: "response>1000" },
  },
  {
    key: "prompt_tokens",
    label: "prompt",
    kind: "whole",
    meaning: "prompt tokens",
    filter: { name: "prompt", example: "prompt<50" },
  },
  {
    key: "delta_abs_mean",
    label: RUN_METRICS.delta_abs_mean.label,
    address: "abs",
    kind: "number",
    meaning: "mean |Δ| of its tokens, nats",
    filter: { name: "mean_abs", example: "mean_abs>0.1" },
  },
  {
    key: "delta_abs_max",
    label: RUN_METRICS.delta_abs_max.label,
    kind: "number",
    meaning: "its largest |Δ|, nats",
    filter: { name: "worst", aliases: ["max", "max_abs"], example: "worst>2" },
  },
  {
    key: "delta_mean",
    label: RUN_METRICS.delta_mean.label,
    address: "delta",
    kind: "number",
    meaning: "mean Δ = log p_trainer − log p_rollout, nats",
    filter: { name: "mean_delta", aliases: ["mean"], example: "mean_delta<-0.01" },
  },
  {
    key: "delta_sum",
    label: "ΣΔ",
    kind: "number",
    meaning: "ΣΔ: the log of the sequence's importance ratio, nats",
    filter: { name: "sum", example: "sum:-1..1" },
  },
  {
    key: "k3_mean",
    label: RUN_METRICS.k3.label,
    address: "k3",
    kind: "number",
    meaning: "mean k3 = exp Δ − 1 − Δ, nats",
    filter: { name: "mean_k3", example: "mean_k3>0.001" },
  },
  {
    key: "prob_diff_max",
    label: RUN_METRICS.prob_diff_max.label,
    address: "dp",
    kind: "number",
    meaning: "largest |Δp| = |p_trainer − p_rollout|, a fraction",
    filter: { name: "max_dp", example: "max_dp>0.2" },
  },
  {
    key: "ess",
    label: RUN_METRICS.ess.label,
    kind: "number",
    meaning: "(Σρ)² / (n Σρ²) of its tokens: 1 where all ratios are equal",
    filter: { example: "ess<0.9" },
  },
  {
    key: "rollout_logprob_mean",
    label: "log p",
    address: "logp",
    kind: "number",
    meaning: "mean log-prob under the rollout policy, nats",
    filter: { name: "mean_logp", example: "mean_logp<-1" },
  },
  {
    key: "entropy_mean",
    label: "entropy",
    address: "entropy",
    kind: "number",
    meaning: "mean entropy of its tokens (trainer's, else rollout's), nats",
    filter: { name: "mean_entropy", example: "mean_entropy>0.5" },
  },
  {
    key: "advantage",
    label: "advantage",
    address: "advantage",
    kind: "number",
    meaning: "mean advantage",
    filter: { name: "mean_advantage", aliases: ["mean_adv"], example: "mean_advantage<0" },
  },
  {
    key: "impact",
    label: "impact",
    address: "impact",
    kind: "number",
    meaning: "Σ|A|·|ρ − 1|: what its weights in the gradient lack",
    filter: { name: "sum_impact", example: "sum_impact>1" },
  },
  { key: "rho_sum", kind: "number", meaning: "Σρ" },
  { key: "rho_squares", kind: "number", meaning: "Σρ²" },
  { key: "worst_token", kind: "whole", meaning: "response token with the largest |Δ|; -1 without one" },
] as const satisfies readonly SequenceColumnEntry[];

type Entry = (typeof ENTRIES)[number];

export type SequenceText = Extract<Entry, { readonly kind: "text" }>["key"];
/** NaN if not known. */
export type SequenceColumn = Exclude<Entry["key"], SequenceText>;

/** A column of either kind, as used by the page, filters and SQL. */
export type SequenceEntry = SequenceColumnEntry &
  (
    | { readonly kind: "text"; readonly key: SequenceText }
    | { readonly kind: "whole" | "number" | "yes-no"; readonly key: SequenceColumn }
  );

export const SEQUENCE_ENTRIES: readonly SequenceEntry[] = ENTRIES;

export const SEQUENCE_COLUMNS: readonly SequenceColumn[] = ENTRIES.flatMap((entry) =>
  entry.kind === "text" ? [] : [entry.key],
);

export const SEQUENCE_TEXTS: readonly SequenceText[] = ENTRIES.flatMap((entry) =>
  entry.kind === "text" ? [entry.key] : [],
);

/** The column with this name in addresses of the page. */
export function sequenceColumnAt(address: string): SequenceEntry | undefined {
  return SEQUENCE_ENTRIES.find(
    ({ key, label, filter, address: name = filter?.name ?? key }) => label !== undefined && name === address,
  );
}
