/**
 * A study: texts, and what policies say about each of their tokens under teacher forcing. What everything in this
 * folder starts from, whatever scored the texts.
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
  /** Whose response it is (`dpo`, `rlvr`); undefined where not known. */
  readonly source: string | undefined;
  /** The prompt as text; undefined where only ids are known. */
  readonly promptText: string | undefined;
  /** Tokens of the prompt. */
  readonly promptLength: number;
  /** The same by their ids, where they are at hand. */
  readonly promptIds?: Int32Array;
  /** `[tokens]` vocabulary ids of the response. */
  readonly tokenIds: Int32Array;
  /** Text of each response token by itself; a part of a character is U+FFFD. */
  readonly tokens: readonly string[];
  /** 1 = the policy's own token, 0 = tool output. */
  readonly mask: Uint8Array;
  /** Whether the response is right; undefined where not known. */
  readonly correct: boolean | undefined;
  /** Difficulty, larger is harder; undefined where not known. */
  readonly level: number | undefined;
  /** Field of the problem; undefined where not known. */
  readonly subject: string | undefined;
  /** The right answer; undefined where not known. */
  readonly answer: string | undefined;
  /** Response token at which its first real error begins, where the data say so. */
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
   * heads; NaN at the error, before it, right behind it (the erroneous token's own view) and at tokens of tools.
   */
  readonly attentionToError?: FloatArray;
  /** The same to as many tokens right before the error. */
  readonly attentionToControl?: FloatArray;
  /** `attentionToError` of each head, mean over tokens: `[layers, heads]`; no layers without an error. */
  readonly attentionHeads?: { readonly layers: number; readonly shares: FloatArray };
}

/** How far two policies' distributions are apart at each token of one text, nats: P against Q. */
export interface PairScores {
  /** D(P‖Q), from whole distributions; absent where only the most probable tokens are known. */
  readonly forwardKl?: FloatArray;
  /** D(Q‖P). */
  readonly reverseKl?: FloatArray;
  /** Jensen-Shannon divergence at each token, nats. */
  readonly jsDivergence?: FloatArray;
  /** Total variation distance at each token, a fraction. */
  readonly totalVariation?: FloatArray;
  /** Where only top-k log-probs exist: D(P‖Q) lies between these; the upper one may be +inf. */
  readonly forwardKlLower?: FloatArray;
  /** Upper bound of D(P‖Q) at each token, nats; may be +inf. */
  readonly forwardKlUpper?: FloatArray;
  /** D(P‖Q) for the token after the text, which RL-Probe's alignment counts to it. */
  readonly forwardKlAfterEnd?: number;
  /** D(P‖Q) where no token behind the text's first error attends to it, in P and in Q; NaN as `attentionToError`. */
  readonly forwardKlWithoutError?: FloatArray;
  /** The same where none attends to as many tokens right before the error. */
  readonly forwardKlWithoutControl?: FloatArray;
  /** Largest probability of P (of Q) over the text's tokens in vocabulary entries that the other policy lacks. */
  readonly excludedP?: number;
  /** The same of Q, a fraction. */
  readonly excludedQ?: number;
}

/** One text as a checkpoint P sees it beside the reference Q. */
export interface ScoredText {
  /** What was scored. */
  readonly text: StudyText;
  /** Scores of P, the checkpoint. */
  readonly p: PolicyScores;
  /** Scores of Q, the reference. */
  readonly q: PolicyScores;
  /** What is between the two at each token. */
  readonly pair: PairScores;
  /**
   * Gradient times input of D(P‖Q), nats, of the spikes that it is known of, by their response token: a value for each
   * token before it, the prompt's first.
   */
  readonly gradients?: ReadonlyMap<number, ArrayLike<number>>;
}
