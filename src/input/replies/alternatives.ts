/**
 * What replies hold about a token apart from its own log-prob.
 *
 * @module
 */

export interface Alternative {
  readonly id: number;
  /** Log-prob as in the reply. */
  readonly logprob: unknown;
}

/** A token's list of alternatives as a server returned it. */
export interface Offer {
  readonly entries: number;
  /** Whether the sampled token is the least probable of them. */
  readonly ownIsLast: boolean;
  /** The sampled token's rank in the whole vocabulary; -1 when the server does not say. */
  readonly rank: number;
}
