/**
 * What the doctor says of a run: the causes of a mismatch with their probabilities, what speaks for each, what to do
 * about it, and the one experiment that would tell most. Names are snake_case; log quantities are in nats, shares and
 * probabilities are fractions of 1, null is "not known".
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";

/**
 * - `healthy`: what differs is what the precision of an engine explains.
 * - `fault`: one cause, or a few, explain it; see their probabilities.
 * - `cannot_tell`: something differs and the data do not decide what; see `next_experiment`.
 * - `too_few`: too few tokens or sequences to judge.
 */
export type DoctorVerdict = "healthy" | "fault" | "cannot_tell" | "too_few";

/** Which of rollout (A), its re-scored column (B) and trainer (C) differ: `decode` is A from B, `trainer` is B from C. */
export type GuiltyLeg = "decode" | "trainer" | "both" | "none";

/** A curve, bars or points that show a piece of evidence. */
export interface EvidencePicture {
  /** `line`: y over ordered x; `bars`: one y per label; `points`: a cloud. */
  readonly kind: "line" | "bars" | "points";
  readonly title: string;
  /** What x and y are, with their units. */
  readonly x_label: string;
  readonly y_label: string;
  /** Numbers, or the names of bars. */
  readonly x: readonly (number | string)[];
  /** One list per series, as long as `x`; null where there is nothing. */
  readonly series: readonly { readonly name: string; readonly y: readonly (number | null)[] }[];
}

/** A fact that speaks for or against a cause. */
export interface Evidence {
  /** A whole sentence with its figure, its unit and what it is compared with. */
  readonly sentence: string;
  /** What it adds to the log-odds of the cause, in nats; below 0 it speaks against the cause. */
  readonly weight: Nats;
  /** The figures of the sentence, by name. */
  readonly figures: Readonly<Record<string, number | string | null>>;
  readonly picture?: EvidencePicture;
  /** Of a figure that is compared with what recordings of the cause have: as text, with its unit where it has one. */
  readonly profile?: {
    /** The same for every cause: what is compared. */
    readonly name: string;
    readonly label: string;
    readonly value: string;
    readonly expected: string;
  };
}

/** What to change, in one trainer's or engine's own words. */
export interface Fix {
  /** `verl`, `vllm`, …; null: whatever the trainer. */
  readonly trainer: string | null;
  /** The line of config, the flag, or the change in code; what to do where none can be pasted. */
  readonly line: string;
  /** Whether `line` can be pasted; else it is a phrase. */
  readonly is_code: boolean;
  /** What it does, and what to keep in mind. */
  readonly note: string;
}

export interface DoctorCause {
  /** `temperature_mismatch`, …; `healthy`; `cannot_tell` is "none of these". */
  readonly id: string;
  /** `meaning`, `alignment`, `mask`, `context`, `weights`, `numerics`, `missing`, `where`, `when` or `healthy`. */
  readonly family: string;
  readonly title: string;
  readonly description: string;
  /** That the run has it. Causes that exclude each other, none of them included, share 1; see `coexists`. */
  readonly probability: Fraction;
  /**
   * Of Σ|Δ|, what it explains if it is so. Of a mark: what is gone once its tokens are set aside or its column is put
   * right; of a coarse storage format: what rounding alone makes; of the others: what no mark explains, of the part of
   * the run that stands out. Null where nothing differs, or where no cause is named.
   */
  readonly explains: Fraction | null;
  /** True of a proven mark that explains little, beside what makes most of Σ|Δ|: its probability is its own, and both may be true. */
  readonly coexists: boolean;
  /** Strongest first. */
  readonly evidence: readonly Evidence[];
  /** Handles of sequences or tokens to look at with `logratio show`. */
  readonly handles: readonly string[];
  readonly fix: readonly Fix[];
}

/** Causes that leave the same traces in log-probs: the data name them together, and an experiment tells them apart. */
export interface AlikeCauses {
  /** What they have in common: `Different weights on the two sides`. */
  readonly title: string;
  /** Ids of causes, most likely first. */
  readonly causes: readonly string[];
  /** That it is one of them. */
  readonly probability: Fraction;
}

/** The experiment that would tell most, and what each outcome would mean. */
export interface NextExperiment {
  readonly id: string;
  readonly title: string;
  /** What to do, step by step; commands stand on lines of their own. */
  readonly steps: readonly string[];
  /** What to expect, for each cause that it separates. */
  readonly outcomes: readonly { readonly outcome: string; readonly causes: readonly string[] }[];
  /** By how much it is expected to reduce the entropy of the causes. */
  readonly expected_information: Nats;
}

/** The difference over one leg of three columns, over the tokens where both ends are known. */
export interface LegFigures {
  readonly name: "decode" | "trainer";
  readonly tokens: number;
  readonly delta_mean: Nats;
  readonly delta_abs_mean: Nats;
  readonly delta_abs_max: Nats;
  /** mean(e^Δ − Δ − 1). */
  readonly k3: Nats;
  /** Share of the tokens whose Δ is exactly 0. */
  readonly equal_share: Fraction;
}

/** A test that the run has no data for. */
export interface UntestedQuestion {
  /** What could not be tested: `whether the rollout's log-probs are those of the distribution that was sampled`. */
  readonly test: string;
  /** The record's column, or what else is missing: `entropy.rollout`. */
  readonly column: string;
  /** How to get it. */
  readonly how: string;
}

/** What the data alone say. */
export interface Diagnosis {
  /** Whether something is wrong. */
  readonly verdict: DoctorVerdict;
  /** The verdict in one sentence. */
  readonly sentence: string;
  /** Most likely first, after the likeliest of the likeliest group of `alike` causes; the probabilities of all causes, also those left out here, sum to 1, but for those that coexist, which stand behind the first. */
  readonly causes: readonly DoctorCause[];
  /** The causes that look like the first one, itself among them; null where it has traces of its own. */
  readonly alike: AlikeCauses | null;
  /** Null without a re-scored column, or where too few sequences have one. */
  readonly guilty_leg: GuiltyLeg | null;
  /** Figures of each pair of policies that was compared. */
  readonly legs: readonly LegFigures[];
  /** Null where nothing more needs to be known. */
  readonly next_experiment: NextExperiment | null;
  /** What could not be looked at, most telling first. */
  readonly untested: readonly UntestedQuestion[];
  /** The figures that the diagnosis rests on, by name; null where not known. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Counts of tokens that are in no figure, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
}
