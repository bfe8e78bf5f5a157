/**
 * The result of `logratio show`: what `--json` prints. One sequence, token by token, and what is known about one of its
 * tokens. Names are snake_case; log quantities are in nats; null is "not known". Δ = trainer − rollout. Tokens are
 * counted from the first of the response, as in handles. `docs/show.md` explains each part.
 *
 * @module
 */
import type { Finding, RowFacts } from "../core/schema/index.ts";
import type { MistakeEvents } from "./events.ts";
import type { TokenMetricName } from "./metrics/token-metrics.ts";
import type { SourceSummary } from "./report.ts";

export const SHOW_SCHEMA_VERSION = 1;

/** What `logratio show` prints with `--json`: one sequence, token by token. */
export interface ShowReport {
  /** Version of this format; increased when a field changes its meaning or is removed. */
  readonly schemaVersion: typeof SHOW_SCHEMA_VERSION;
  /** The kind of result. */
  readonly kind: "show";
  /** Set if the input has only one policy's log-probs: figures describe that policy, and there is no Δ. */
  readonly policies?: "rollout" | "trainer";
  /** Name of the run. */
  readonly run: string;
  /** Directory of the tokenizer; null if tokens are ids. */
  readonly tokenizer: string | null;
  /**
   * The mistakes of the run, the first of which is shown, if `worst` was requested. Absent for a handle, and for a
   * single policy.
   */
  readonly events?: MistakeEvents;
  /** Which sequence it is, and its figures. */
  readonly sequence: ShowSequence;
  /** What the tokens are colored by. */
  readonly metric: ShowMetric;
  /** A single entry without id if the source has the prompt only as text. */
  readonly prompt: readonly ShowPiece[];
  /** Turns and what comes between them, in order; together they cover the response. */
  readonly sections: readonly ShowSection[];
  /** One entry for each token of the response. */
  readonly tokens: readonly ShowToken[];
  /** Indices into `tokens`: the policy's own tokens furthest from the metric's neutral value, the furthest first. */
  readonly worst: readonly number[];
  /** The token that the handle names; null if it names a sequence. */
  readonly token: ShowCard | null;
  /** The command to run next; null if there is none. */
  readonly next: { readonly command: string; readonly why: string } | null;
  /** Findings from reading, including what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

/** Figures are over the tokens with mask 1 and a finite Δ (for a single policy: a finite log-prob). */
export interface ShowFigures {
  /** Number of tokens with mask 1. */
  readonly tokens: number;
  /** How many of these have a finite Δ. */
  readonly measured: number;
  readonly infinite: number;
  /** How many lack a log-prob on one side. */
  readonly missing: number;
  readonly delta_mean: number | null;
  readonly delta_abs_mean: number | null;
  readonly delta_abs_max: number | null;
  readonly k3: number | null;
  /** Mean and smallest log-prob, if there is only one policy. */
  readonly log_prob_mean?: number | null;
  readonly log_prob_min?: number | null;
  /** Token with the largest |Δ|, or the least likely for a single policy. */
  readonly worst: number | null;
}

export interface ShowSequence extends ShowFigures, RowFacts {
  /** `s12.r3.q41` */
  readonly handle: string;
  readonly prompt_tokens: number;
  readonly response_tokens: number;
  readonly turns: number;
}

/** What tokens are colored by. */
export interface ShowMetric {
  readonly name: TokenMetricName;
  readonly title: string;
  readonly meaning: string;
  /** Whether values on either side of `neutral` are meaningful. */
  readonly signed: boolean;
  /** The value without color: 1 for ρ, 0 for the others. */
  readonly neutral: number;
  /** Distance from `neutral` at which the scale ends: the same for every sequence of every run. */
  readonly scale: number;
}

/**
 * `special`: a token such as `<eos>`; `continuation`: it begins within a character shown by an earlier token;
 * `id`: no tokenizer knows it, its text is `#id`.
 */
export type ShowPieceKind = "text" | "special" | "continuation" | "id";

export interface ShowPiece {
  readonly id: number | null;
  readonly text: string;
  readonly kind: ShowPieceKind;
}

export interface ShowToken extends ShowPiece {
  readonly token: number;
  /** Number of the turn, from 0; null for a token that the policy did not sample (mask 0). */
  readonly turn: number | null;
  readonly rollout_logprob: number | null;
  readonly trainer_logprob: number | null;
  /** Null if the policy did not sample the token. */
  readonly delta: number | null;
  /** Value of the metric; null if it is missing or the policy did not sample the token. */
  readonly value: number | null;
}

/** A turn of the policy, or tokens between turns: tool output, template. */
export interface ShowSection extends ShowFigures {
  readonly kind: "turn" | "tool";
  /** From 0; null between turns. */
  readonly turn: number | null;
  /** Tokens `[from, to)`. */
  readonly from: number;
  readonly to: number;
}

/** One token. */
export interface ShowCard extends ShowToken {
  /** `s12.r3.q41.t880` */
  readonly handle: string;
  /** Its own bytes, hexadecimal; if tokens share a character, its part of it. */
  readonly bytes: string;
  /** Place within its turn, from 0; null outside of turns. */
  readonly turn_token: number | null;
  readonly rollout_probability: number | null;
  readonly trainer_probability: number | null;
  readonly probability_difference: number | null;
  readonly rho: number | null;
  readonly k3: number | null;
  readonly rollout_entropy: number | null;
  readonly trainer_entropy: number | null;
  readonly advantage: number | null;
  readonly weight_version: number | null;
  /** Log-probs of further policies by name. */
  readonly policy_logprobs: Readonly<Record<string, number | null>>;
  readonly alternatives: ShowAlternatives | null;
}

/** Both policies' most probable tokens as one list, likeliest first; always includes the sampled one. */
export interface ShowAlternatives {
  /** Length of the policy's list; null for a policy without one. */
  readonly rollout_k: number | null;
  readonly trainer_k: number | null;
  readonly candidates: readonly ShowCandidate[];
  /** Probability of everything not listed. */
  readonly rollout_rest: number | null;
  readonly trainer_rest: number | null;
}

export interface ShowCandidate {
  readonly id: number | null;
  readonly text: string | null;
  readonly sampled: boolean;
  readonly rollout: ShowShare | null;
  readonly trainer: ShowShare | null;
}

export interface ShowShare {
  readonly probability: number;
  /** From 1; null if the policy's list lacks the token. */
  readonly rank: number | null;
  /** Whether the list lacks the token: it then has at most this probability. */
  readonly at_most: boolean;
}
