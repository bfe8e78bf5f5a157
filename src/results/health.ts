/**
 * The health of a run beside its mismatch: what makes a step teach little, whichever way log-probs are computed.
 *
 * @module
 */

/** `too_few`: there is less than `least` to judge by. `unknown`: the data does not have what the check is about. */
export type HealthOutcome = "within" | "beyond" | "too_few" | "unknown";

export interface HealthChecked {
  readonly outcome: HealthOutcome;
  /** Compared with `limit`; null where the outcome is `unknown`. */
  readonly value: number | null;
  readonly limit: number;
}

/** Groups of one prompt in one step, with two or more known rewards, of which all are equal: their advantages are 0. */
export interface FlatGroupsCheck extends HealthChecked {
  readonly id: "flat_groups";
  readonly groups: number;
  /** `value` is `flat / groups`. */
  readonly flat: number;
  /** Of these, those at the largest and at the smallest reward of all. */
  readonly flat_best: number;
  readonly flat_worst: number;
  readonly per_step: readonly HealthStep[];
}

/** Responses that ended because there was no room left. */
export interface TruncationCheck extends HealthChecked {
  readonly id: "truncation";
  /** By what the engine says, or guessed: several responses have exactly the largest length. Null where neither is known. */
  readonly basis: "finish_reason" | "longest" | null;
  readonly sequences: number;
  /** `value` is `truncated / sequences`. */
  readonly truncated: number;
  /** Response tokens of the longest. */
  readonly longest: number;
  readonly reward_truncated: number | null;
  readonly reward_rest: number | null;
  /** Finish reasons that mean it, as the data spells them. */
  readonly reasons: readonly string[];
  readonly per_step: readonly HealthStep[];
}

/** How many versions of the weights lie between sampling and training. `value` is the largest staleness. */
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
 * Pearson's correlation of response length and reward, both less their mean over the prompt group (where there are no
 * groups, over the step): `value`, and `interval` of Fisher at 95 %.
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

/** `count` of `of`; steps ascending, null where none is known. */
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
