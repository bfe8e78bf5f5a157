import type { XtunerPerplexities } from "../../results/policy.ts";
import { maskedMean } from "../../trainers/shared/index.ts";

/**
 * The perplexities of xtuner's `compute_mismatch_metrics` (xtuner/v1/rl/rollout_is.py @ b934f462), over all sequences
 * as one `[B, T]` batch: the trainer's as with `rollout_log_prob=None`, the rollout's by the same formula.
 */
export class SequencePerplexity {
  #sequences = 0;
  #ppl = 0;
  #logPpl = 0;

  /** @param sum of the log-probs of the sequence's tokens; -Infinity if one of them is */
  add(sum: number, tokens: number): void {
    const mean = maskedMean(sum, tokens);
    this.#sequences++;
    this.#ppl += Math.exp(-mean);
    this.#logPpl -= mean;
  }

  figures(policy: "rollout" | "trainer"): XtunerPerplexities {
    if (this.#sequences === 0) return {};
    const ppl = this.#ppl / this.#sequences;
    const logPpl = this.#logPpl / this.#sequences;
    return policy === "trainer"
      ? { mismatch_training_ppl: ppl, mismatch_training_log_ppl: logPpl }
      : { mismatch_rollout_ppl: ppl, mismatch_rollout_log_ppl: logPpl };
  }
}
