/**
 * KL of right and wrong texts: by correctness, at the first error, with attention to it, and with continuations.
 *
 * @module
 */
import type { KlInterval } from "./checkpoints.ts";

/** KL by whether a text is right, and by the direction in which the checkpoint moves. */
export interface CorrectnessFigures {
  readonly checkpoint: string;
  readonly wrong_texts: GroupKl | null;
  readonly right_texts: GroupKl | null;
  /** Wrong against right texts; paired (Wilcoxon) if the same problems have both, else Mann-Whitney. */
  readonly test: {
    readonly method: "wilcoxon" | "mann-whitney";
    readonly p_value: number;
    readonly adjusted_p_value: number;
    readonly rank_biserial: number;
    readonly n: number;
  } | null;
  /**
   * KL of tokens where the checkpoint moves the desired way: on wrong texts (from the first error on, if that is known)
   * away from the forced token, on right texts (and before the error) towards it. Per token, over all tokens of texts
   * whose correctness is known.
   */
  readonly good_kl: number | null;
  readonly bad_kl: number | null;
  /** good / (good + bad). */
  readonly good_share: number | null;
  /**
   * KL of problems that the checkpoint itself solves, and of those that it does not; null if its own answers are
   * unknown.
   */
  readonly solved: GroupKl | null;
  readonly unsolved: GroupKl | null;
}

export interface GroupKl {
  readonly problems: number;
  readonly texts: number;
  readonly mean_kl: number;
  readonly std_kl: number;
  readonly spikes_mean: number;
  readonly mean_delta: number | null;
}

export interface FirstErrorFigures {
  readonly checkpoint: string;
  /** Wrong texts whose first error is known. */
  readonly texts: number;
  /** This many tokens before the one that announces the error, and after the first wrong one, count as at the error. */
  readonly window: number;
  /** Share of texts with a spike at the error. */
  readonly spike_at_error: number;
  /** Texts that announce another result besides the wrong one: only these can be tested. */
  readonly tested: number;
  /** Share of the tested texts with a spike at the error. */
  readonly tested_at_error: number | null;
  /** The share expected if the error were any one of the results that its text announces. */
  readonly expected: number | null;
  /** One-sided, exact: the error is permuted among its text's announced results. */
  readonly p_value: number | null;
  readonly adjusted_p_value: number | null;
  readonly kl_at_error: number | null;
  readonly kl_elsewhere: number | null;
  /** Tokens from the error to the nearest spike, negative before it, 0 within it; median over texts. */
  readonly median_distance: number | null;
  /** Share of spikes at or after the error. */
  readonly spikes_after: number | null;
}

/**
 * Attention to the tokens of a text's first error, from the `=` that announces it to the first wrong one, at the later
 * positions that predict the policy's own tokens. Shares are of all attention at such a position, mean over layers and
 * heads, then over tokens, texts and problems.
 */
export interface AttentionFigures {
  readonly checkpoint: string;
  /** Wrong texts whose first error is known, with tokens after it. */
  readonly texts: number;
  readonly problems: number;
  readonly to_error: number;
  readonly reference_to_error: number;
  /** Attention to as many tokens right before the error; null if no text has them. */
  readonly to_control: number | null;
  readonly reference_to_control: number | null;
  /** `to_error` − `reference_to_error`. */
  readonly difference: PairedDifference;
  readonly control_difference: PairedDifference | null;
  /** Spearman's correlation over problems of `difference` with mean KL of the tokens after the error. */
  readonly with_kl: RankCorrelation | null;
  /** The checkpoint's head whose share is largest, mean over texts; counted from 0. */
  readonly strongest_head: {
    readonly layer: number;
    readonly head: number;
    readonly share: number;
    readonly reference_share: number;
  } | null;
  /** Null if the models do not allow it. */
  readonly hidden: HiddenFigures | null;
}

/** D(checkpoint‖reference) of the tokens after the error if they cannot attend to some tokens, under both policies. */
export interface HiddenFigures {
  readonly problems: number;
  /** With nothing hidden. */
  readonly kl: number;
  readonly kl_without_error: number;
  /** With as many tokens right before the error hidden instead; null if no text has them. */
  readonly kl_without_control: number | null;
  /** `kl_without_error` − `kl`. */
  readonly difference: PairedDifference;
  /** `kl_without_error` − `kl_without_control`. */
  readonly against_control: PairedDifference | null;
}

/** Spearman's rank correlation over problems. */
export interface RankCorrelation {
  readonly problems: number;
  readonly coefficient: number;
  readonly interval: KlInterval | null;
  readonly p_value: number;
  /** Holm's correction over the rows of its table; the plain p-value if nothing is corrected. */
  readonly adjusted_p_value: number;
}

/** A mean difference, paired by problem. */
export interface PairedDifference {
  readonly problems: number;
  readonly mean: number;
  /** 95 %, over problems; null for fewer than six. */
  readonly interval: KlInterval | null;
  /** Wilcoxon's signed-rank test, two-sided, of the median, not of `mean`; null for fewer than six problems that differ, exact up to 25. */
  readonly p_value: number | null;
  /** Holm's correction over checkpoints. */
  readonly adjusted_p_value: number | null;
  readonly rank_biserial: number | null;
  readonly significant: boolean;
}

/**
 * Gradient times input of D(checkpoint‖reference) at the largest spikes after a text's first error, with respect to
 * every token before them: the rate at which the KL changes when that token's embeddings are scaled under both
 * policies. Shares are of Σ |gradient × input| over all those tokens, mean over spikes, then over texts and problems.
 */
export interface GradientFigures {
  readonly checkpoint: string;
  /** Wrong texts whose first error is known and is followed by a spike. */
  readonly texts: number;
  readonly problems: number;
  readonly spikes: number;
  /** Share on the tokens from the `=` that announces the error to the first wrong one. */
  readonly to_error: number;
  /** Share on as many tokens right before the error; null if no text has them. */
  readonly to_control: number | null;
  /** The error's share of the number of tokens: what an even spread would give. */
  readonly even: number;
  /** Σ gradient × input over the error's tokens, nats: above 0, the KL would fall if they weighed less. */
  readonly at_error: number;
  /** `to_error` − `to_control`. */
  readonly against_control: PairedDifference | null;
}

/** Outcomes of wrong texts continued freely from one place. Shares are means over samples, texts and problems. */
export interface ContinuationFigures {
  readonly checkpoint: string;
  /** `start`, `before_error`, `after_error`, or a share of the response such as `0.5`. */
  readonly place: string;
  readonly texts: number;
  readonly problems: number;
  /** Samples of the checkpoint, over all texts. */
  readonly samples: number;
  /** Share of the response that is forced. */
  readonly forced_share: number;
  /** Share of the continuations whose final answer is right. */
  readonly right: number;
  /** The reference's share, on the texts that it continued too. */
  readonly reference_right: number | null;
  /** Share of the continuations that state no final answer; these do not count as right. */
  readonly unanswered: number;
  /** `right` − `reference_right`. */
  readonly difference: PairedDifference | null;
  /** Correlation of `difference` with the text's mean KL; not corrected. */
  readonly with_kl: RankCorrelation | null;
}
