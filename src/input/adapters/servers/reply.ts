/**
 * What a server's reply comes to, whoever wrote it: texts with a log-prob for each token.
 *
 * @module
 */
import type { Alternative } from "../../replies/index.ts";

/** The tokens of one text, in order. */
export interface TokenList {
  /** Nats, as the reply has them: sentinels stay, null is NaN. */
  readonly logprobs: Float64Array;
  /** Undefined where the reply names tokens by text only. */
  readonly ids?: Float64Array | undefined;
  /** What each token spells; undefined where the reply has ids only. */
  readonly texts?: readonly string[] | undefined;
  /** The most probable tokens at each place, as far as their ids are known. */
  readonly top?: readonly (readonly Alternative[])[] | undefined;
  /** Alternatives that the reply names by text only. */
  readonly unnamed?: number | undefined;
}

/** One continuation in a reply. */
export interface ServerText {
  readonly tokens: TokenList;
  /** The prompt's tokens, or its last ones, where the reply has their log-probs. */
  readonly prompt?: TokenList | undefined;
  readonly promptIds?: Float64Array | undefined;
  readonly promptText?: string | undefined;
  readonly text?: string | undefined;
  /** Which of the reply's continuations it is. */
  readonly choice: number;
  /** A name that whoever asked gave; what the server made up names nothing in another file. */
  readonly key?: string | undefined;
  readonly weightVersion?: number | undefined;
  readonly finishReason?: string | undefined;
  /** Prompt tokens that the server took from its prefix cache. */
  readonly cachedTokens?: number | undefined;
}

/** A reply of one kind of server. */
export interface Reply {
  /** `OpenAI chat completions`. */
  readonly server: string;
  readonly texts: readonly ServerText[];
  /** Set where the reply cannot be used: why. */
  readonly problem?: ReplyProblem | undefined;
}

export interface ReplyProblem {
  readonly message: string;
  readonly likely?: string | undefined;
  readonly hint?: string | undefined;
}

/** Recognizes a reply of one kind; undefined where it is another. */
export type ReplyReader = (reply: unknown) => Reply | undefined;

/** A reply that was asked for without log-probs. */
export function withoutLogprobs(server: string, flag: string): Reply {
  const problem = {
    message: "the reply has no log-probs",
    likely: "they were not requested",
    hint: `request them: ${flag}`,
  };
  return { server, texts: [], problem };
}
