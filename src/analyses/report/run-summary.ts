import {
  ByteReader,
  ByteWriter,
  decodeBase64,
  encodeBase64,
  MissingSideError,
  NUMBER,
  TEXT,
} from "../../core/base/index.ts";
import {
  ABS_DELTA_SUM,
  COUNT,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  FIELDS,
  type MismatchTable,
  mergeSums,
  mismatchSums,
  NEGATIVE_INFINITE_COUNT,
  POSITIVE_INFINITE_COUNT,
  type RowSums,
  type TokenBlock,
  tokensKernel,
  UNDEFINED_COUNT,
} from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import {
  addCount,
  addOutcome,
  byIndex,
  byKey,
  checkSummaryVersion,
  KERNEL_REVISION,
  LargeTokens,
  type Layout,
  layoutOf,
  MismatchSummary,
  NonFiniteSums,
  OUTCOME_UNITS,
  type OutcomeSums,
  part,
  RatioTails,
  SequenceSample,
  Sums,
  SumsByKey,
  sumSurprisal,
  TopList,
  tally,
  topOf,
  Units,
  ValueSketch,
} from "../../core/summaries/index.ts";
import type { WorstSequence, WorstToken } from "../../results/worst.ts";
import { describePlace, iterateRuns, known, readOutcome } from "./batch-rows.ts";
import { BoundedSlices } from "./bounded-slices.ts";
import { type ClusterKeys, clusterKeys } from "./cluster-keys.ts";
import { GradientSummary } from "./gradient/gradient-summary.ts";
import { KernelTokenSums } from "./kernel-token-sums.ts";
import { correctnessName, RowSlices } from "./row-slices.ts";
import { SampleRows } from "./sample-rows.ts";
import { Slices, slicesBy } from "./slices.ts";
import { addMixedRow } from "./staleness.ts";
import { StepSlices } from "./step-slices.ts";
import { PACK_UNITS, type PackSums } from "./step-units.ts";
import { TokenGroups } from "./token-groups.ts";
import { openTurnDeltas, PlainTokenSums, type TokenInput, type TokenSums } from "./token-sums.ts";
import { worstOf } from "./worst-lists.ts";
import { formatPlaceKey } from "./worst-tokens.ts";

const WORST_KEPT = 20;

/** Sums of tokens with mask 1 that are in none of the figures. */
const LEFT_OUT = [UNDEFINED_COUNT, NEGATIVE_INFINITE_COUNT, POSITIVE_INFINITE_COUNT] as const;

/** 8: added tokens whose ratio is outside [½, 2], and rewards and lengths of the sampled sequences. */
const VERSION = 8 + KERNEL_REVISION;

/** A run summary as JSON; only the version that wrote it can read it. */
export interface RunSummaryJson {
  /** Version of this shape; a newer one is refused. */
  readonly version: typeof VERSION;
  /** Binary, in base64. */
  readonly encoded: string;
}

/** How a summary sums, and who else receives the sums of its rows. */
export interface RunSummaryOptions {
  /** `scalar` sums tokens with the reference implementation, to which `wasm`, the default, is bit-identical. */
  readonly engine?: "wasm" | "scalar";
  /** Called with the sums of a batch's rows, one stretch of a step's rows at a time, for callers that show rows. */
  readonly onRows?: (sums: RowSums) => void;
}

/**
 * All that a report needs to know about a run, filled batch by batch and mergeable. Its size does not grow with the
 * number of tokens, only with the number of steps, ranks, environments, packs and distinct token ids, and by a few
 * kilobytes per batch. Engines, finish reasons and ages of weights are bounded. Batches of a file are units: summaries
 * of different files, or of different batches of a file, give the same bits when merged in any order or tree.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createRecordBuilder, pooledMetrics, RunSummary } from "logratio";
 *
 * const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
 * const builder = createRecordBuilder({ provenance });
 * builder.push({
 *   length: 3,
 *   responseMask: Uint8Array.of(1, 1, 0),
 *   rolloutLogprobs: Float32Array.of(-0.105, -1.609, -0.357), // nats
 *   trainerLogprobs: Float32Array.of(-0.105, -1.204, -0.357),
 *   step: 10,
 * });
 * const summary = new RunSummary();
 * summary.add(builder.flush());
 * const { tokens, delta_abs_max } = pooledMetrics(summary.total);
 * assert.equal(tokens, 2);
 * assert(Math.abs(delta_abs_max - 0.405) < 1e-6); // nats
 * // It travels as JSON, from a worker or a rank, and merges.
 * summary.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(summary))));
 * assert.equal(pooledMetrics(summary.total).tokens, 4);
 * ```
 */
export class RunSummary extends Sums {
  /** What it is made of: how it is encoded and merged. */
  static readonly layout: Layout<RunSummary> = layoutOf({
    total: part(MismatchSummary.layout, (run) => run.total),
    tails: part(RatioTails.layout, (run) => run.tails),
    steps: part(StepSlices.layout, (run) => run.steps),
    ranks: part(slicesBy(NUMBER), (run) => run.ranks),
    environments: part(slicesBy(TEXT), (run) => run.environments),
    correctness: part(slicesBy(TEXT), (run) => run.correctness),
    engines: part(BoundedSlices.layoutBy(TEXT), (run) => run.engines),
    finishReasons: part(BoundedSlices.layoutBy(TEXT), (run) => run.finishReasons),
    staleness: part(BoundedSlices.layoutBy(NUMBER), (run) => run.staleness),
    outcomes: part(byKey(NUMBER, OUTCOME_UNITS.units), (run) => run.#outcomes),
    packs: part(byKey(NUMBER, PACK_UNITS.units), (run) => run.#packs),
    sequenceDeltas: part(byKey(TEXT, ValueSketch.layout), (run) => run.#sequenceDeltas),
    turnDeltas: part(byIndex(ValueSketch.layout, openTurnDeltas), (run) => run.turnDeltas),
    groups: part(TokenGroups.layout, (run) => run.groups),
    nonFinite: part(NonFiniteSums.layout, (run) => run.nonFinite),
    worstTokens: part(topOf(worstOf<WorstToken>("delta", "file", "handle")), (run) => run.worstTokens),
    worstSequences: part(
      topOf(worstOf<WorstSequence>("delta_sum", "file", "handle")),
      (run) => run.worstSequences,
    ),
    largeTokens: part(LargeTokens.layout, (run) => run.largeTokens),
    gradient: part(GradientSummary.layout, (run) => run.gradient),
    sample: part(SequenceSample.layout, (run) => run.sample),
    sequencesByFile: part(tally(TEXT), (run) => run.sequencesByFile),
  });
  /** Sums over all sequences. */
  readonly total = new MismatchSummary();
  /** The largest ratios of tokens and of sequences. */
  readonly tails = new RatioTails();
  /** Sums by training step. */
  readonly steps = new StepSlices();
  /** Sums by data-parallel rank. */
  readonly ranks = new Slices<number>();
  /** Sums by environment. */
  readonly environments = new Slices<string>();
  /** Sums by `correct` and `incorrect`. */
  readonly correctness = new Slices<string>();
  /** Sums by engine or replica, up to a limit. */
  readonly engines = new BoundedSlices<string>();
  /** Sums by finish reason, up to a limit. */
  readonly finishReasons = new BoundedSlices<string>();
  /** Sums by step minus weight version: a sequence sampled with several versions is in several. */
  readonly staleness = new BoundedSlices<number>();
  readonly #outcomes = new SumsByKey<number, Units<OutcomeSums>>(() => new Units(OUTCOME_UNITS));
  readonly #sequenceDeltas = new SumsByKey<string, ValueSketch>(() => new ValueSketch(7));
  /** Mean |Δ| of each sequence that has tokens, by `correct` and `incorrect`. */
  readonly sequenceDeltas: Map<string, ValueSketch> = this.#sequenceDeltas.byKey;
  /** Sketch of Δ in nats of each turn, by its index. */
  readonly turnDeltas: ValueSketch[] = [];
  /** Sums by position in the response, rollout probability and token id. */
  readonly groups = new TokenGroups();
  readonly #packs = new SumsByKey<number, Units<PackSums>>(() => new Units(PACK_UNITS));
  /** Tokens with the largest |Δ|. */
  readonly worstTokens = new TopList<WorstToken>(
    WORST_KEPT,
    (token) => Math.abs(token.delta),
    formatPlaceKey,
  );
  /** Sequences with the largest |ΣΔ|. */
  readonly worstSequences = new TopList<WorstSequence>(
    WORST_KEPT,
    (sequence) => Math.abs(sequence.delta_sum),
    formatPlaceKey,
  );
  /** Tokens whose ratio is outside [½, 2], from which the run's mistakes are found. */
  readonly largeTokens = new LargeTokens();
  /**
   * Log-probs that are not finite, by side and step: the kernel's sums only know that a token is in none of the
   * figures.
   */
  readonly nonFinite = new NonFiniteSums();
  /** Empty if no batch has advantages. */
  readonly gradient = new GradientSummary();
  /** Sequences for comparing parts of the run. */
  readonly sample = new SequenceSample();
  /** Sequences read, by file. */
  readonly sequencesByFile = new Map<string, number>();
  /** Number of batches added, by file: used to number them. */
  readonly #batches = new Map<string, number>();
  readonly #engine: "wasm" | "scalar";
  readonly #onRows: RunSummaryOptions["onRows"];

  constructor({ engine = "wasm", onRows }: RunSummaryOptions = {}) {
    super();
    this.#engine = engine;
    this.#onRows = onRows;
  }

  /** By step: lengths, entropies, rewards, right answers. */
  get outcomes(): ReadonlyMap<number, OutcomeSums> {
    return new Map(this.#outcomes.sorted().map(([step, units]) => [step, units.fold()]));
  }

  /** Kernel sums by step, then by pack (`file#pack`). */
  get packs(): ReadonlyMap<number, ReadonlyMap<string, Float64Array>> {
    return new Map(this.#packs.sorted().map(([step, units]) => [step, units.fold().byKey]));
  }

  /** The outcomes of one step: folding all of them for each step would take time quadratic in the number of steps. */
  outcomesAt(step: number): OutcomeSums | undefined {
    return this.#outcomes.byKey.get(step)?.fold();
  }

  /** Like {@link outcomesAt}. */
  packsAt(step: number): ReadonlyMap<string, Float64Array> | undefined {
    return this.#packs.byKey.get(step)?.fold().byKey;
  }

  /**
   * Adds a batch.
   *
   * @param clusters the cluster keys of the rows, for a batch that has lost its prompts; default those of the batch
   * @param number of the batch within its file, if other summaries have other batches of the file; default in order of
   * adding
   * @throws MissingSideError if the batch lacks either policy's log-probs.
   */
  add(
    batch: RecordBatch,
    clusters: ClusterKeys = clusterKeys(batch),
    number = this.#nextNumber(batch),
  ): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, offsets } = batch;
    const { responseMask: mask, turnMask } = batch;
    const { file } = batch.provenance;
    if (!rollout || !trainer) {
      throw new MissingSideError(
        `cannot compare policies: the ${rollout ? "trainer" : "rollout"} log-probs are missing`,
        {
          at: { file },
        },
      );
    }
    addCount(this.sequencesByFile, file, batch.length);
    const sampled = new SampleRows(this.sample, batch, clusters);
    const block: TokenBlock = { rollout, trainer, mask, offsets, ...(turnMask && { turnMask }) };
    const unit = `${file}\0${String(number).padStart(NUMBER_DIGITS, "0")}`;
    this.total.beginUnit(unit);
    const slices = new RowSlices(this, batch, unit);
    const tokenSums = this.#openTokenSums({ batch, clusters, number, rollout, trainer, slices, sampled });
    for (const [rowStart, rowEnd] of iterateRuns(batch.steps)) {
      const table = mismatchSums(block, {
        rowStart,
        rowEnd,
        sink: (tokens) => tokenSums.add(tokens, rowStart),
      });
      tokenSums.endPass();
      this.#onRows?.(table);
      this.#addRows(batch, block, slices, table, [rowStart, rowEnd], clusters);
      for (let row = rowStart; row < rowEnd; row++) sampled.finish(row);
    }
    tokenSums.finish();
    this.gradient.add(batch, clusters);
    this.steps.settle();
  }

  #openTokenSums(input: TokenInput): TokenSums {
    const kernel = this.#engine === "scalar" ? undefined : tokensKernel();
    return kernel === undefined ? new PlainTokenSums(this, input) : new KernelTokenSums(kernel, this, input);
  }

  #nextNumber({ provenance: { file } }: RecordBatch): number {
    const number = this.#batches.get(file) ?? 0;
    this.#batches.set(file, number + 1);
    return number;
  }

  #addRows(
    batch: RecordBatch,
    block: TokenBlock,
    slices: RowSlices,
    table: MismatchTable,
    [rowStart, rowEnd]: readonly [number, number],
    clusters: ClusterKeys,
  ): void {
    this.total.addTurns(table.turns, table.turnRows);
    const step = batch.steps[rowStart]!;
    slices.ofStep(step).addTurns(table.turns, table.turnRows);
    const packs = this.#packs.get(step).get(slices.unit);
    const outcomes = this.#outcomes.get(step).get(slices.unit);
    const entropy = batch.entropies.rollout;
    for (let row = rowStart; row < rowEnd; row++) {
      const at = (row - rowStart) * FIELDS;
      const cluster = clusters.keys[row]!;
      const isPrompt = clusters.arePrompts[row] === 1;
      const surprisal = entropy && sumSurprisal(block, entropy, batch.offsets[row]!, batch.offsets[row + 1]!);
      const extras = { surprisal, starved: slices.starved[row]! };
      this.total.addSequence(table.rows, at, cluster, isPrompt, extras);
      for (const slice of slices.of(row)) slice.addSequence(table.rows, at, cluster, isPrompt, extras);
      const runs = slices.staleness(row);
      if (runs.length > 1)
        addMixedRow(this.staleness, block, runs, { cluster, isPrompt, entropy, unit: slices.unit });
      this.tails.addSequence(table.rows, at);
      if (LEFT_OUT.some((field) => table.rows[at + field] !== 0))
        this.nonFinite.add(step, batch, batch.offsets[row]!, batch.offsets[row + 1]!);
      const pack = `${batch.provenance.file}#${batch.packs[row]}`;
      mergeSums(packs.get(pack), table.rows, at);
      addOutcome(outcomes, readOutcome(batch, row));
      this.#addSequenceDelta(batch.correctness[row]!, table.rows, at);
      this.#considerSequence(batch, row, table.rows, at);
    }
  }

  #addSequenceDelta(correct: number, sums: Float64Array, at: number): void {
    const tokens = sums[at + COUNT]!;
    if (tokens === 0 || Number.isNaN(correct)) return;
    this.#sequenceDeltas.get(correctnessName(correct)).add(sums[at + ABS_DELTA_SUM]! / tokens);
  }

  #considerSequence(batch: RecordBatch, row: number, sums: Float64Array, at: number): void {
    const tokens = sums[at + COUNT]!;
    const deltaSum = tokens * sums[at + DELTA_MEAN]!;
    if (tokens === 0 || deltaSum === 0 || Math.abs(deltaSum) < this.worstSequences.threshold) return;
    const { rank: _, ...place } = describePlace(batch, row);
    this.worstSequences.add({
      ...place,
      tokens,
      delta_abs_mean: sums[at + ABS_DELTA_SUM]! / tokens,
      delta_sum: deltaSum,
      delta_abs_max: Math.max(sums[at + DELTA_MAX]!, -sums[at + DELTA_MIN]!),
      reward: known(batch.rewards[row]!, Number.NaN),
    });
  }

  /**
   * Reads what `encode` wrote.
   *
   * @throws FormatError if the bytes are not a summary
   */
  static decode(from: ByteReader): RunSummary {
    const summary = new RunSummary();
    summary.mergeFrom(from);
    return summary;
  }

  /** For `JSON.stringify`, to go on in another process. */
  toJSON(): RunSummaryJson {
    const to = new ByteWriter();
    this.encode(to);
    return { version: VERSION, encoded: encodeBase64(to.finish()) };
  }

  /**
   * Reads what `toJSON` wrote.
   *
   * @throws VersionError if another version of logratio wrote it
   * @throws FormatError if it is damaged
   */
  static fromJSON({ version, encoded }: RunSummaryJson): RunSummary {
    checkSummaryVersion("run summary", version, VERSION);
    const from = new ByteReader(decodeBase64(encoded), "JSON");
    const summary = RunSummary.decode(from);
    from.end();
    return summary;
  }
}

/** Digits of batch numbers within a file, so that they sort as text. */
const NUMBER_DIGITS = 9;
