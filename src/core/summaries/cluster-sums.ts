/**
 * Sums by cluster, the unit that was drawn independently: a prompt with all its samples (or a sequence of unknown
 * prompt). The differences between clusters show how far a pooled figure may be off.
 *
 * Up to {@link MOST_CLUSTERS} clusters are kept apart. Of more, those whose keys start with the same bits are joined,
 * with as many bits as leave no more than that: unions of independent clusters are independent, so the result is
 * fewer, larger clusters of the same population. The set of keys alone decides which are joined, so shards merged in
 * any order or tree end in the same clusters.
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_MEAN,
  COUNT,
  DELTA_M2,
  DELTA_MEAN,
  EXCESS_MEAN,
  K3_SUM,
  OVER_COUNT,
  PROB_COUNT,
} from "../kernels/layout.ts";
import { overExcessSquareSum, overExcessSum, withinExcessM2 } from "../kernels/ratio-units.ts";
import { BinnedSums, countPlaces, listPlaces } from "./binned-sums.ts";

/** Clusters kept apart. */
export const MOST_CLUSTERS = 2 ** 14;

/** Clusters kept apart in a slice of a run: there are many slices, and testing one needs no more. */
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

/** Columns that are whole numbers, whose sums are exact. */
const WHOLE: readonly number[] = [CLUSTER.tokens, CLUSTER.probTokens, CLUSTER.entropyTokens];
/** By column, its index among the whole-number columns, or among the others. */
const PLACES = Array.from({ length: CLUSTER_WIDTH }, (_, column) =>
  WHOLE.includes(column)
    ? WHOLE.indexOf(column)
    : Array.from({ length: column }, (_, i) => i).filter((i) => !WHOLE.includes(i)).length,
);
const ROUNDED_WIDTH = CLUSTER_WIDTH - WHOLE.length;
const SQUARES = 3;

/** Sums over the tokens of a sequence whose rollout entropy is known. */
export interface SurprisalSums {
  readonly tokens: number;
  /** Σ(−log p_rollout − entropy), nats. */
  readonly excess: number;
}

/** Facts about a sequence apart from its kernel sums. */
export interface SequenceExtras {
  readonly surprisal?: SurprisalSums | undefined;
  /** Σ(1 − ρ) of the tokens with ρ < ½. */
  readonly starved?: number;
}

const KEY_BITS = 53;
/** Initial depth: this many bits distinguish few clusters, and engines look up small whole numbers faster. */
const FEW_CLUSTERS = 2 ** 10;
const FEW_BITS = 30;
/** The first depth below whole keys: deeper ones would almost certainly hold too many clusters. */
const FIRST_PREFIX = 17;

export class ClusterSums {
  readonly #most: number;
  /** Bits of the keys that distinguish clusters. */
  #bits: number;
  #slots = new Map<number, number>();
  /** By slot and {@link WHOLE}. Starts with one slot: a run has as many of these as steps, ranks and environments. */
  #whole = new Float64Array(WHOLE.length);
  /** By slot and the other columns. */
  #rounded = new BinnedSums(ROUNDED_WIDTH);
  /** The last result of {@link table}. */
  #table: Float64Array | undefined;
  /** Sequences with tokens, and those of known prompt. */
  #sequences = 0;
  #prompts = 0;
  /** Σn², Σn·A and ΣA² over sequences with n tokens and A = Σ|Δ|. */
  readonly #squares = new BinnedSums(SQUARES);

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

  /** The kind of cluster: prompts, if every sequence's is known. */
  get unit(): "prompt" | "sequence" {
    return this.#sequences > 0 && this.#prompts === this.#sequences ? "prompt" : "sequence";
  }

  /** Sequences with tokens. */
  get sequences(): number {
    return this.#sequences;
  }

  /**
   * The factor by which the variance of mean |Δ| exceeds that of independently drawn sequences (Kish, "Survey Sampling",
   * 1965, section 8.2): sequences of one prompt are similar, so S of them are worth S divided by this.
   *
   * With e = Σ|Δ| − mean |Δ| · n of a cluster or sequence: C/(C − 1) · Σ_clusters e² over S/(S − 1) · Σ_sequences e².
   * NaN with fewer than two clusters, or when no two sequences differ.
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
    const [square, product, other] = [0, 1, 2].map((i) => this.#squares.value(i)) as [number, number, number];
    const each = other - 2 * mean * product + mean * mean * square;
    // A remainder of canceling sums is only rounding.
    if (count < 2 || !(each > 1e-12 * other)) return Number.NaN;
    return ((count / (count - 1)) * between) / ((this.#sequences / (this.#sequences - 1)) * each);
  }

  /** {@link CLUSTER_WIDTH} numbers per cluster, in key order. */
  get table(): Float64Array {
    this.#table ??= this.#makeTable();
    return this.#table;
  }

  #makeTable(): Float64Array {
    const table = new Float64Array(this.count * CLUSTER_WIDTH);
    for (const [row, slot] of this.#sorted().entries()) {
      for (let column = 0; column < CLUSTER_WIDTH; column++) {
        const place = PLACES[column]!;
        table[row * CLUSTER_WIDTH + column] = WHOLE.includes(column)
          ? this.#whole[slot[1] * WHOLE.length + place]!
          : this.#rounded.value(slot[1] * ROUNDED_WIDTH + place);
      }
    }
    return table;
  }

  #sorted(): [key: number, slot: number][] {
    return [...this.#slots].sort(([a], [b]) => a - b);
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
    this.#squares.add(0, n * n);
    this.#squares.add(1, n * deltaAbs);
    this.#squares.add(2, deltaAbs * deltaAbs);
    this.#table = undefined;
    const slot = this.#slot(this.#prefix(key));
    const mean = rows[offset + DELTA_MEAN]!;
    const excess = rows[offset + EXCESS_MEAN]!;
    // Tokens with ρ beyond e^20 are separate in the kernel sums; n × mean covers only the others.
    const within = n - rows[offset + OVER_COUNT]!;
    const probTokens = rows[offset + PROB_COUNT]!;
    const add = (column: number, value: number): void =>
      this.#rounded.add(slot * ROUNDED_WIDTH + PLACES[column]!, value);
    add(CLUSTER.delta, n * mean);
    add(CLUSTER.deltaAbs, deltaAbs);
    add(CLUSTER.deltaSquare, rows[offset + DELTA_M2]! + n * mean * mean);
    add(CLUSTER.k3, rows[offset + K3_SUM]!);
    add(CLUSTER.excess, within * excess + overExcessSum(rows, offset));
    add(
      CLUSTER.excessSquare,
      withinExcessM2(rows, offset) + within * excess * excess + overExcessSquareSum(rows, offset),
    );
    add(CLUSTER.probDiffAbs, probTokens * rows[offset + ABS_PROB_DIFF_MEAN]!);
    add(CLUSTER.starved, starved);
    add(CLUSTER.surprisal, surprisal?.excess ?? 0);
    const at = slot * WHOLE.length;
    this.#whole[at + PLACES[CLUSTER.tokens]!]! += n;
    this.#whole[at + PLACES[CLUSTER.probTokens]!]! += probTokens;
    this.#whole[at + PLACES[CLUSTER.entropyTokens]!]! += surprisal?.tokens ?? 0;
    if (this.count > this.#most) this.#join();
  }

  merge(other: ClusterSums): void {
    this.#sequences += other.#sequences;
    this.#prompts += other.#prompts;
    for (let i = 0; i < SQUARES; i++) this.#squares.addPlace(i, other.#squares, i);
    this.#table = undefined;
    if (other.#bits < this.#bits) this.#shorten(other.#bits);
    const shift = 2 ** (other.#bits - this.#bits);
    for (const [key, slot] of other.#slots)
      this.#addSlot(Math.floor(key / shift), other.#whole, other.#rounded, slot);
    this.#join();
  }

  #addSlot(key: number, whole: Float64Array, rounded: BinnedSums, slot: number): void {
    const into = this.#slot(key);
    for (let i = 0; i < WHOLE.length; i++)
      this.#whole[into * WHOLE.length + i]! += whole[slot * WHOLE.length + i]!;
    for (let i = 0; i < ROUNDED_WIDTH; i++)
      this.#rounded.addPlace(into * ROUNDED_WIDTH + i, rounded, slot * ROUNDED_WIDTH + i);
  }

  #prefix(key: number): number {
    return this.#bits === KEY_BITS ? key : Math.floor(key / 2 ** (KEY_BITS - this.#bits));
  }

  #slot(prefix: number): number {
    const known = this.#slots.get(prefix);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(prefix, slot);
    if ((slot + 1) * WHOLE.length > this.#whole.length) {
      const next = new Float64Array(this.#whole.length * 2);
      next.set(this.#whole);
      this.#whole = next;
    }
    this.#rounded.grow((slot + 1) * ROUNDED_WIDTH);
    return slot;
  }

  #join(): void {
    while (this.count > this.#most) this.#shorten(Math.min(this.#bits - 1, FIRST_PREFIX));
  }

  /** Joins clusters whose keys are equal in their first `bits` bits. */
  #shorten(bits: number): void {
    const [slots, whole, rounded] = [this.#slots, this.#whole, this.#rounded];
    const shift = 2 ** (this.#bits - bits);
    this.#bits = bits;
    this.#slots = new Map();
    this.#whole = new Float64Array(whole.length);
    this.#rounded = new BinnedSums(rounded.places);
    for (const [key, slot] of slots) this.#addSlot(Math.floor(key / shift), whole, rounded, slot);
  }

  encode(to: ByteWriter): void {
    const sorted = this.#sorted();
    to.whole(this.#bits);
    to.whole(this.#sequences);
    to.whole(this.#prompts);
    this.#squares.encode(to, countPlaces(SQUARES));
    to.ascending(sorted.map(([key]) => key));
    for (const [, slot] of sorted)
      for (let i = 0; i < WHOLE.length; i++) to.whole(this.#whole[slot * WHOLE.length + i]!);
    this.#rounded.encode(
      to,
      listPlaces(
        sorted.map(([, slot]) => slot),
        ROUNDED_WIDTH,
      ),
    );
  }

  /** Adds the output of `encode`. */
  mergeFrom(from: ByteReader): void {
    const bits = from.whole();
    if (bits < 1 || bits > (this.#most > FEW_CLUSTERS ? KEY_BITS : FEW_BITS))
      from.fail(`keys have ${bits} bits`);
    this.#sequences += from.whole();
    this.#prompts += from.whole();
    this.#squares.mergeFrom(from, countPlaces(SQUARES));
    this.#table = undefined;
    const keys = from.ascending();
    for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) from.fail("keys are not distinct");
    if ((keys.at(-1) ?? 0) >= 2 ** bits) from.fail("a key is out of range");
    if (bits < this.#bits) this.#shorten(bits);
    const shift = 2 ** (bits - this.#bits);
    const slots = Array.from(keys, (key) => this.#slot(Math.floor(key / shift)));
    for (const slot of slots)
      for (let i = 0; i < WHOLE.length; i++) this.#whole[slot * WHOLE.length + i]! += from.whole();
    this.#rounded.mergeFrom(from, listPlaces(slots, ROUNDED_WIDTH));
    this.#join();
  }
}
