/**
 * Sums by cluster, the unit that was drawn independently: a prompt with all its samples (or a sequence of unknown
 * prompt). The differences between clusters show how far a pooled figure may be off.
 *
 * Up to {@link MOST_CLUSTERS} clusters are kept apart. If there are more, those whose keys start with the same bits are
 * joined, for the largest number of bits that keeps within the limit: unions of independent clusters are independent,
 * so the result is fewer, larger clusters of the same population. The set of keys alone decides which are joined, so
 * shards merged in any order or tree give the same clusters.
 *
 * @module
 */
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
import { BinnedSums } from "./binned-sums.ts";
import { JoinedTable, KEY_BITS } from "./layout/joined-table.ts";
import { counts, exactSums, layoutOf, part } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";

/** How many clusters are kept apart. */
export const MOST_CLUSTERS = 2 ** 14;

/** How many clusters are kept apart in a slice of a run: there are many slices, and testing one needs no more. */
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
/** The index of each column among the whole-number columns, or among the others. */
const PLACES = Array.from({ length: CLUSTER_WIDTH }, (_, column) =>
  WHOLE.includes(column)
    ? WHOLE.indexOf(column)
    : Array.from({ length: column }, (_, i) => i).filter((i) => !WHOLE.includes(i)).length,
);
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

/** Initial depth: this many bits distinguish few clusters, and engines look up small whole numbers faster. */
const FEW_CLUSTERS = 2 ** 10;
const FEW_BITS = 30;
/** The first depth below whole keys: deeper ones would almost certainly hold too many clusters. */
const FIRST_PREFIX = 17;

export class ClusterSums extends Sums {
  static readonly layout = layoutOf<ClusterSums>(
    {
      depth: part(JoinedTable.depth, (sums) => sums.#joined),
      counted: part(counts(["sequences", "prompts"]), (sums) => sums.#counted),
      squares: part(exactSums(SQUARES), (sums) => sums.#squares),
      clusters: part(JoinedTable.rows(Object.keys(CLUSTER)), (sums) => sums.#joined),
    },
    (sums) => {
      sums.#made = undefined;
    },
  );
  readonly #joined: JoinedTable;
  /** The last result of {@link table}. */
  #made: Float64Array | undefined;
  /** Sequences with tokens, and those of known prompt. */
  readonly #counted = { sequences: 0, prompts: 0 };
  /** Σn², Σn·A and ΣA² over sequences with n tokens and A = Σ|Δ|. */
  readonly #squares = new BinnedSums(SQUARES);

  constructor(most = MOST_CLUSTERS) {
    super();
    const columns = { whole: WHOLE.length, exact: CLUSTER_WIDTH - WHOLE.length };
    this.#joined = new JoinedTable(columns, most, FIRST_PREFIX, most > FEW_CLUSTERS ? KEY_BITS : FEW_BITS);
  }

  get count(): number {
    return this.#joined.table.size;
  }

  /** Whether clusters were joined because there were too many. */
  get joined(): boolean {
    return this.#joined.bits < FEW_BITS;
  }

  /** The kind of cluster: prompts, if every sequence's is known. */
  get unit(): "prompt" | "sequence" {
    const { sequences, prompts } = this.#counted;
    return sequences > 0 && prompts === sequences ? "prompt" : "sequence";
  }

  /** Sequences with tokens. */
  get sequences(): number {
    return this.#counted.sequences;
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
    return ((count / (count - 1)) * between) / ((this.sequences / (this.sequences - 1)) * each);
  }

  /** {@link CLUSTER_WIDTH} numbers per cluster, in key order. */
  get table(): Float64Array {
    this.#made ??= this.#makeTable();
    return this.#made;
  }

  #makeTable(): Float64Array {
    const { table } = this.#joined;
    const made = new Float64Array(this.count * CLUSTER_WIDTH);
    for (const [row, [, slot]] of table.sorted().entries()) {
      for (let column = 0; column < CLUSTER_WIDTH; column++) {
        const place = PLACES[column]!;
        made[row * CLUSTER_WIDTH + column] = WHOLE.includes(column)
          ? table.plain(slot, place)
          : table.exact(slot, place);
      }
    }
    return made;
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
    this.#counted.sequences++;
    if (isPrompt) this.#counted.prompts++;
    const deltaAbs = rows[offset + ABS_DELTA_SUM]!;
    this.#squares.add(0, n * n);
    this.#squares.add(1, n * deltaAbs);
    this.#squares.add(2, deltaAbs * deltaAbs);
    this.#made = undefined;
    const slot = this.#joined.open(key);
    const { table } = this.#joined;
    const mean = rows[offset + DELTA_MEAN]!;
    const excess = rows[offset + EXCESS_MEAN]!;
    // Tokens with ρ beyond e^20 are separate in the kernel sums; n × mean covers only the others.
    const within = n - rows[offset + OVER_COUNT]!;
    const probTokens = rows[offset + PROB_COUNT]!;
    const add = (column: number, value: number): void => table.addExact(slot, PLACES[column]!, value);
    const count = (column: number, value: number): void => table.addPlain(slot, PLACES[column]!, value);
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
    count(CLUSTER.tokens, n);
    count(CLUSTER.probTokens, probTokens);
    count(CLUSTER.entropyTokens, surprisal?.tokens ?? 0);
    this.#joined.join();
  }
}
