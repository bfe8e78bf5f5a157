/**
 * The result of `logratio compare`: a certificate that two policies agree, or where they do not. Names are snake_case; log
 * quantities are in nats, shares are fractions of 1; null is "not known". Δ is B − A at each token, so for the two columns of
 * one run it is trainer − rollout.
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";
import type { Finding } from "../core/schema/index.ts";

export const COMPARE_SCHEMA_VERSION = 1;

/**
 * - `equal`: bit for bit at every token that was compared.
 * - `equivalent`: the mean |Δ| is within the tolerance, by two one-sided tests over prompts, and would be if prompts of a
 *   kind not seen were 50 times as far off.
 * - `different`: it is beyond the tolerance; or one side lacks log-probs that the other has.
 * - `undecidable`: neither is shown; `next` says what would decide.
 */
export type Certificate = "equal" | "equivalent" | "different" | "undecidable";

/**
 * - `paired`: two sources that scored the same tokens, token by token.
 * - `columns`: two columns of one source, token by token.
 * - `unpaired`: two runs of different texts: how far apart the two policies of each run are.
 */
export type CompareMode = "paired" | "columns" | "unpaired";

/**
 * The basis of the certificate: `bits` every bit; `interval` the interval of the mean; `missing` log-probs on one side
 * only; `too_few` prompts for an interval; `straddles` the interval crosses the tolerance; `unseen` it is within, but too
 * many prompts may be of a kind that was not seen; `coverage` too little of the two sides could be compared.
 */
export type CertificateBasis =
  | "bits"
  | "interval"
  | "missing"
  | "too_few"
  | "straddles"
  | "unseen"
  | "coverage";

/** How log-probs are stored: the narrowest type that holds every value. */
export type StoredType = "bfloat16" | "float32" | "float64";

/** A token at which the two sides differ. */
export interface DifferingToken {
  /** Handle in A: `s12.r3.q41.t880`. */
  readonly handle: string;
  readonly file: string;
  readonly token_id: number | null;
  /** Turn, from 0. */
  readonly turn: number;
  readonly a: Nats | null;
  readonly b: Nats | null;
  readonly delta: Nats | null;
}

/** The first place (step, turn or position) with differing tokens whose preceding tokens are all equal. */
export interface DifferenceStart {
  readonly by: "step" | "turn" | "position";
  readonly at: number;
  readonly equal_before: number;
}

/** Tokens of one step or turn. */
export interface DifferenceSlice {
  readonly value: number | null;
  readonly tokens: number;
  readonly unequal: number;
  readonly delta_abs_mean: Nats | null;
}

/** Tokens that are `from` to `to` units in the last place apart. */
export interface UlpCount {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/** One column of A next to one of B. */
export interface ColumnComparison {
  readonly a_column: string;
  readonly b_column: string;
  readonly certificate: Certificate;
  readonly basis: CertificateBasis;
  /** The certificate in one sentence. */
  readonly sentence: string;
  readonly metrics: ColumnMetrics;
  readonly stored: { readonly a: StoredType; readonly b: StoredType };
  /** Distances of unequal tokens; empty if there are none, or no two numbers could be compared. */
  readonly ulps: { readonly unit: StoredType; readonly counts: readonly UlpCount[] };
  /** In order of step, rank, sequence, token; null if no token differs. */
  readonly first: DifferingToken | null;
  readonly starts: readonly DifferenceStart[];
  /** Largest |Δ| first. */
  readonly worst: readonly DifferingToken[];
  readonly per_step: readonly DifferenceSlice[];
  readonly per_turn: readonly DifferenceSlice[];
}

/** Over tokens with mask 1 on both sides and a log-prob on at least one. */
export interface ColumnMetrics {
  readonly tokens: number;
  readonly sequences: number;
  /** Number of prompts, or of sequences if prompts are not known. */
  readonly clusters: number;
  readonly unequal: number;
  readonly unequal_sequences: number;
  readonly unequal_share: Fraction | null;
  /** If none is unequal: upper 95 % bound on the share of unequal tokens if they were independent (about 3/n). */
  readonly unequal_share_upper: Fraction | null;
  /** The same for prompts with an unequal token. */
  readonly unequal_clusters_share_upper: Fraction | null;
  /** 0 on one side, −0 on the other: equal, and counted. */
  readonly signed_zeros: number;
  /** NaN or infinite on one side only. */
  readonly one_sided: number;
  /** Tokens without a log-prob on both sides; not included in `tokens`. */
  readonly missing_both: number;
  readonly delta_mean: Nats | null;
  readonly delta_mean_low: Nats | null;
  readonly delta_mean_high: Nats | null;
  readonly delta_abs_mean: Nats | null;
  /** One-sided bounds at level 1 − alpha each; null if there are too few prompts. */
  readonly delta_abs_mean_low: Nats | null;
  readonly delta_abs_mean_high: Nats | null;
  /** Largest share of prompts of a kind that was not seen, at level 1 − alpha: about 3 of all `clusters`. */
  readonly unseen_clusters_share_upper: Fraction;
  /** `delta_abs_mean_high` if that share were 50 times as far off as the others; this has to be within the tolerance. */
  readonly delta_abs_mean_unseen: Nats | null;
  readonly delta_abs_max: Nats | null;
  readonly delta_abs_p50: Nats | null;
  readonly delta_abs_p99: Nats | null;
  readonly delta_abs_p999: Nats | null;
  readonly prob_diff_mean: Fraction | null;
  readonly prob_diff_max: Fraction | null;
  /** mean(e^Δ − Δ − 1). */
  readonly k3: Nats | null;
  /**
   * Prompts that would decide, at the observed spread; null if the certificate is decided, or no number would decide.
   */
  readonly clusters_needed: number | null;
}

/** A figure of two runs of different texts. */
export interface RunFigure {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
  /** B − A. */
  readonly difference: number | null;
  /** One-sided bounds at level 1 − alpha each; null if there is no interval. */
  readonly difference_low: number | null;
  readonly difference_high: number | null;
}

/** Which sequences of the two sides belong together, and which do not. */
export interface Pairing {
  /** Number of sequences that found their partner, by how. */
  readonly by: Readonly<Record<string, number>>;
  readonly sequences: number;
  readonly tokens: number;
  readonly unpaired_sequences: { readonly a: number; readonly b: number };
  /** Share of all tokens with mask 1 of a side that were compared. */
  readonly token_share: { readonly a: Fraction; readonly b: Fraction };
  /** Sequences whose tokens diverge, and their tokens from there on. */
  readonly parted_sequences: number;
  readonly parted_tokens: number;
  /** Partners with different prompts: not compared. */
  readonly other_prompts: number;
  /** Tokens with mask 1 on one side only. */
  readonly mask_differs: number;
  /** Partners found by name whose tokens could not be checked: neither side has ids. */
  readonly unchecked_sequences: number;
}

/** One of the files of a side. */
export interface CompareInput {
  readonly file: string;
  readonly format: string;
  readonly trainer: string;
  readonly bytes: number;
  /** Digest of the file; null if it is not a local file, or was not requested. */
  readonly sha256: string | null;
  /** When it was last changed, ISO 8601; null if not known. */
  readonly modified: string | null;
}

export interface CompareSide {
  readonly name: string;
  readonly sequences: number;
  /** With mask 1. */
  readonly tokens: number;
  readonly columns: readonly string[];
  /** As stated in the record: program and version, digests, topology. */
  readonly facts: readonly string[];
  readonly inputs: readonly CompareInput[];
}

export interface CompareTest {
  /** Tolerance of the mean |Δ|; 0: every bit must be equal. */
  readonly within: Nats;
  /** Where the tolerance comes from. */
  readonly within_reason: string;
  /** Error rate of each one-sided test. */
  readonly alpha: number;
  readonly statistic: "delta_abs_mean";
  readonly unit: "prompt" | "sequence";
  readonly clusters_least: number;
}

/** What `logratio compare --json` prints. */
export interface CompareReport {
  /** Version of this shape; a change that breaks readers raises it. */
  readonly schemaVersion: typeof COMPARE_SCHEMA_VERSION;
  /** Identifies results that are read from files. */
  readonly kind: "compare";
  /** Two sources, or the two columns of one. */
  readonly mode: CompareMode;
  /** The answer for all columns together. */
  readonly certificate: Certificate;
  /** What the answer rests on. */
  readonly basis: CertificateBasis;
  /** The certificate in one sentence. */
  readonly sentence: string;
  /** The first side: where it came from, and what was read. */
  readonly a: CompareSide;
  /** The second side. */
  readonly b: CompareSide;
  /** The requested tolerance and significance level. */
  readonly test: CompareTest;
  /** Figures of the deciding column, or of two runs with different texts, by name. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Worst first; empty if texts differ. */
  readonly columns: readonly ColumnComparison[];
  /** Figures of two runs whose texts differ; otherwise empty. */
  readonly figures: readonly RunFigure[];
  /** Null if texts differ, or the columns are of one source. */
  readonly pairing: Pairing | null;
  /** What to keep in mind; one sentence each. */
  readonly caveats: readonly string[];
  /** What to run next; null if there is nothing left to ask. */
  readonly next: { readonly command: string | null; readonly why: string } | null;
  /** Who certifies, and when, as given or as the files say. */
  readonly by: string | null;
  /** As given by the caller; null if not requested. */
  readonly date: string | null;
  /** Version of logratio that produced it. */
  readonly logratio: string;
  /** Findings of reading, with counts and first places. */
  readonly findings: readonly Finding[];
}
