/**
 * The one answer about a run, which every verb, the page and every client show first: what is wrong, since when, where,
 * whether it matters, why, and what to do. Names are snake_case; log quantities are in nats, shares and probabilities
 * are fractions of 1, null is "not known".
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";
import type { BesideFinding } from "./beside.ts";
import type { DoctorVerdict, EvidencePicture, Fix, NextExperiment, UntestedQuestion } from "./diagnosis.ts";
import type { MistakeEvents } from "./events.ts";
import type { Finite } from "./finite.ts";
import type { ReadingLevel, VerdictLevel } from "./reading-level.ts";

/**
 * Whether the ratios are so uneven that a correction is needed: `none`; `few`: only for a few tokens outside [1/2, 2];
 * `all`: their ESS is low.
 */
export type CorrectionNeed = "none" | "few" | "all";

export interface Assessment {
  /** The worst of the levels of its parts. */
  readonly level: VerdictLevel;
  /** The verdict in one sentence, including when. */
  readonly sentence: string;
  /** Whether the two columns belong to the same tokens, and both are log-probs. */
  readonly comparable: Comparable;
  /** What is NaN, null or infinite, and when. */
  readonly finite: Finite;
  /** Which steps have the level. */
  readonly when: When;
  /** The doctor's verdict on causes; null if nothing was diagnosed (logged metrics alone). */
  readonly diagnosis: DoctorVerdict | null;
  /**
   * Most likely first, with those that look alike grouped. Empty if nothing is wrong, or there is too little to say.
   */
  readonly causes: readonly CauseGroup[];
  /** The most important mistakes, each counted once. */
  readonly events: MistakeEvents;
  /** How much of the mismatch reaches the policy gradient; null if no token has an advantage. */
  readonly reach: Reach | null;
  /** Where the mismatch is, the part that stands out most first; at most one of each kind. */
  readonly where: readonly StandingPart[];
  /** What else keeps the run from learning, worst first. */
  readonly beside: readonly BesideFinding[];
  /**
   * Whether `sweep` finds a correction necessary: its recommendation has the same `need`. Null if no token can be
   * compared.
   */
  readonly correction: { readonly need: CorrectionNeed } | null;
  /** What could not be tested, and the column that would allow it. */
  readonly untested: readonly UntestedQuestion[];
  /** The one most decisive experiment; null if nothing more needs to be known. */
  readonly next: NextExperiment | null;
}

/** Whether figures of the two columns mean anything. */
export interface Comparable {
  readonly is_comparable: boolean;
  /** Why not; null if they can be compared. */
  readonly reason: string | null;
  /** Mean |Δ| with the trainer's column shifted by this many entries; empty if it was not tried. */
  readonly by_shift: readonly { readonly shift: number; readonly delta_abs_mean: Nats }[];
  /** The shift that fits; null if none does, or if the columns are in place. */
  readonly shift: number | null;
}

/** Causes that leave the same traces, or a single one. */
export interface CauseGroup {
  readonly title: string;
  /** The affected part of the run, such as an environment; null if it is the whole run. */
  readonly part: string | null;
  /** Probability that it is one of them. */
  readonly probability: Fraction;
  /**
   * Whether it is a small but certain mark next to what makes up most of Σ|Δ|: both may be true, so it does not compete
   * with the first.
   */
  readonly coexists: boolean;
  /** Most likely first. */
  readonly causes: readonly {
    readonly id: string;
    readonly title: string;
    readonly probability: Fraction;
  }[];
  /** What separates the likeliest of them from the next group: contrasts, strongest first; empty if nothing does. */
  readonly evidence: readonly string[];
  /** The picture that shows it best; null without one. */
  readonly picture: EvidencePicture | null;
  /** Share of Σ|Δ| that the likeliest explains if true; null if nothing differs. */
  readonly explains: Fraction | null;
  /** Fix for the likeliest, in the terms of the trainer that wrote the files if available; null without one. */
  readonly fix: Fix | null;
}

/** How much of the mismatch reaches the policy gradient. */
export interface Reach {
  /** Share of Σ k3 at tokens whose advantage is 0: they add nothing to the gradient. */
  readonly k3_share_at_zero: Fraction;
  /** Σ|A||ρ − 1| / Σ|A|: how far off the weights of the gradient's terms are. */
  readonly impact_relative: number;
  /** Share of Σ|A||ρ − 1| in the steps at the level of the run; null if all are, or none. */
  readonly impact_share_in_bad_steps: Fraction | null;
}

/** A part of the run with more of the mismatch than its share of tokens implies. */
export interface StandingPart {
  readonly kind: "correctness" | "turn" | "environment" | "rank" | "engine" | "staleness" | "position_decile";
  /** As named in `per_…` of the report: `incorrect`, `1`, `arithmetic`. */
  readonly name: string;
  /** Its share of the tokens, and of Σ k3. */
  readonly token_share: Fraction;
  readonly k3_share: Fraction;
  /** Mean over its tokens. */
  readonly delta_abs_mean: Nats;
}

/** Consecutive steps whose mean |Δ| does not jump. */
export interface StepSegment {
  readonly from_step: number;
  readonly to_step: number;
  /** Number of its steps with enough tokens, alone or together with their neighbors. */
  readonly steps: number;
  /** Number of those whose own figures are at `level`. */
  readonly steps_at_level: number;
  /** Tokens of these steps; the figures are over them. */
  readonly tokens: number;
  readonly delta_abs_mean: Nats;
  readonly k3: Nats;
  /** Level of k3, mean |Δ| and mean |Δp| by the published baselines. */
  readonly level: ReadingLevel;
}

export interface When {
  /** `in steps 10–30; normal since step 50`; null if the steps allow no such statement. */
  readonly words: string | null;
  /** In order; more than one only if both sides of a jump differ in level or by a factor of 2. */
  readonly segments: readonly StepSegment[];
  /** Steps in no segment, because they have too few tokens or sequences. */
  readonly steps_skipped: number;
  /** Largest chance that a run without a jump has more than one segment. */
  readonly false_alarm_rate: number;
}
