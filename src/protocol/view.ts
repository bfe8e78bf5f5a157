/**
 * What the viewer's server answers as JSON. Binary answers (the table of sequences, a sequence, its alternatives) are in
 * `src/wire`.
 *
 * | path | answer |
 * |---|---|
 * | `GET api/run` | {@link RunInfo} |
 * | `GET api/report` | the `MismatchReport` of `logratio report --json` |
 * | `GET api/steps` | {@link StepSeries} |
 * | `GET api/sequences` | `SequenceTable`, binary |
 * | `GET api/sequence/INDEX` | `WireSequence`, binary |
 * | `GET api/sequence/INDEX/topk?from=F&count=N` | `WireTopK`, binary |
 * | `GET api/tokens` | {@link TopTokens} |
 * | `GET api/whatif` | {@link WhatIfSums} |
 * | `POST api/exact` | {@link ExactAnswer} to an {@link ExactQuestion} |
 * | `POST api/parquet` | rows (a list of objects) as a Parquet file |
 * | `GET api/events` | server-sent events: `run` when `api/run` has changed |
 *
 * @module
 */
import type { Finding } from "../schema/findings.ts";

export const VIEW_SCHEMA_VERSION = 1;

export interface RunInfo {
  readonly schemaVersion: typeof VIEW_SCHEMA_VERSION;
  readonly kind: "view-run";
  readonly name: string;
  /** Changes whenever any answer does: part of the addresses of cached answers. */
  readonly version: string;
  readonly sequences: number;
  /** With mask 1, and all. */
  readonly tokens: number;
  readonly all_tokens: number;
  /** Ascending; without a step: none. */
  readonly steps: readonly number[];
  readonly ranks: readonly number[];
  readonly environments: readonly string[];
  readonly turns_max: number;
  /** Names of policies with top-k alternatives, with entropies, and of further ones with log-probs. */
  readonly top_k: readonly string[];
  readonly entropies: readonly string[];
  readonly policies: readonly string[];
  readonly has: {
    readonly texts: boolean;
    readonly prompts: boolean;
    readonly advantages: boolean;
    readonly rewards: boolean;
    readonly correctness: boolean;
    readonly groups: boolean;
    readonly weight_versions: boolean;
  };
  /** Fixed for the run, so that colours mean the same everywhere: p99.5 of |Δ|, of k3, of |Δp|, of entropy. */
  readonly scales: {
    readonly delta: number;
    readonly k3: number;
    readonly prob_diff: number;
    readonly entropy: number | null;
  };
  readonly tokenizer: string | null;
  /** `reading`: more is to come (`--follow`, or the first read). */
  readonly status: "ready" | "reading";
  readonly redacted: boolean;
  /** Answers are files (`view --bundle`): no `api/exact`, no `api/events`, alternatives whole at `api/topk/INDEX`. */
  readonly bundled?: true;
  readonly findings: readonly Finding[];
}

/** One value per step; null where a step has none. Without steps there is one entry, with step null. */
export interface StepSeries {
  readonly steps: readonly (number | null)[];
  readonly sequences: readonly number[];
  readonly tokens: readonly number[];
  readonly series: Readonly<Record<StepMetric, readonly (number | null)[]>>;
  /** The same by slice: correctness, rank, environment, weight version; only slices that there are. */
  readonly slices: readonly {
    readonly by: "correct" | "rank" | "environment" | "weight_version";
    readonly value: string;
    readonly series: Readonly<Partial<Record<StepMetric, readonly (number | null)[]>>>;
  }[];
}

export const STEP_METRICS = [
  "delta_mean",
  "delta_abs_mean",
  "delta_abs_p50",
  "delta_abs_p99",
  "delta_abs_max",
  "delta_min",
  "delta_max",
  "k1",
  "k3",
  "ess",
  "prob_diff_max",
  "entropy",
  "response_tokens",
  "reward",
  "accuracy",
] as const;
export type StepMetric = (typeof STEP_METRICS)[number];

export interface TopTokens {
  /** The largest |Δ| of the run, largest first. */
  readonly occurrences: readonly TokenOccurrence[];
  readonly by_token: readonly TokenGroup[];
  readonly by_class: readonly TokenGroup[];
  readonly by_position: readonly TokenGroup[];
  readonly by_turn: readonly TokenGroup[];
}

export interface TokenOccurrence {
  /** Place in the table of sequences, and response token. */
  readonly sequence: number;
  readonly token: number;
  readonly handle: string;
  readonly token_id: number;
  readonly text: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly delta: number;
  readonly rollout_logprob: number;
  readonly trainer_logprob: number;
  readonly turn: number;
  readonly step: number | null;
  readonly correct: number | null;
}

export interface TokenGroup {
  readonly label: string;
  readonly tokens: number;
  readonly delta_mean: number;
  readonly delta_abs_mean: number;
  readonly delta_abs_max: number;
  readonly share_of_k3: number;
  /** The worst occurrence. */
  readonly worst: { readonly sequence: number; readonly token: number } | null;
}

/** Tokens with mask 1 in bins of Δ, apart by what becomes of their sequence. */
export interface WhatIfSums {
  /** `[bins + 1]`, nats, ascending; the first and last are -inf and +inf as null. */
  readonly edges: readonly (number | null)[];
  readonly groups: readonly {
    /** `right`, `wrong`, `unknown`. */
    readonly name: "right" | "wrong" | "unknown";
    /** `[bins]` each. */
    readonly tokens: readonly number[];
    readonly rho: readonly number[];
    readonly rho_squares: readonly number[];
    readonly abs_advantage: readonly number[];
  }[];
}

/** A correction in neutral terms, asked over the whole run. */
export interface ExactQuestion {
  readonly weights: {
    readonly level: "none" | "token" | "sequence" | "geometric";
    readonly upper: number | null;
    readonly lower: number | null;
  };
  readonly mask: {
    readonly level: "none" | "token" | "sequence" | "geometric";
    readonly upper: number | null;
    readonly lower: number | null;
    /** `zero`: what is outside loses its weight and stays in the mask (IcePop); `mask` when absent. */
    readonly action?: "mask" | "zero";
  };
  readonly veto: number | null;
}

/** Tokens are those with mask 1 and a finite Δ. */
export interface ExactAnswer {
  /** Tokens in the mask, not vetoed, with a weight that is not 0; sequences with any. */
  readonly kept_tokens: number;
  readonly kept_sequences: number;
  /** (Σw)² / (n Σw²) over all n tokens, w = 0 where dropped; w = ρ without weights. */
  readonly ess: number;
  /** Tokens whose weight is truncated, dropped ones too. */
  readonly clipped: number;
  /** Tokens that the mask rule by itself drops. */
  readonly masked: number;
  /** Sequences that the veto by itself drops. */
  readonly vetoed: number;
  /** Over kept tokens; 1 without weights. */
  readonly mean_weight: number;
  /** Shares of the tokens of right and of wrong sequences that are dropped. */
  readonly dropped_right: number | null;
  readonly dropped_wrong: number | null;
  /** Each trainer's config that does this, by preset name, and a `logratio` command. */
  readonly configs: Readonly<Record<string, string>>;
  readonly command: string;
}
