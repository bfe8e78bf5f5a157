import type { FloatArray } from "../base/arrays.ts";
import { decodeBase64, encodeBase64 } from "../base/base64.ts";
import { ByteReader } from "../base/byte-reader.ts";
import { ByteWriter } from "../base/byte-writer.ts";
import { oneOf, WHOLE } from "../base/codec.ts";
import { VersionError } from "../base/errors.ts";
import { FIELDS } from "../kernels/layout.ts";
import { clearSums, emptySums, mergeSums } from "../kernels/merge.ts";
import { type MaskedTokens, mismatchSums, type TokenBlock } from "../kernels/mismatch.ts";
import { KeyHash } from "./cluster-key.ts";
import { ClusterSums, MOST_CLUSTERS, type SequenceExtras } from "./cluster-sums.ts";
import { KERNEL_REVISION, KERNEL_SUMS } from "./layout/kernel-sums.ts";
import { type Layout, layoutOf, part, partOfSome, setting } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";
import {
  emptySequenceSums,
  mergeSequenceSums,
  readSequenceSums,
  SEQUENCE_SUMS,
  type SequenceSums,
} from "./sequence-stats.ts";
import { Units, unitKind } from "./units.ts";
import { ValueSketch } from "./value-sketch.ts";

/** Detail of a summary. */
export interface SummaryOptions {
  /** `full`: quantiles within 0.05 %, |Δp| sketch, cluster sums. `slice`: Δ quantiles within 0.4 %, nothing else. */
  readonly detail?: "full" | "slice";
  /** How many clusters are kept apart; default 16,384 for `full`, and no cluster sums for `slice`. */
  readonly clusters?: number;
}

/** Sums of the tokens of one turn. */
export interface TurnSums {
  /** Kernel sums, see kernels/layout.ts. */
  readonly sums: Float64Array;
  /** Sequences that have this turn. */
  readonly sequences: number;
}

/** 6: ρ far from 1 in units of its own. */
const VERSION = 6 + KERNEL_REVISION;

/** A summary as JSON; only the version that wrote it reads it. */
export interface MismatchSummaryJson {
  /** Version of this shape; a newer one is refused. */
  readonly version: typeof VERSION;
  /** Binary, in base64. */
  readonly encoded: string;
}

/** Sums of one unit (a batch of a file) that round when merged, in one array: a run has as many of these as batches. */
interface UnitSums {
  /** Kernel sums of all tokens, then of each turn. */
  table: Float64Array;
  /** How many sequences have each turn. */
  readonly turnSequences: number[];
  readonly sequences: SequenceSums;
}

const DETAIL = oneOf("slice", "full");
const OTHER_DETAIL = "a summary is of another detail";

/** Where the sums of a turn begin. */
function placeOfTurn(turn: number): number {
  return (turn + 1) * FIELDS;
}

function viewRow(table: Float64Array, at: number): Float64Array {
  return table.subarray(at, at + FIELDS);
}

function openTurns(unit: UnitSums, turns: number): void {
  const { table, turnSequences } = unit;
  if (turns <= turnSequences.length) return;
  unit.table = new Float64Array(placeOfTurn(turns));
  unit.table.set(table);
  for (let turn = turnSequences.length; turn < turns; turn++) {
    clearSums(unit.table, placeOfTurn(turn));
    turnSequences.push(0);
  }
}

/** By turn, how many sequences have it, and its kernel sums, which share an array with those of all tokens. */
const TURN_SUMS: Layout<UnitSums> = {
  text: `list of {sequences: whole, tokens: ${KERNEL_SUMS.text}}`,
  encode({ table, turnSequences }, to) {
    to.whole(turnSequences.length);
    for (const [turn, count] of turnSequences.entries()) {
      to.whole(count);
      KERNEL_SUMS.encode(viewRow(table, placeOfTurn(turn)), to);
    }
  },
  mergeFrom(unit, from) {
    const turns = from.count(8 * FIELDS);
    openTurns(unit, turns);
    for (let turn = 0; turn < turns; turn++) {
      unit.turnSequences[turn]! += from.whole();
      KERNEL_SUMS.mergeFrom(viewRow(unit.table, placeOfTurn(turn)), from);
    }
  },
  merge: (unit, { table, turnSequences }) => addTurns(unit, table, turnSequences, FIELDS),
};

const UNIT_SUMS = unitKind<UnitSums>(
  () => ({ table: emptySums(), turnSequences: [], sequences: emptySequenceSums() }),
  layoutOf({
    tokens: part(KERNEL_SUMS, ({ table }) => viewRow(table, 0)),
    sequences: part(SEQUENCE_SUMS, ({ sequences }) => sequences),
    turns: TURN_SUMS,
  }),
);

/** @param turns kernel sums by turn, from `start` on */
function addTurns(unit: UnitSums, turns: Float64Array, counts: ArrayLike<number>, start: number): void {
  openTurns(unit, counts.length);
  for (let turn = 0; turn < counts.length; turn++) {
    mergeSums(unit.table, turns, start + turn * FIELDS, placeOfTurn(turn));
    unit.turnSequences[turn] = unit.turnSequences[turn]! + counts[turn]!;
  }
}

/** The sums of all units together. */
interface FoldedSums {
  readonly sums: Float64Array;
  readonly sequences: SequenceSums;
  readonly turns: TurnSums[];
}

function viewSums({ table, turnSequences, sequences }: UnitSums): FoldedSums {
  const turns = turnSequences.map((count, turn) => ({
    sums: viewRow(table, placeOfTurn(turn)),
    sequences: count,
  }));
  return { sums: viewRow(table, 0), sequences, turns };
}

/**
 * Everything that the mismatch metrics of a set of sequences need, in a mergeable form: the summaries of shards
 * (ranks, micro-batches, files, workers), merged in any order or tree, give the figures of the whole. They agree bit
 * for bit if each addition was named by its unit (as `RunSummary` does for the batches of files), else up to float64
 * rounding.
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
export class MismatchSummary extends Sums {
  static readonly #state = layoutOf<MismatchSummary>(
    {
      units: part(UNIT_SUMS.units, (summary) => summary.#units),
      deltas: part(ValueSketch.layout, ({ deltas }) => deltas),
      probDiffs: partOfSome(ValueSketch.layout, ({ probDiffs }) => probDiffs),
      clusters: partOfSome(ClusterSums.layout, ({ clusters }) => clusters),
    },
    (summary) => {
      [summary.#unit, summary.#folded] = [undefined, undefined];
    },
  );
  /** What it is made of: how it is encoded and merged. */
  static readonly layout = layoutOf<MismatchSummary>({
    detail: setting(DETAIL, ({ detail }) => detail, OTHER_DETAIL),
    clusters: setting(WHOLE, (summary) => summary.#mostClusters, OTHER_DETAIL),
    state: MismatchSummary.#state,
  });
  /** `full` also has a sketch of Δp, which a `slice` lacks. */
  readonly detail: "full" | "slice";
  readonly #units = new Units(UNIT_SUMS);
  /** The current unit. */
  #unit: UnitSums | undefined;
  #unitName = "";
  /** The sums of all units; undefined after an addition. */
  #folded: FoldedSums | undefined;
  /** Sketch of Δ in nats: counts, quantiles within 1 %, extremes. */
  readonly deltas: ValueSketch;
  /** Sketch of Δp, a fraction; undefined in a slice. */
  readonly probDiffs: ValueSketch | undefined;
  /** Sums by prompt, for intervals and the tests of `readIdentity`. */
  readonly clusters: ClusterSums | undefined;
  readonly #mostClusters: number;

  constructor({ detail = "full", clusters }: SummaryOptions = {}) {
    super();
    this.detail = detail;
    this.deltas = new ValueSketch(detail === "full" ? 10 : 7);
    if (detail === "full") this.probDiffs = new ValueSketch(10);
    this.#mostClusters = clusters ?? (detail === "full" ? MOST_CLUSTERS : 0);
    if (this.#mostClusters > 0) this.clusters = new ClusterSums(this.#mostClusters);
  }

  /** Pooled over tokens: kernel sums, see kernels/layout.ts. */
  get sums(): Float64Array {
    return this.#fold().sums;
  }

  /** Sums over whole sequences. */
  get sequences(): SequenceSums {
    return this.#fold().sequences;
  }

  /** Sums by turn index. */
  get turns(): TurnSums[] {
    return this.#fold().turns;
  }

  /** Assigns further additions to this unit, whose name must be unique in the run. */
  beginUnit(name: string): void {
    if (name === this.#unitName && this.#unit !== undefined) return;
    this.#unitName = name;
    this.#unit = undefined;
  }

  #fold(): FoldedSums {
    // The next addition opens it again, which tells the units that they have changed.
    this.#unit = undefined;
    this.#folded ??= viewSums(this.#units.fold());
    return this.#folded;
  }

  #open(): UnitSums {
    if (this.#unit === undefined) {
      this.#unit = this.#units.get(this.#unitName);
      this.#folded = undefined;
    }
    return this.#unit;
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
   * @param cluster key of its cluster, the prompt; see `ClusterSums`. By default the sequence is its own cluster, with
   * its sums as the key: sequences with the same log-probs on both sides count as one cluster.
   * @param extras facts that are not in its kernel sums
   */
  addSequence(
    rows: Float64Array,
    offset: number,
    cluster?: number,
    isPrompt = false,
    extras?: SequenceExtras,
  ): void {
    const unit = this.#open();
    mergeSums(unit.table, rows, offset);
    mergeSequenceSums(unit.sequences, readSequenceSums(rows, offset));
    if (!this.clusters) return;
    const key = cluster ?? new KeyHash().addNumbers(rows, offset, offset + FIELDS).key();
    this.clusters.add(key, isPrompt, rows, offset, extras);
  }

  /** Adds a table of sums by turn index. */
  addTurns(turns: Float64Array, turnRows: Int32Array): void {
    if (turnRows.length > 0) addTurns(this.#open(), turns, turnRows, 0);
  }

  /** Adds the per-token results `[from, to)` of a kernel pass to the sketches. */
  addTokens(tokens: MaskedTokens, from = 0, to = tokens.count): void {
    this.deltas.addRange(tokens.delta, viewWords(tokens.delta), from, to);
    this.probDiffs?.addRange(tokens.probDiff, viewWords(tokens.probDiff), from, to);
  }

  /** Reads what `encode` wrote. */
  static decode(from: ByteReader): MismatchSummary {
    const detail = DETAIL.read(from);
    const summary = new MismatchSummary({ detail, clusters: WHOLE.read(from) });
    MismatchSummary.#state.mergeFrom(summary, from);
    return summary;
  }

  /** For `JSON.stringify`, to be merged elsewhere. */
  toJSON(): MismatchSummaryJson {
    const to = new ByteWriter();
    this.encode(to);
    return { version: VERSION, encoded: encodeBase64(to.finish()) };
  }

  /**
   * Reads what `toJSON` wrote.
   *
   * @throws VersionError when another version of logratio wrote it
   * @throws FormatError when it is damaged
   */
  static fromJSON({ version, encoded }: MismatchSummaryJson): MismatchSummary {
    checkSummaryVersion("summary", version, VERSION);
    const from = new ByteReader(decodeBase64(encoded), "JSON");
    const summary = MismatchSummary.decode(from);
    from.end();
    return summary;
  }
}

function viewWords(values: FloatArray): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}

/** @throws VersionError when a summary has another version than this logratio writes. */
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
