/**
 * Bootstrap over sequences that streams and merges: every sequence enters replicate b with a Poisson(1) weight
 * (Hanley and MacGibbon 2006; Chamandy et al. 2012, "Estimating uncertainty for massive data streams"). Tokens of a
 * sequence are not independent, so the sequence is the unit that is drawn.
 *
 * A sequence's weights come from a hash of its own sums, not from its place in the input: shards merged in any order
 * give the replicates of the whole. Sequences that are equal in every bit share their weights.
 *
 * @module
 */

export interface PoissonBootstrapJson {
  readonly version: 1;
  readonly replicates: number;
  readonly columns: number;
  readonly sums: readonly number[];
}

/** Cumulative Poisson(1) probabilities scaled to 2^32: P(weight <= k). */
const CUMULATIVE = ((): Float64Array => {
  const cumulative = new Float64Array(12);
  let term = Math.exp(-1);
  let sum = 0;
  for (let k = 0; k < cumulative.length; k++) {
    sum += term;
    cumulative[k] = sum * 2 ** 32;
    term /= k + 1;
  }
  return cumulative;
})();

function poisson(random: number): number {
  let k = 0;
  while (k < CUMULATIVE.length && random >= (CUMULATIVE[k] as number)) k++;
  return k;
}

const hashFloats = new Float64Array(1);
const hashWords = new Uint32Array(hashFloats.buffer);

function hash(values: readonly number[]): number {
  let h = 0x811c9dc5;
  for (const value of values) {
    hashFloats[0] = value;
    for (const word of hashWords) {
      h = Math.imul(h ^ word, 0x85ebca6b);
      h ^= h >>> 15;
    }
  }
  return h >>> 0;
}

/** Replicated sums of a fixed number of columns. */
export class PoissonBootstrap {
  readonly replicates: number;
  readonly columns: number;
  readonly #sums: Float64Array;

  constructor(columns: number, replicates = 400) {
    this.columns = columns;
    this.replicates = replicates;
    this.#sums = new Float64Array(columns * replicates);
  }

  /** Adds one sequence's sums (`columns` numbers). */
  add(values: readonly number[]): void {
    let state = hash(values);
    const sums = this.#sums;
    for (let b = 0; b < this.replicates; b++) {
      // Mulberry32: one multiply-xorshift round per draw.
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      const weight = poisson((mixed ^ (mixed >>> 14)) >>> 0);
      if (weight === 0) continue;
      const base = b * this.columns;
      for (let c = 0; c < values.length; c++)
        sums[base + c] = (sums[base + c] as number) + weight * (values[c] as number);
    }
  }

  merge(other: PoissonBootstrap): void {
    if (other.columns !== this.columns || other.replicates !== this.replicates) {
      throw new RangeError(
        `Cannot merge bootstraps: ${this.columns} columns × ${this.replicates} replicates here, ${other.columns} × ${other.replicates} there`,
      );
    }
    for (let i = 0; i < this.#sums.length; i++)
      this.#sums[i] = (this.#sums[i] as number) + (other.#sums[i] as number);
  }

  /**
   * Percentile interval of a statistic of the replicated sums. NaN bounds when fewer than half of the replicates
   * give a finite value.
   */
  interval(statistic: (sums: Float64Array) => number, level = 0.95): { low: number; high: number } {
    const values: number[] = [];
    for (let b = 0; b < this.replicates; b++) {
      const value = statistic(this.#sums.subarray(b * this.columns, (b + 1) * this.columns));
      if (Number.isFinite(value)) values.push(value);
    }
    if (values.length < this.replicates / 2) return { low: Number.NaN, high: Number.NaN };
    values.sort((a, b) => a - b);
    const at = (fraction: number): number => {
      const rank = fraction * (values.length - 1);
      const low = values[Math.floor(rank)] as number;
      const high = values[Math.ceil(rank)] as number;
      return low + (high - low) * (rank - Math.floor(rank));
    };
    return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
  }

  toJSON(): PoissonBootstrapJson {
    return { version: 1, replicates: this.replicates, columns: this.columns, sums: [...this.#sums] };
  }

  static fromJSON(json: PoissonBootstrapJson): PoissonBootstrap {
    const bootstrap = new PoissonBootstrap(json.columns, json.replicates);
    bootstrap.#sums.set(json.sums);
    return bootstrap;
  }
}
