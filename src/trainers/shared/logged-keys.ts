/**
 * The keys under which a trainer logs, from its code: those of the mismatch, with our figure that each equals, and
 * those of the rest of a run. Keys that do not mean what they seem to are left out, with the reason.
 *
 * @module
 */
import { type PartMetricKey, runMetric } from "../../results/metrics/run-metrics.ts";

/** A key under which a trainer logs a mismatch metric. */
export interface MismatchKey {
  /** Matches the whole key, without a logger's prefix. */
  readonly key: RegExp;
  /** A noun phrase. */
  readonly meaning: string;
  readonly unit: string;
  /** Our figure that it equals, apart from its quirk. */
  readonly figure?: PartMetricKey;
  /** Whether it has the opposite sign of that figure. */
  readonly negated?: true;
  /** Which direction is worse; `away`: away from 0 or, for ratios, from 1. */
  readonly worse: "larger" | "smaller" | "away";
  readonly neutral?: 0 | 1;
  /** How it differs from what its name says. */
  readonly quirk?: string;
  /** Whether the quirk changes its value, so that it need not equal the figure. */
  readonly isBent?: true;
}

/** What else a run logs: means over its training answers unless stated otherwise. */
export type RunMetricKind =
  | "reward"
  /** Score on held-out prompts. Spreads and best-of-n do not count: both grow with n alone. */
  | "evaluation"
  /** Entropy per token, nats. */
  | "entropy"
  /** Share of prompt groups in which all rewards are equal. */
  | "flat_groups"
  /** Share of tokens whose ratio left the clip range, on either side. */
  | "clip"
  | "clip_low"
  | "clip_high"
  /** Gradient norm over all parameters, before clipping. */
  | "grad_norm"
  /** KL to the reference policy, a mean over tokens, nats. */
  | "reference_kl"
  /** Mean number of tokens per answer. */
  | "length"
  /** Share of answers that were cut off at the length limit. */
  | "truncated"
  /** Mean of one of the reward functions whose sum is the reward. */
  | "reward_part";

/** Keys of each kind, the most informative first. `*` stands for any text. */
export type RunKeys = Readonly<Partial<Record<RunMetricKind, readonly string[]>>>;

/** A key that looks like one of the mismatch and is not: it compares the policy with another one of the trainer. */
export interface LookAlike {
  /** Matches the whole key, without a logger's prefix. */
  readonly key: RegExp;
  /** A noun phrase. */
  readonly meaning: string;
}

export interface LoggedKeys {
  /** The trainers that log them, if there are several; the trainer's own name when absent. */
  readonly of?: string;
  readonly lookAlikes?: readonly LookAlike[];
  /** Keys of the mismatch, the more specific ones first. */
  readonly mismatch?: readonly MismatchKey[];
  readonly run?: RunKeys;
}

export const PACKS = "a mean of means of packs: a short pack weighs as much as a long one";
export const RANKS = "an unweighted mean of the means of micro-batches and ranks";
export const SEQUENCES = "a mean of the sequences' means: a short response weighs as much as a long one";
export const TRUNCATED =
  "logged after truncation or masking: it cannot pass the threshold, and hides the tail";
export const ALL_ROWS = "rows without a masked token also count";
export const CLAMPED = "log ratios are clamped to ±20 before squaring";

/** A key that equals this figure, in the words of its entry. */
export function ofFigure(figure: PartMetricKey): Omit<MismatchKey, "key"> {
  const { label, unit, worse } = runMetric(figure);
  const direction = { more: "larger", less: "smaller", none: "away" } as const;
  return { meaning: label, unit, figure, worse: direction[worse ?? "none"] };
}

export const ABS = ofFigure("delta_abs_mean");
export const ABS_MAX = { ...ofFigure("delta_abs_max"), meaning: "largest |Δ|" };
export const K1 = { ...ofFigure("k1"), meaning: "k1, mean of rollout − trainer" };
export const K3 = ofFigure("k3");
export const RATIO = { ...ofFigure("ratio_mean"), neutral: 1 } as const;
export const ESS = { meaning: "effective sample size", unit: "", figure: "ess", worse: "smaller" } as const;
/** The smallest or the largest ratio or weight. */
export const EXTREME_RATIO = { meaning: "extreme ρ", unit: "", worse: "away", neutral: 1 } as const;
/** Ratios of an update, which are 1 before its first step. */
export const UPDATE_RATIO = "ratio to the policy before the update";
export const UPDATE_KL = "KL to the policy before the update";
export const SHARE = { unit: "", worse: "larger" } as const;

/** Keys of perplexities and of the χ² of sequences, which several trainers log under the same names. */
export const perplexityMetrics = (prefix: string, quirk: string): readonly MismatchKey[] => [
  {
    key: new RegExp(`${prefix}ppl_ratio$`),
    meaning: "mean ratio of perplexities",
    unit: "",
    worse: "away",
    neutral: 1,
    quirk,
  },
  {
    key: new RegExp(`${prefix}log_ppl_abs_diff$`),
    meaning: "mean difference of log-perplexities",
    unit: "nats",
    worse: "larger",
    quirk,
  },
  {
    key: new RegExp(`${prefix}log_ppl_diff(?:_max|_min)?$`),
    meaning: "difference of log-perplexities",
    unit: "nats",
    worse: "away",
    quirk,
  },
  {
    key: new RegExp(`${prefix}chi2_seq$`),
    meaning: "χ² of sequences",
    unit: "",
    worse: "larger",
    quirk,
  },
];
