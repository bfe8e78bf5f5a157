/**
 * How Δ varies within and between sequences, in mergeable sums: one-way random effects with sequences as groups.
 *
 * @module
 */
export class DeltaMoments {
  /** Sequences with a token, and tokens. */
  sequences = 0;
  tokens = 0;
  /** Σ Δ over tokens. */
  sum = 0;
  /** Σ over sequences of Σ (Δ − mean of the sequence)². */
  within = 0;
  /** Σ over sequences of (Σ Δ)² / n, and Σ n². */
  between = 0;
  lengthSquares = 0;

  /** Adds one sequence: its tokens, Σ Δ and Σ Δ². */
  add(tokens: number, sum: number, squares: number): void {
    if (tokens === 0) return;
    this.sequences++;
    this.tokens += tokens;
    this.sum += sum;
    this.within += Math.max(0, squares - (sum * sum) / tokens);
    this.between += (sum * sum) / tokens;
    this.lengthSquares += tokens * tokens;
  }

  /** Mean of Δ, nats. */
  get mean(): number {
    return this.sum / this.tokens;
  }

  /** σ²: variance of Δ within sequences, Σ (Δ − sequence mean)² / (T − N); NaN if every sequence has one token. */
  get withinVariance(): number {
    return this.within / (this.tokens - this.sequences);
  }

  /**
   * τ²: variance of the sequences' own mean Δ beyond what σ² explains, the analysis-of-variance estimate for unequal
   * lengths (Searle, Casella & McCulloch, Variance Components, section 3.6); 0 if it is negative.
   */
  get betweenVariance(): number {
    const { sequences, tokens, sum, between, lengthSquares } = this;
    const typical = (tokens - lengthSquares / tokens) / (sequences - 1);
    const square = (between - (sum * sum) / tokens) / (sequences - 1);
    return Math.max(0, (square - this.withinVariance) / typical);
  }
}
