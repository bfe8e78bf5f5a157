import { addOutcome, emptyOutcomeSums, type SequenceOutcome } from "../../core/summaries/index.ts";
import type { PolicyGroup } from "../../results/policy.ts";
import { divide, TokenTally } from "./token-tally.ts";

/** Sums over sequences: their tokens and outcomes. */
export class GroupTally {
  readonly tokens = new TokenTally();
  readonly #outcomes = emptyOutcomeSums();

  add(tokens: TokenTally, outcome: SequenceOutcome): void {
    this.tokens.merge(tokens);
    addOutcome(this.#outcomes, outcome);
  }

  figures(): PolicyGroup {
    const { sequences, responseTokens, reward, rewards, correct, judged } = this.#outcomes;
    return {
      sequences,
      ...this.tokens.figures(),
      response_tokens: divide(responseTokens, sequences),
      reward: divide(reward, rewards),
      accuracy: divide(correct, judged),
    };
  }
}

/** The tally of a key, created on first use. */
export function takeTally<K, T>(tallies: Map<K, T>, key: K, make: () => T): T {
  let tally = tallies.get(key);
  if (tally === undefined) {
    tally = make();
    tallies.set(key, tally);
  }
  return tally;
}
