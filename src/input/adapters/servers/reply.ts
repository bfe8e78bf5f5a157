/**
 * The common form of servers' replies: texts with a log-prob for each token.
 *
 * @module
 */
import type { Alternative } from "../../replies/alternatives.ts";

/** The tokens of one text, in order. */
export interface TokenList {
  /** Nats, as in the reply: sentinels stay, null is NaN. */
  readonly logprobs: Float64Array;
  /** Undefined when the reply names tokens only by text. */
  readonly ids?: Float64Array | undefined;
  /** Each token's text; undefined when the reply has only ids. */
  readonly texts?: readonly string[] | undefined;
  /** The most probable tokens at each position whose ids are known. */
  readonly top?: readonly (readonly Alternative[])[] | undefined;
  /** Count of alternatives that the reply names only by text. */
  readonly unnamed?: number | undefined;
}

/** One continuation in a reply. */
export interface ServerText {
  readonly tokens: TokenList;
  /** The prompt's tokens, or its last ones, if the reply has their log-probs. */
  readonly prompt?: TokenList | undefined;
  readonly promptIds?: Float64Array | undefined;
  readonly promptText?: string | undefined;
  readonly text?: string | undefined;
  /** Index of the continuation in the reply. */
  readonly choice: number;
  /** A name that the client chose; a server's own id matches nothing in another file. */
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
  /** Why the reply cannot be used. */
  readonly problem?: ReplyProblem | undefined;
}

export interface ReplyProblem {
  readonly message: string;
  readonly likely?: string | undefined;
  readonly hint?: string | undefined;
}

/** Recognizes replies of one kind; undefined for any other. */
export type ReplyReader = (reply: unknown) => Reply | undefined;

/** The error for a reply that was requested without log-probs. */
export function withoutLogprobs(server: string, flag: string): Reply {
  const problem = {
    message: "the reply has no log-probs",
    likely: "they were not requested",
    hint: `request them: ${flag}`,
  };
  return { server, texts: [], problem };
}
