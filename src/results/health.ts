/**
 * The health of a run apart from its mismatch: what makes a step teach little, however log-probs are computed.
 *
 * @module
 */

/** `too_few`: there is less than `least` to judge by. `unknown`: the data lack what the check is about. */
export type HealthOutcome = "within" | "beyond" | "too_few" | "unknown";

export interface HealthChecked {
  readonly outcome: HealthOutcome;
  /** Compared with `limit`; null if the outcome is `unknown`. */
  readonly value: number | null;
  readonly limit: number;
}

/** Groups of one prompt in one step whose known rewards, at least two, are all equal: their advantages are 0. */
export interface FlatGroupsCheck extends HealthChecked {
  readonly id: "flat_groups";
  readonly groups: number;
  /** `value` is `flat / groups`. */
  readonly flat: number;
  /** How many of these are at the largest and at the smallest reward overall. */
  readonly flat_best: number;
  readonly flat_worst: number;
  readonly per_step: readonly HealthStep[];
}

/** Responses that ended because they reached the length limit. */
export interface TruncationCheck extends HealthChecked {
  readonly id: "truncation";
  /**
   * From the engine's finish reasons, or guessed because several responses have exactly the largest length. Null if
   * neither is known.
   */
  readonly basis: "finish_reason" | "longest" | null;
  readonly sequences: number;
  /** `value` is `truncated / sequences`. */
  readonly truncated: number;
  /** Response tokens of the longest response. */
  readonly longest: number;
  readonly reward_truncated: number | null;
  readonly reward_rest: number | null;
  /** Finish reasons that mean truncation, as spelled in the data. */
  readonly reasons: readonly string[];
  readonly per_step: readonly HealthStep[];
}

/** How many weight versions lie between sampling and training. `value` is the largest staleness. */
export interface StalenessCheck extends HealthChecked {
  readonly id: "staleness";
  readonly tokens: number;
  /** Over tokens, in versions. */
  readonly mean: number | null;
  readonly parts: readonly {
    readonly staleness: number;
    readonly tokens: number;
    readonly delta_abs_mean: number | null;
  }[];
}

/**
 * Pearson's correlation of response length and reward, both minus their mean over the prompt group (over the step if
 * there are no groups): `value`, and Fisher's 95 % `interval`.
 */
export interface RewardLengthCheck extends HealthChecked {
  readonly id: "reward_length";
  readonly sequences: number;
  readonly interval: readonly [low: number, high: number] | null;
  /** What the means are over. */
  readonly within: "group" | "step";
  /** Tenths of the sequences by length, shortest first. */
  readonly tenths: readonly {
    readonly shortest: number;
    readonly longest: number;
    readonly sequences: number;
    readonly reward_mean: number;
  }[];
}

/** `count` of `of`; steps ascending, null if not known. */
export interface HealthStep {
  readonly step: number | null;
  readonly count: number;
  readonly of: number;
}

export interface HealthReport {
  readonly flat_groups: FlatGroupsCheck;
  readonly truncation: TruncationCheck;
  readonly staleness: StalenessCheck;
  readonly reward_length: RewardLengthCheck;
}
