/**
 * What replies say of one token beside its own log-prob.
 *
 * @module
 */

export interface Alternative {
  readonly id: number;
  /** As in the reply. */
  readonly logprob: unknown;
}

/** What a server put into one token's list of alternatives. */
export interface Offer {
  readonly entries: number;
  /** Whether the sampled token is the least probable of them. */
  readonly ownIsLast: boolean;
  /** The sampled token's, among the whole vocabulary; -1 where the server does not say. */
  readonly rank: number;
}
