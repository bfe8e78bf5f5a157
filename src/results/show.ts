/**
 * The result of `logratio show`: what `--json` prints. One sequence, token by token, and what is known of one of its
 * tokens. Names are snake_case; log quantities are in nats; null is "not known". Δ = trainer − rollout. Tokens are
 * counted from the first of the response, as handles count them. `docs/show.md` says what each part is for.
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
  /** Changes where a field changes its meaning or goes. */
  readonly schemaVersion: typeof SHOW_SCHEMA_VERSION;
  /** Of what this is the result. */
  readonly kind: "show";
  /** Set where the input has one policy's log-probs only: figures are of that policy, and there is no Δ. */
  readonly policies?: "rollout" | "trainer";
  /** Name of the run. */
  readonly run: string;
  /** Directory of the tokenizer; null where tokens are ids. */
  readonly tokenizer: string | null;
  /** Asked for with `worst`: the mistakes of the run, the first of which is shown. Absent for a handle and for one policy. */
  readonly events?: MistakeEvents;
  /** Which sequence it is, and its figures. */
  readonly sequence: ShowSequence;
  /** What the tokens are colored by. */
  readonly metric: ShowMetric;
  /** One entry without id for a prompt that the source has as text only. */
  readonly prompt: readonly ShowPiece[];
  /** Turns and what stands between them, in order; together all tokens of the response. */
  readonly sections: readonly ShowSection[];
  /** One entry for each token of the response. */
  readonly tokens: readonly ShowToken[];
  /** Places in `tokens`: the policy's own furthest from the neutral value of the metric, the furthest first. */
  readonly worst: readonly number[];
  /** The token that the handle names; null where it names a sequence. */
  readonly token: ShowCard | null;
  /** The command to run next; null where there is none. */
  readonly next: { readonly command: string; readonly why: string } | null;
  /** What reading noticed, and what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

/** Figures are over the tokens with mask 1 and a finite Δ (of one policy: a finite log-prob). */
export interface ShowFigures {
  /** With mask 1. */
  readonly tokens: number;
  /** Of those, the ones with a finite Δ. */
  readonly measured: number;
  readonly infinite: number;
  /** Without a log-prob on one side. */
  readonly missing: number;
  readonly delta_mean: number | null;
  readonly delta_abs_mean: number | null;
  readonly delta_abs_max: number | null;
  readonly k3: number | null;
  /** Mean and smallest log-prob, where there is one policy only. */
  readonly log_prob_mean?: number | null;
  readonly log_prob_min?: number | null;
  /** Token with the largest |Δ|; of one policy the least likely. */
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
  /** Whether values on both sides of `neutral` mean something. */
  readonly signed: boolean;
  /** Where nothing is colored: 1 for ρ, 0 for the others. */
  readonly neutral: number;
  /** Distance from `neutral` at which the scale ends: the same for every sequence of every run. */
  readonly scale: number;
}

/**
 * `special`: a token such as `<eos>`; `continuation`: it begins within a character that a token before it shows;
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
  /** Null where the policy did not sample the token. */
  readonly delta: number | null;
  /** Of the metric; null where it is missing or the policy did not sample the token. */
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
  /** Its own, hexadecimal: of a character that tokens share its part. */
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

/** Both policies' most probable tokens as one list, likeliest first; the sampled one is always in it. */
export interface ShowAlternatives {
  /** Places that the lists have; null for a policy without one. */
  readonly rollout_k: number | null;
  readonly trainer_k: number | null;
  readonly candidates: readonly ShowCandidate[];
  /** Probability of all that is not listed. */
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
  /** From 1; null where the policy's list does not have the token. */
  readonly rank: number | null;
  /** The list does not have the token: it has at most this probability. */
  readonly at_most: boolean;
}
