/**
 * What is kept of one text under one checkpoint after its tokens were read. Small and plain, so that a study of any
 * number of tokens is held as one of these per text and checkpoint. Sums and means are over tokens with mask 1.
 *
 * @module
 */

import type { PolicyRole, Region, SpikeMethod } from "../results/names.ts";
import type { CaseContinuation, KlAlternative, SpikeDependence } from "../results/texts.ts";
import type { HeadShares } from "./attention/head-sums.ts";
import type { TextAttention } from "./attention/text-attention.ts";
import type { Category } from "./categories/categories.ts";
import type { ErrorSpan } from "./error-span.ts";
import type { TextGradients } from "./gradients/text-gradients.ts";
import type { StudyText } from "./study.ts";

/** How a text's tokens are judged. */
export interface KlOptions {
  /** What makes a token a spike. */
  readonly spikes: SpikeOptions;
  /** Tried in this order; `other` is for tokens that fit none. */
  readonly categories: readonly Category[];
  /** Whether to compute figures in RL-Probe's alignment as well. */
  readonly rlProbe: boolean;
}

/** How spikes are found; `threshold` in standard deviations, `minDistance` in tokens, `percentile` 0 to 100. */
export interface SpikeOptions {
  /** What a token's KL is compared with. */
  readonly method: SpikeMethod;
  /** Standard deviations above the mean, or scaled MADs above the median, by method. */
  readonly threshold: number;
  /** Minimum number of tokens from one spike to the next; of closer ones, the largest is kept. */
  readonly minDistance: number;
  /** Percentile of the series, 0 to 100, for the method of that name. */
  readonly percentile: number;
}

/** Spikes of one text; `positions` are response tokens, ascending. */
export interface TextSpike {
  readonly position: number;
  /** The token's text. */
  readonly token: string;
  readonly tokenId: number;
  readonly value: number;
  readonly zscore: number;
  readonly region: Region;
  readonly category: string;
  readonly alternatives: readonly KlAlternative[];
  readonly referenceAlternatives: readonly KlAlternative[];
  readonly probability: number;
  readonly referenceProbability: number;
  /** The earlier tokens that the KL depends on most, largest first; absent if its gradients are unknown. */
  readonly dependsOn?: readonly SpikeDependence[];
}

export interface CategorySums {
  readonly count: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  readonly max: number;
  readonly min: number;
  readonly spikes: number;
}

/** Sums by the text of a token. */
export interface TokenSums {
  readonly category: string;
  readonly count: number;
  readonly spikes: number;
  readonly klSum: number;
  readonly deltaSum: number;
}

/** One text under one checkpoint: KLs and entropies in nats, shares as fractions. */
export interface TextSummary {
  /** Place in the study's list of texts. */
  readonly index: number;
  /** Name of the text, unique within the study. */
  readonly text: string;
  /** The problem that it answers. */
  readonly problem: string;
  /** Tokens with mask 1 and a finite KL. */
  readonly tokens: number;
  /** Tokens with mask 1 whose D(P‖Q) is infinite: in no mean, and never spikes. Absent if there are none. */
  readonly infiniteKl?: number;
  /** The same for D(Q‖P). */
  readonly infiniteReverseKl?: number;
  /** Tokens with mask 1 whose KL is NaN although both policies give whole distributions. Absent if there are none. */
  readonly nanKl?: number;
  /** False if `meanKl` and everything derived from the series is about the lower bound. */
  readonly exact: boolean;
  /** Mean D(P‖Q) over its tokens, nats. */
  readonly meanKl: number;
  /** Largest D(P‖Q) of a token, nats. */
  readonly maxKl: number;
  /** Mean D(Q‖P), nats; NaN if unknown. */
  readonly meanReverseKl: number;
  /** Mean Jensen-Shannon divergence, nats; NaN if unknown. */
  readonly meanJs: number;
  /** Mean total variation distance, a fraction; NaN if unknown. */
  readonly meanTotalVariation: number;
  /** Lower bound of the mean KL, nats; NaN if the KL is exact. */
  readonly meanKlLower: number;
  /** Upper bound of the mean KL, nats; NaN if the KL is exact, and may be +inf. */
  readonly meanKlUpper: number;
  /** Tokens whose upper bound is infinite. */
  readonly upperInfinite: number;
  /** Mean entropy of the checkpoint, nats; NaN if unknown. */
  readonly meanEntropy: number;
  /** Mean entropy of the reference, nats; NaN if unknown. */
  readonly meanReferenceEntropy: number;
  /** Mean entropy in each third of the tokens with mask 1. */
  readonly entropyByRegion: Readonly<Record<Region, number>>;
  /** Mean of log p_checkpoint − log p_reference. */
  readonly meanDelta: number;
  /** Tokens at which the two policies' most probable tokens differ. */
  readonly argmaxChanged: number;
  /** Count of tokens for which both most probable tokens are known. */
  readonly argmaxKnown: number;
  /** Its spikes, in the order of the text. */
  readonly spikes: readonly TextSpike[];
  /** The mean number of spikes that the same values have in random order. */
  readonly spikesShuffled: number;
  /** Spikes divided by tokens, per region. */
  readonly spikeDensity: Readonly<Record<Region, number>>;
  /** Sums by category of token. */
  readonly categories: Readonly<Record<string, CategorySums>>;
  /** Sums by text of the token. */
  readonly byToken: ReadonlyMap<string, TokenSums>;
  /** KL, a sum in nats, where the forced token's probability moved the desired way; NaN if unknown. */
  readonly goodKl: number;
  /** KL, a sum in nats, where the probability moved the wrong way. */
  readonly badKl: number;
  /** The place of the first real error; undefined if none is known. */
  readonly error: ErrorSpan | undefined;
  /** KL (a sum) of the tokens with mask 1 at the error; undefined if no error is known. */
  readonly errorKl: { readonly sum: number; readonly tokens: number } | undefined;
  /** Attention to the error; undefined if no error or no attention is known. */
  readonly attention?: TextAttention | undefined;
  /** What the KL at spikes after the error depends on; undefined if unknown. */
  readonly gradients?: TextGradients | undefined;
  /** Outcomes of continuing the text freely. */
  readonly continuations?: readonly TextContinuation[] | undefined;
  /** Figures in RL-Probe's alignment; null unless requested. */
  readonly rlProbe: {
    readonly meanKl: number;
    /** In our indexing: the response tokens that the values are actually about. */
    readonly spikePositions: readonly number[];
    readonly spikes: number;
  } | null;
}

/** The outcome of one text when a policy continued freely from a place within it. */
export interface TextContinuation {
  readonly place: string;
  /** Share of the response that was forced. */
  readonly share: number;
  readonly samples: number;
  readonly right: number;
  /** Samples that state no final answer. */
  readonly unanswered: number;
  /** The reference's outcome; undefined if it was not requested. */
  readonly reference: { readonly samples: number; readonly right: number } | undefined;
}

/** Everything about one checkpoint that the report needs. */
export interface CheckpointSummary {
  readonly name: string;
  readonly role: PolicyRole;
  readonly step: number | null;
  readonly stage: string | null;
  /** In the study's order, without texts that have no scores. */
  readonly texts: readonly TextSummary[];
  /** Attention to errors, head by head; undefined if unknown. */
  readonly heads?: HeadShares | undefined;
  /** Whether this checkpoint itself solves a problem, if known. */
  readonly outcomes: ReadonlyMap<string, boolean>;
}

/** What a case study needs of its text. */
export type CaseText = Pick<
  StudyText,
  "id" | "problem" | "source" | "correct" | "subject" | "level" | "promptText" | "tokens" | "mask"
>;

/** What the report revisits: a text under every checkpoint. */
export interface TextUnderCheckpoints {
  readonly text: CaseText;
  readonly index: number;
  /** By checkpoint, one value per response token: KL (or its lower bound), and log p_checkpoint − log p_reference. */
  readonly kl: ReadonlyMap<string, ArrayLike<number>>;
  readonly delta: ReadonlyMap<string, ArrayLike<number>>;
  readonly continuations?: readonly CaseContinuation[];
}
