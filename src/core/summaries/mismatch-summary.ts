import type { FloatArray } from "../base/index.ts";
import { VersionError } from "../base/index.ts";
import {
  emptySums,
  FIELDS,
  type MaskedTokens,
  mergeSums,
  mismatchSums,
  type TokenBlock,
} from "../kernels/index.ts";
import { KeyHash } from "./cluster-key.ts";
import { ClusterSums, type ClusterSumsJson, MOST_CLUSTERS, type SequenceExtras } from "./cluster-sums.ts";
import {
  emptySequenceSums,
  mergeSequenceSums,
  readSequenceSums,
  type SequenceSums,
} from "./sequence-stats.ts";
import { ValueSketch, type ValueSketchJson } from "./value-sketch.ts";

/** How much a summary keeps. */
export interface SummaryOptions {
  /** `full`: quantiles within 0.05 %, |Δp| sketch, cluster sums. `slice`: Δ quantiles within 0.4 %, nothing else. */
  readonly detail?: "full" | "slice";
  /** Clusters kept apart; default 16,384 of `full`, and no cluster sums of `slice`. */
  readonly clusters?: number;
}

/** Sums of the tokens of one turn. */
export interface TurnSums {
  /** Kernel sums, see kernels/layout.ts. */
  readonly sums: Float64Array;
  /** Sequences that have this turn. */
  sequences: number;
}

/** 3: cluster sums of slices too, and of surprisal. */
const VERSION = 3;

/** A summary as JSON; only the version that wrote it reads it. */
export interface MismatchSummaryJson {
  readonly version: typeof VERSION;
  readonly detail: "full" | "slice";
  readonly sums: readonly (number | string)[];
  readonly sequences: Readonly<Record<keyof SequenceSums, number | string>>;
  readonly turns: readonly { readonly sums: readonly (number | string)[]; readonly sequences: number }[];
  readonly deltas: ValueSketchJson;
  readonly probDiffs: ValueSketchJson | null;
  /** Clusters kept apart at most, and their sums. */
  readonly mostClusters: number;
  readonly clusters: ClusterSumsJson | null;
}

/**
 * Everything that the mismatch metrics of a set of sequences need, in a form that merges: the summaries of shards
 * (ranks, micro-batches, files, workers) merged in any order or tree give the figures of the whole (counts, extremes
 * and sketches exactly, sums up to float64 rounding).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, pooledMetrics } from "logratio";
 *
 * const half = (rollout: number[], trainer: number[]) =>
 *   MismatchSummary.of({
 *     rollout: Float32Array.from(rollout),
 *     trainer: Float32Array.from(trainer),
 *     mask: new Uint8Array(rollout.length).fill(1),
 *     offsets: Int32Array.of(0, rollout.length),
 *   });
 * const summary = half([-0.5, -1], [-0.5, -1.5]);
 * summary.merge(half([-2], [-1.75]));
 * assert.equal(pooledMetrics(summary).delta_abs_mean, 0.25); // nats
 * ```
 */
export class MismatchSummary {
  readonly detail: "full" | "slice";
  /** Pooled over tokens: kernel sums, see kernels/layout.ts. */
  readonly sums: Float64Array = emptySums();
  readonly sequences: SequenceSums = emptySequenceSums();
  /** By turn index. */
  readonly turns: TurnSums[] = [];
  readonly deltas: ValueSketch;
  readonly probDiffs: ValueSketch | undefined;
  /** Sums by prompt, for intervals and the tests of `readIdentity`. */
  readonly clusters: ClusterSums | undefined;
  readonly #mostClusters: number;

  constructor({ detail = "full", clusters }: SummaryOptions = {}) {
    this.detail = detail;
    this.deltas = new ValueSketch(detail === "full" ? 10 : 7);
    if (detail === "full") this.probDiffs = new ValueSketch(10);
    this.#mostClusters = clusters ?? (detail === "full" ? MOST_CLUSTERS : 0);
    if (this.#mostClusters > 0) this.clusters = new ClusterSums(this.#mostClusters);
  }

  /** The summary of one block of packed sequences. */
  static of(block: TokenBlock, options: SummaryOptions = {}): MismatchSummary {
    const summary = new MismatchSummary(options);
    const table = mismatchSums(block, { sink: (tokens) => summary.addTokens(tokens) });
    for (let row = 0; row < table.rowTurns.length; row++) summary.addSequence(table.rows, row * FIELDS);
    summary.addTurns(table.turns, table.turnRows);
    return summary;
  }

  /**
   * Adds one sequence's kernel sums.
   *
   * @param cluster key of what it was drawn with: its prompt, see `ClusterSums`. By default the sequence stands for
   * itself, and is known by its sums: sequences with the same log-probs on both sides count as one cluster.
   * @param extras what its kernel sums do not say
   */
  addSequence(
    rows: Float64Array,
    offset: number,
    cluster?: number,
    isPrompt = false,
    extras?: SequenceExtras,
  ): void {
    mergeSums(this.sums, rows, offset);
    mergeSequenceSums(this.sequences, readSequenceSums(rows, offset));
    if (!this.clusters) return;
    const key = cluster ?? new KeyHash().addNumbers(rows, offset, offset + FIELDS).key();
    this.clusters.add(key, isPrompt, rows, offset, extras);
  }

  /** Adds a table of sums by turn index. */
  addTurns(turns: Float64Array, turnRows: Int32Array): void {
    for (let turn = 0; turn < turnRows.length; turn++) {
      const into = this.#turn(turn);
      mergeSums(into.sums, turns, turn * FIELDS);
      into.sequences += turnRows[turn] as number;
    }
  }

  #turn(turn: number): TurnSums {
    while (this.turns.length <= turn) this.turns.push({ sums: emptySums(), sequences: 0 });
    return this.turns[turn] as TurnSums;
  }

  /** Adds the per-token results `[from, to)` of a kernel pass to the sketches. */
  addTokens(tokens: MaskedTokens, from = 0, to = tokens.count): void {
    this.deltas.addRange(tokens.delta, viewWords(tokens.delta), from, to);
    this.probDiffs?.addRange(tokens.probDiff, viewWords(tokens.probDiff), from, to);
  }

  /** Adds `other` to this. @throws RangeError when the two were made with different detail. */
  merge(other: MismatchSummary): void {
    mergeSums(this.sums, other.sums);
    mergeSequenceSums(this.sequences, other.sequences);
    other.turns.forEach((theirs, turn) => {
      const into = this.#turn(turn);
      mergeSums(into.sums, theirs.sums);
      into.sequences += theirs.sequences;
    });
    this.deltas.merge(other.deltas);
    if (this.probDiffs && other.probDiffs) this.probDiffs.merge(other.probDiffs);
    if (this.clusters && other.clusters) this.clusters.merge(other.clusters);
  }

  /** For `JSON.stringify`, to be merged elsewhere. */
  toJSON(): MismatchSummaryJson {
    return {
      version: VERSION,
      detail: this.detail,
      sums: [...this.sums].map(encode),
      sequences: Object.fromEntries(
        Object.entries(this.sequences).map(([name, value]) => [name, encode(value)]),
      ) as Record<keyof SequenceSums, number | string>,
      turns: this.turns.map(({ sums, sequences }) => ({ sums: [...sums].map(encode), sequences })),
      deltas: this.deltas.toJSON(),
      probDiffs: this.probDiffs?.toJSON() ?? null,
      mostClusters: this.#mostClusters,
      clusters: this.clusters?.toJSON() ?? null,
    };
  }

  /** @throws VersionError when another version of logratio wrote it. */
  static fromJSON(json: MismatchSummaryJson): MismatchSummary {
    checkSummaryVersion("summary", json.version, VERSION);
    const summary = new MismatchSummary({ detail: json.detail, clusters: json.mostClusters });
    summary.sums.set(json.sums.map(Number));
    for (const [name, value] of Object.entries(json.sequences))
      summary.sequences[name as keyof SequenceSums] = Number(value);
    for (const { sums, sequences } of json.turns)
      summary.turns.push({ sums: Float64Array.from(sums, Number), sequences });
    summary.deltas.merge(ValueSketch.fromJSON(json.deltas));
    if (json.probDiffs) summary.probDiffs?.merge(ValueSketch.fromJSON(json.probDiffs));
    if (json.clusters) summary.clusters?.merge(ClusterSums.fromJSON(json.clusters, json.mostClusters));
    return summary;
  }
}

/** JSON has no infinities; `Number` reads the names back. */
function encode(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function viewWords(values: FloatArray): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}

/** @throws VersionError when a summary is of another version than this logratio writes. */
export function checkSummaryVersion(what: string, version: number, own: number): void {
  if (version === own) return;
  throw new VersionError(`cannot read ${what}: version ${version}, this logratio reads version ${own}`, {
    found: version,
    supported: own,
    likely: version > own ? "a newer logratio wrote it" : "an older logratio wrote it",
    hint:
      version > own
        ? "npm install -g logratio@latest"
        : "rebuild the summary from the dump; summaries merge only within one version",
  });
}
