/**
 * A study: texts, and what policies say about each of their tokens under teacher forcing. Everything in this folder
 * starts from it, whatever scored the texts.
 *
 * All arrays of a text have one entry per response token, about that token (the logits at position t − 1 predict
 * token t). Missing is NaN, an absent array, or -1 in an id.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import type { TopK } from "../../core/schema/index.ts";

/** A response that was forced through the policies, and what is known about it. */
export interface StudyText {
  /** Unique within the study. */
  readonly id: string;
  /** The problem that it answers; several texts may answer one. */
  readonly problem: string;
  /** Whose response it is (`dpo`, `rlvr`); undefined if unknown. */
  readonly source: string | undefined;
  /** The prompt as text; undefined if only ids are known. */
  readonly promptText: string | undefined;
  /** Tokens of the prompt. */
  readonly promptLength: number;
  /** The prompt's ids, if available. */
  readonly promptIds?: Int32Array;
  /** `[tokens]` vocabulary ids of the response. */
  readonly tokenIds: Int32Array;
  /** Text of each response token by itself; a part of a character is U+FFFD. */
  readonly tokens: readonly string[];
  /** 1 = the policy's own token, 0 = tool output. */
  readonly mask: Uint8Array;
  /** Whether the response is right; undefined if unknown. */
  readonly correct: boolean | undefined;
  /** Difficulty, larger is harder; undefined if unknown. */
  readonly level: number | undefined;
  /** Field of the problem; undefined if unknown. */
  readonly subject: string | undefined;
  /** The right answer; undefined if unknown. */
  readonly answer: string | undefined;
  /** Response token at which its first real error begins, if the data say so. */
  readonly errorToken: number | undefined;
}

/** One policy's scores of one text. */
export interface PolicyScores {
  /** Nats. */
  readonly logprobs: FloatArray;
  /** Nats. */
  readonly entropies?: FloatArray;
  /** 1 = most probable. */
  readonly ranks?: Int32Array;
  /** Most probable tokens at each position. */
  readonly topK?: TopK;
  /**
   * Share of the attention, where the token is predicted, that goes to the text's first error: mean over layers and
   * Share of the attention, at the position that predicts the token, that goes to the text's first error: mean over
   * layers and heads; NaN at the error, before it, right after it (the erroneous token's own view) and at tokens of
   * tools.
   */
  readonly attentionToError?: FloatArray;
  /** The same for as many tokens right before the error. */
  readonly attentionToControl?: FloatArray;
  /** `attentionToError` of each head, mean over tokens: `[layers, heads]`; no layers without an error. */
  readonly attentionHeads?: { readonly layers: number; readonly shares: FloatArray };
}

/** The divergences of two policies' distributions at each token of one text, nats: P against Q. */
export interface PairScores {
  /** D(P‖Q), from whole distributions; absent if only the most probable tokens are known. */
  readonly forwardKl?: FloatArray;
  /** D(Q‖P). */
  readonly reverseKl?: FloatArray;
  /** Jensen-Shannon divergence at each token, nats. */
  readonly jsDivergence?: FloatArray;
  /** Total variation distance at each token, a fraction. */
  readonly totalVariation?: FloatArray;
  /** Lower bound of D(P‖Q) at each token, nats, if only top-k log-probs exist. */
  readonly forwardKlLower?: FloatArray;
  /** Upper bound of D(P‖Q) at each token, nats; may be +inf. */
  readonly forwardKlUpper?: FloatArray;
  /** D(P‖Q) for the token after the text, which counts as part of it in RL-Probe's alignment. */
  readonly forwardKlAfterEnd?: number;
  /** D(P‖Q) if no token after the text's first error attends to it, in P and in Q; NaN where `attentionToError` is. */
  readonly forwardKlWithoutError?: FloatArray;
  /** The same if none attends to as many tokens right before the error. */
  readonly forwardKlWithoutControl?: FloatArray;
  /** Largest probability of P (of Q) over the text's tokens in vocabulary entries that the other policy lacks. */
  readonly excludedP?: number;
  /** The same for Q, a fraction. */
  readonly excludedQ?: number;
}

/** One text under a checkpoint P next to the reference Q. */
export interface ScoredText {
  /** What was scored. */
  readonly text: StudyText;
  /** Scores of P, the checkpoint. */
  readonly p: PolicyScores;
  /** Scores of Q, the reference. */
  readonly q: PolicyScores;
  /** Divergences of the two at each token. */
  readonly pair: PairScores;
  /**
   * Gradient times input of D(P‖Q), nats, for the spikes where it is known, by their response token: one value for each
   * token before the spike, starting with the prompt's first.
   */
  readonly gradients?: ReadonlyMap<number, ArrayLike<number>>;
}
