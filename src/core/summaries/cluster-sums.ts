/**
 * Sums by cluster: by what was drawn independently of the rest, the prompt with all its samples (or a sequence whose
 * prompt is not known). How much clusters differ says how far a pooled figure may be off.
 *
 * Up to {@link MOST_CLUSTERS} clusters are kept apart. Of more, those whose keys start with the same bits are joined,
 * with as many bits as leave no more than that: a union of independent clusters is independent of the other unions, so
 * what is left are fewer, larger clusters of the same population. Which are joined follows from the set of keys alone,
 * so shards merged in any order or tree end in the same clusters.
 *
 * @module
 */
import {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_MEAN,
  COUNT,
  DELTA_M2,
  DELTA_MEAN,
  EXCESS_M2,
  EXCESS_MEAN,
  K3_SUM,
  OVER_COUNT,
  OVER_EXCESS_SQUARE_SUM,
  OVER_EXCESS_SUM,
  PROB_COUNT,
} from "../kernels/index.ts";

/** Clusters kept apart. */
export const MOST_CLUSTERS = 2 ** 14;

/** Clusters kept apart of one slice of a run: there are many slices, and a test of one needs no more. */
export const MOST_SLICE_CLUSTERS = 2 ** 8;

/**
 * Columns of a cluster's sums: n, ΣΔ, Σ|Δ|, ΣΔ² (nats), Σk3, Σ(ρ − 1), Σ(ρ − 1)²; tokens with both probabilities, their
 * Σ|Δp|; tokens with the rollout policy's entropy, Σ(−log p_rollout − entropy) of these (nats); Σ(1 − ρ) of the tokens with
 * ρ < ½.
 */
export const CLUSTER = {
  tokens: 0,
  delta: 1,
  deltaAbs: 2,
  deltaSquare: 3,
  k3: 4,
  excess: 5,
  excessSquare: 6,
  probTokens: 7,
  probDiffAbs: 8,
  entropyTokens: 9,
  surprisal: 10,
  starved: 11,
} as const;

export const CLUSTER_WIDTH = Object.keys(CLUSTER).length;

export interface ClusterSumsJson {
  readonly bits: number;
  readonly sequences: number;
  readonly prompts: number;
  /** Σn², Σn·A and ΣA² over sequences with n tokens and A = Σ|Δ|. */
  readonly squares: readonly number[];
  readonly keys: readonly number[];
  /** {@link CLUSTER_WIDTH} numbers for each key; infinities by name. */
  readonly sums: readonly (number | string)[];
}

/** Of the tokens of a sequence whose rollout entropy is known. */
export interface SurprisalSums {
  readonly tokens: number;
  /** Σ(−log p_rollout − entropy), nats. */
  readonly excess: number;
}

/** What is known of a sequence beside its kernel sums. */
export interface SequenceExtras {
  readonly surprisal?: SurprisalSums | undefined;
  /** Σ(1 − ρ) of the tokens with ρ < ½. */
  readonly starved?: number;
}

const KEY_BITS = 53;
/** Of few clusters, as many bits of the keys tell them apart, and engines look small whole numbers up faster. */
const FEW_CLUSTERS = 2 ** 10;
const FEW_BITS = 30;
/** The first depth below whole keys: deeper ones would hold too many clusters with near certainty. */
const FIRST_PREFIX = 17;

export class ClusterSums {
  readonly #most: number;
  /** Bits of the keys that tell clusters apart. */
  #bits: number;
  #slots = new Map<number, number>();
  #sums = new Float64Array(8 * CLUSTER_WIDTH);
  /** Sequences with tokens, and how many of them came under their prompt. */
  #sequences = 0;
  #prompts = 0;
  #squares: [tokens: number, product: number, deltaAbs: number] = [0, 0, 0];

  constructor(most = MOST_CLUSTERS) {
    this.#most = most;
    this.#bits = most > FEW_CLUSTERS ? KEY_BITS : FEW_BITS;
  }

  get count(): number {
    return this.#slots.size;
  }

  /** Whether clusters were joined because there were too many. */
  get joined(): boolean {
    return this.#bits < FEW_BITS;
  }

  /** What a cluster is: a prompt, where that of every sequence is known. */
  get unit(): "prompt" | "sequence" {
    return this.#sequences > 0 && this.#prompts === this.#sequences ? "prompt" : "sequence";
  }

  /** Sequences with tokens. */
  get sequences(): number {
    return this.#sequences;
  }

  /**
   * By what factor the variance of mean |Δ| is larger than if every sequence had been drawn by itself (Kish, "Survey
   * Sampling", 1965, section 8.2): sequences of one prompt resemble each other, so S of them are worth S over this.
   *
   * With e = Σ|Δ| − mean |Δ| · n of a cluster or sequence: C/(C − 1) · Σ_clusters e² over S/(S − 1) · Σ_sequences e².
   * NaN with fewer than two clusters, or where no two sequences differ.
   */
  designEffect(): number {
    const { table, count } = this;
    let [tokens, deltaAbs] = [0, 0];
    for (let at = 0; at < table.length; at += CLUSTER_WIDTH) {
      tokens += table[at + CLUSTER.tokens]!;
      deltaAbs += table[at + CLUSTER.deltaAbs]!;
    }
    const mean = deltaAbs / tokens;
    let between = 0;
    for (let at = 0; at < table.length; at += CLUSTER_WIDTH)
      between += (table[at + CLUSTER.deltaAbs]! - mean * table[at + CLUSTER.tokens]!) ** 2;
    const [square, product, other] = this.#squares;
    const each = other - 2 * mean * product + mean * mean * square;
    // What is left of sums that cancel says nothing.
    if (count < 2 || !(each > 1e-12 * other)) return Number.NaN;
    return ((count / (count - 1)) * between) / ((this.#sequences / (this.#sequences - 1)) * each);
  }

  /** {@link CLUSTER_WIDTH} numbers for each cluster; the order is that of arrival and means nothing. */
  get table(): Float64Array {
    return this.#sums.subarray(0, this.count * CLUSTER_WIDTH);
  }

  /** Adds a sequence's kernel sums to the cluster with this key (a whole number below 2^53, evenly spread). */
  add(
    key: number,
    isPrompt: boolean,
    rows: Float64Array,
    offset: number,
    { surprisal, starved = 0 }: SequenceExtras = {},
  ): void {
    const n = rows[offset + COUNT]!;
    if (n === 0) return;
    this.#sequences++;
    if (isPrompt) this.#prompts++;
    const deltaAbs = rows[offset + ABS_DELTA_SUM]!;
    this.#squares[0] += n * n;
    this.#squares[1] += n * deltaAbs;
    this.#squares[2] += deltaAbs * deltaAbs;
    const at = this.#slot(this.#prefix(key)) * CLUSTER_WIDTH;
    const sums = this.#sums;
    const mean = rows[offset + DELTA_MEAN]!;
    const excess = rows[offset + EXCESS_MEAN]!;
    // Tokens with ρ beyond e^20 sit apart in the kernel sums; n × mean covers only the others.
    const within = n - rows[offset + OVER_COUNT]!;
    sums[at + CLUSTER.tokens]! += n;
    sums[at + CLUSTER.delta]! += n * mean;
    sums[at + CLUSTER.deltaAbs]! += deltaAbs;
    sums[at + CLUSTER.deltaSquare]! += rows[offset + DELTA_M2]! + n * mean * mean;
    sums[at + CLUSTER.k3]! += rows[offset + K3_SUM]!;
    sums[at + CLUSTER.excess]! += within * excess + rows[offset + OVER_EXCESS_SUM]!;
    sums[at + CLUSTER.excessSquare]! +=
      rows[offset + EXCESS_M2]! + within * excess * excess + rows[offset + OVER_EXCESS_SQUARE_SUM]!;
    sums[at + CLUSTER.probTokens]! += rows[offset + PROB_COUNT]!;
    sums[at + CLUSTER.probDiffAbs]! += rows[offset + PROB_COUNT]! * rows[offset + ABS_PROB_DIFF_MEAN]!;
    sums[at + CLUSTER.starved]! += starved;
    if (surprisal !== undefined) {
      sums[at + CLUSTER.entropyTokens]! += surprisal.tokens;
      sums[at + CLUSTER.surprisal]! += surprisal.excess;
    }
    if (this.count > this.#most) this.#join();
  }

  merge(other: ClusterSums): void {
    this.#sequences += other.#sequences;
    this.#prompts += other.#prompts;
    for (const i of [0, 1, 2] as const) this.#squares[i] += other.#squares[i];
    if (other.#bits < this.#bits) this.#shorten(other.#bits);
    const shift = 2 ** (other.#bits - this.#bits);
    for (const [key, slot] of other.#slots) {
      const at = this.#slot(Math.floor(key / shift)) * CLUSTER_WIDTH;
      for (let column = 0; column < CLUSTER_WIDTH; column++)
        this.#sums[at + column]! += other.#sums[slot * CLUSTER_WIDTH + column]!;
    }
    this.#join();
  }

  #prefix(key: number): number {
    return this.#bits === KEY_BITS ? key : Math.floor(key / 2 ** (KEY_BITS - this.#bits));
  }

  #slot(prefix: number): number {
    const known = this.#slots.get(prefix);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(prefix, slot);
    if ((slot + 1) * CLUSTER_WIDTH > this.#sums.length) {
      const next = new Float64Array(this.#sums.length * 2);
      next.set(this.#sums);
      this.#sums = next;
    }
    return slot;
  }

  #join(): void {
    while (this.count > this.#most) this.#shorten(Math.min(this.#bits - 1, FIRST_PREFIX));
  }

  /** Joins clusters whose keys are equal in their first `bits` bits. */
  #shorten(bits: number): void {
    const [slots, sums] = [this.#slots, this.#sums];
    const shift = 2 ** (this.#bits - bits);
    this.#bits = bits;
    this.#slots = new Map();
    this.#sums = new Float64Array(sums.length);
    for (const [key, slot] of slots) {
      const at = this.#slot(Math.floor(key / shift)) * CLUSTER_WIDTH;
      for (let column = 0; column < CLUSTER_WIDTH; column++)
        this.#sums[at + column]! += sums[slot * CLUSTER_WIDTH + column]!;
    }
  }

  toJSON(): ClusterSumsJson {
    return {
      bits: this.#bits,
      sequences: this.#sequences,
      prompts: this.#prompts,
      squares: this.#squares,
      keys: [...this.#slots.keys()],
      sums: Array.from(this.table, (value) => (Number.isFinite(value) ? value : String(value))),
    };
  }

  static fromJSON(json: ClusterSumsJson, most = MOST_CLUSTERS): ClusterSums {
    const clusters = new ClusterSums(most);
    clusters.#bits = json.bits;
    clusters.#sequences = json.sequences;
    clusters.#prompts = json.prompts;
    for (const i of [0, 1, 2] as const) clusters.#squares[i] = json.squares[i] ?? 0;
    json.keys.forEach((key, i) => {
      const at = clusters.#slot(key) * CLUSTER_WIDTH;
      for (let column = 0; column < CLUSTER_WIDTH; column++)
        clusters.#sums[at + column] = Number(json.sums[i * CLUSTER_WIDTH + column]);
    });
    return clusters;
  }
}
