import { type DigitDistribution, RECORDED_DISTRIBUTIONS } from "../../results/digits.ts";
import { partialDistribution, wholeDistribution } from "./bounds.ts";
import { LossTally } from "./loss-tally.ts";
import type { Row } from "./row.ts";
import { type DigitVocabulary, getDigitIds } from "./vocabulary.ts";

/** What a distribution is compared with: the sampled digit, or the digit of the right answer. */
export type Against = "sampled" | "truth";

interface PolicyLosses {
  readonly k: number;
  readonly sampled: LossTally;
  readonly truth: LossTally;
}

/** Number-token losses of every policy with recorded alternatives or digit distributions. */
export class DigitLosses {
  readonly #vocabulary: DigitVocabulary;
  readonly #policy: "rollout" | "trainer";
  readonly #losses = new Map<string, PolicyLosses>();

  /** @param policy the policy whose log-prob of the sampled token is `Row.rollout` */
  constructor(vocabulary: DigitVocabulary, policy: "rollout" | "trainer") {
    this.#vocabulary = vocabulary;
    this.#policy = policy;
  }

  /** Adds the digit at index `at` of the packed batch. */
  add(sequence: Row, at: number, truth: number, against: Against): void {
    const { batch, span, rollout, trainer } = sequence;
    if (batch.digitLogprobs !== undefined) {
      const tally = this.#takeLosses(RECORDED_DISTRIBUTIONS, 10)[against];
      const whole = wholeDistribution(batch.digitLogprobs, at * 10);
      if (whole === undefined) tally.addUnknown();
      else tally.add(whole, truth);
    }
    const id = span.ids[at]!;
    const token = this.#vocabulary.tokens.get(id)!;
    for (const [policy, top] of Object.entries(batch.topK)) {
      const losses = this.#takeLosses(policy, top.k);
      const column =
        policy === this.#policy ? rollout : policy === "trainer" ? trainer : batch.policyLogprobs[policy];
      const partial = partialDistribution(
        getDigitIds(this.#vocabulary, token),
        { ids: top.ids, logprobs: top.logprobs, start: at * top.k, k: top.k },
        { id, logprob: column?.[at] ?? NaN },
      );
      losses[against].add(partial, truth);
    }
  }

  #takeLosses(policy: string, k: number): PolicyLosses {
    let losses = this.#losses.get(policy);
    if (!losses) {
      losses = { k, sampled: new LossTally(), truth: new LossTally() };
      this.#losses.set(policy, losses);
    }
    return losses;
  }

  distributions(against: Against): DigitDistribution[] {
    return [...this.#losses].flatMap(
      ([policy, losses]) => losses[against].distribution(policy, losses.k, against) ?? [],
    );
  }
}
