import type { PolicyFigures } from "../../results/policy.ts";

/** Sums of tokens with a finite log-prob. */
export class TokenTally {
  tokens = 0;
  sum = 0;
  zeros = 0;
  entropy = 0;
  /** Σ surprisal over the tokens with known entropy. */
  surprisal = 0;
  entropyTokens = 0;

  /** @param entropy NaN if not known */
  add(logprob: number, entropy: number): void {
    this.tokens++;
    this.sum += logprob;
    if (logprob === 0) this.zeros++;
    if (!Number.isFinite(entropy)) return;
    this.entropy += entropy;
    this.surprisal -= logprob;
    this.entropyTokens++;
  }

  merge(other: TokenTally): void {
    this.tokens += other.tokens;
    this.sum += other.sum;
    this.zeros += other.zeros;
    this.entropy += other.entropy;
    this.surprisal += other.surprisal;
    this.entropyTokens += other.entropyTokens;
  }

  get mean(): number | null {
    return divide(this.sum, this.tokens);
  }

  figures(): PolicyFigures {
    const { mean } = this;
    return {
      tokens: this.tokens,
      log_prob_mean: mean,
      ppl: mean === null ? null : Math.exp(-mean),
      entropy: divide(this.entropy, this.entropyTokens),
      zero_share: divide(this.zeros, this.tokens),
    };
  }
}

/** Null if there is nothing to divide by. */
export function divide(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}
