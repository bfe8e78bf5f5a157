/**
 * The one answer about a run, which every verb, the page and every client show first: what is wrong, since when, where,
 * does it matter, why, what to do. Names are snake_case; log quantities are in nats, shares and probabilities are
 * fractions of 1, null is "not known".
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
 * Whether the ratios are so uneven that a correction is needed: `none`; `few`: for a few tokens outside [1/2, 2] only;
 * `all`: their ESS is low.
 */
export type CorrectionNeed = "none" | "few" | "all";

export interface Assessment {
  /** The worst of what its parts say. */
  readonly level: VerdictLevel;
  /** The verdict in one sentence, with when. */
  readonly sentence: string;
  /** Whether the two columns are of the same tokens, and both log-probs. */
  readonly comparable: Comparable;
  /** What is NaN, null or infinite, and when. */
  readonly finite: Finite;
  /** In which steps. */
  readonly when: When;
  /** What the doctor says of causes; null where nothing was diagnosed (logged metrics alone). */
  readonly diagnosis: DoctorVerdict | null;
  /** Most likely first, those that look alike as one. Empty where nothing is wrong, or there is too little to say. */
  readonly causes: readonly CauseGroup[];
  /** The mistakes that count most, each counted once. */
  readonly events: MistakeEvents;
  /** What of the mismatch reaches the policy gradient; null where no token has an advantage. */
  readonly reach: Reach | null;
  /** Where it is, the part that stands out most first; at most one of each kind. */
  readonly where: readonly StandingPart[];
  /** What else makes the run teach little, worst first. */
  readonly beside: readonly BesideFinding[];
  /** What `sweep` says of the same data: its recommendation has the same `need`. Null where no token can be compared. */
  readonly correction: { readonly need: CorrectionNeed } | null;
  /** What could not be looked at, and the column that would allow it. */
  readonly untested: readonly UntestedQuestion[];
  /** The one experiment that would decide most; null where nothing more needs to be known. */
  readonly next: NextExperiment | null;
}

/** Whether figures of the two columns mean anything. */
export interface Comparable {
  readonly is_comparable: boolean;
  /** Why not; null where they can be compared. */
  readonly reason: string | null;
  /** Mean |Δ| with the trainer's column moved by so many entries; empty where it was not tried. */
  readonly by_shift: readonly { readonly shift: number; readonly delta_abs_mean: Nats }[];
  /** The shift that fits; null where none does, or the columns are in place. */
  readonly shift: number | null;
}

/** Causes that leave the same traces, or a single one. */
export interface CauseGroup {
  readonly title: string;
  /** The part of the run that it is about, such as an environment; null where it is the whole. */
  readonly part: string | null;
  /** That it is one of them. */
  readonly probability: Fraction;
  /** True of a small certain mark beside what makes most of Σ|Δ|: both may be true, so it is no rival of the first. */
  readonly coexists: boolean;
  /** Most likely first. */
  readonly causes: readonly {
    readonly id: string;
    readonly title: string;
    readonly probability: Fraction;
  }[];
  /** What separates the likeliest of them from the next group: contrasts, strongest first; empty where nothing does. */
  readonly evidence: readonly string[];
  /** What shows it best; null without one. */
  readonly picture: EvidencePicture | null;
  /** Of Σ|Δ|, what the likeliest explains if it is so; null where nothing differs. */
  readonly explains: Fraction | null;
  /** Of the likeliest, in the words of the trainer that wrote the files where there are any; null without one. */
  readonly fix: Fix | null;
}

/** What of the mismatch reaches the policy gradient. */
export interface Reach {
  /** Share of Σ k3 at tokens whose advantage is 0: they add nothing to the gradient. */
  readonly k3_share_at_zero: Fraction;
  /** Σ|A||ρ − 1| / Σ|A|: by how much the weights of the gradient's terms are off. */
  readonly impact_relative: number;
  /** Share of Σ|A||ρ − 1| that is in the steps which read at the level of the run; null where all do, or none. */
  readonly impact_share_in_bad_steps: Fraction | null;
}

/** A part of the run that holds more of the mismatch than its tokens would. */
export interface StandingPart {
  readonly kind: "correctness" | "turn" | "environment" | "rank" | "engine" | "staleness" | "position_decile";
  /** As `per_…` of the report names it: `incorrect`, `1`, `arithmetic`. */
  readonly name: string;
  /** Of the tokens, and of Σ k3. */
  readonly token_share: Fraction;
  readonly k3_share: Fraction;
  /** Of its tokens. */
  readonly delta_abs_mean: Nats;
}

/** Steps in a row whose mean |Δ| does not jump. */
export interface StepSegment {
  readonly from_step: number;
  readonly to_step: number;
  /** Steps in it that have enough tokens, or have them together with their neighbors. */
  readonly steps: number;
  /** Those whose own figures read at `level`. */
  readonly steps_at_level: number;
  /** Tokens of these steps; the figures are over them. */
  readonly tokens: number;
  readonly delta_abs_mean: Nats;
  readonly k3: Nats;
  /** Of k3, mean |Δ| and mean |Δp| by the published baselines. */
  readonly level: ReadingLevel;
}

export interface When {
  /** `in steps 10–30; normal since step 50`; null where the steps allow no such words. */
  readonly words: string | null;
  /** In order; more than one only where both sides of a jump differ in level or by a factor of 2. */
  readonly segments: readonly StepSegment[];
  /** Steps in no segment, since they have too few tokens or sequences. */
  readonly steps_skipped: number;
  /** Chance that a run without a jump has more than one segment, at most. */
  readonly false_alarm_rate: number;
}
