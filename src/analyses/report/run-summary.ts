import { MissingSideError } from "../../core/base/index.ts";
import {
  ABS_DELTA_SUM,
  COUNT,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  emptySums,
  FIELDS,
  type MaskedTokens,
  type MismatchTable,
  mergeSums,
  mismatchSums,
  type TokenBlock,
} from "../../core/kernels/index.ts";
import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import {
  addOutcome,
  checkSummaryVersion,
  emptyOutcomeSums,
  MismatchSummary,
  type MismatchSummaryJson,
  mergeOutcomeSums,
  type OutcomeSums,
  RatioTails,
  type RatioTailsJson,
  type SequenceOutcome,
  SequenceSample,
  type SequenceSampleJson,
  sumSurprisal,
  TopList,
  ValueSketch,
  type ValueSketchJson,
} from "../../core/summaries/index.ts";
import type { WorstSequence, WorstToken } from "../../results/index.ts";
import { type ClusterKeys, clusterKeys } from "./cluster-keys.ts";
import { SampleRows } from "./sample-rows.ts";
import { Slices, type SlicesJson } from "./slices.ts";
import { TokenGroups, type TokenGroupsJson } from "./token-groups.ts";

/** Turns beyond this one have sums but no quantiles. */
const TURNS_WITH_QUANTILES = 256;
const WORST_KEPT = 20;

/** What decides among tokens that are off by the same; the token's number comes last in it. */
function formatKey({ file, handle }: Pick<WorstToken, "file" | "handle">): string {
  return `${file} ${handle}`;
}

/** 3: the tails of ratios; the summaries in it are of version 3. */
const VERSION = 3;

/** A run summary as JSON; only the version that wrote it reads it. */
export interface RunSummaryJson {
  readonly version: typeof VERSION;
  readonly total: MismatchSummaryJson;
  readonly tails: RatioTailsJson;
  readonly steps: SlicesJson<number>;
  readonly ranks: SlicesJson<number>;
  readonly environments: SlicesJson<string>;
  readonly correctness: SlicesJson<string>;
  readonly outcomes: readonly (readonly [step: number | null, sums: OutcomeSums])[];
  readonly sequenceDeltas: readonly (readonly [name: string, means: ValueSketchJson])[];
  readonly turnDeltas: readonly ValueSketchJson[];
  readonly groups: TokenGroupsJson;
  readonly packs: readonly (readonly [
    step: number | null,
    (readonly [pack: string, sums: (number | string)[]])[],
  ])[];
  readonly worstTokens: readonly WorstToken[];
  readonly worstSequences: readonly WorstSequence[];
  readonly sample: SequenceSampleJson;
  readonly sequencesByFile: readonly (readonly [file: string, sequences: number])[];
}

/**
 * All that a report needs to know of a run, filled batch by batch and mergeable: nothing in it grows with the number
 * of tokens, only with the number of steps, ranks, environments, packs and distinct token ids.
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
export class RunSummary {
  readonly total = new MismatchSummary();
  /** The largest ratios of tokens and of sequences. */
  readonly tails = new RatioTails();
  readonly steps = new Slices<number>();
  readonly ranks = new Slices<number>();
  readonly environments = new Slices<string>();
  readonly correctness = new Slices<string>();
  /** By step: lengths, entropies, rewards, right answers. */
  readonly outcomes = new Map<number, OutcomeSums>();
  /** Mean |Δ| of each sequence that has tokens, by `correct` and `incorrect`. */
  readonly sequenceDeltas = new Map<string, ValueSketch>();
  readonly turnDeltas: ValueSketch[] = [];
  readonly groups = new TokenGroups();
  /** Kernel sums by step, then by pack (`file#pack`). */
  readonly packs = new Map<number, Map<string, Float64Array>>();
  readonly worstTokens = new TopList<WorstToken>(WORST_KEPT, (token) => Math.abs(token.delta), formatKey);
  readonly worstSequences = new TopList<WorstSequence>(
    WORST_KEPT,
    (sequence) => Math.abs(sequence.delta_sum),
    (sequence) => `${sequence.file} ${sequence.handle}`,
  );
  /** Sequences to compare parts of the run with. */
  readonly sample = new SequenceSample();
  /** Sequences read, by file. */
  readonly sequencesByFile = new Map<string, number>();

  /**
   * @param clusters what each row was drawn with, for a batch that has lost its prompts; default that of the batch
   * @throws MissingSideError when the batch lacks either policy's log-probs.
   */
  add(batch: RecordBatch, clusters: ClusterKeys = clusterKeys(batch)): void {
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
    this.sequencesByFile.set(file, (this.sequencesByFile.get(file) ?? 0) + batch.length);
    const sampled = new SampleRows(this.sample, batch, clusters);
    const block: TokenBlock = { rollout, trainer, mask, offsets, ...(turnMask && { turnMask }) };
    const slices = new RowSlices(this, batch);
    for (const [rowStart, rowEnd] of iterateRuns(batch.steps)) {
      const table = mismatchSums(block, {
        rowStart,
        rowEnd,
        sink: (tokens) => {
          this.tails.addTokens(tokens, rollout, trainer);
          this.#addTokens(batch, slices, sampled, tokens, rowStart);
        },
      });
      this.#addRows(batch, block, slices, table, [rowStart, rowEnd], clusters);
      for (let row = rowStart; row < rowEnd; row++) sampled.finish(row);
    }
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
    const step = batch.steps[rowStart] as number;
    this.steps.get(step).addTurns(table.turns, table.turnRows);
    const packs = this.#packsOf(step);
    const outcomes = this.#outcomesOf(step);
    const entropy = batch.entropies.rollout;
    for (let row = rowStart; row < rowEnd; row++) {
      const at = (row - rowStart) * FIELDS;
      const cluster = clusters.keys[row] as number;
      const isPrompt = clusters.arePrompts[row] === 1;
      const surprisal =
        entropy &&
        sumSurprisal(block, entropy, batch.offsets[row] as number, batch.offsets[row + 1] as number);
      const extras = { surprisal, starved: slices.starved[row] as number };
      this.total.addSequence(table.rows, at, cluster, isPrompt, extras);
      for (const slice of slices.of(row)) slice.addSequence(table.rows, at, cluster, isPrompt, extras);
      this.tails.addSequence(table.rows, at);
      const pack = `${batch.provenance.file}#${batch.packs[row]}`;
      const sums = packs.get(pack) ?? emptySums();
      mergeSums(sums, table.rows, at);
      packs.set(pack, sums);
      addOutcome(outcomes, readOutcome(batch, row));
      this.#addSequenceDelta(batch.correctness[row] as number, table.rows, at);
      this.#considerSequence(batch, row, table.rows, at);
    }
  }

  #outcomesOf(step: number): OutcomeSums {
    const known = this.outcomes.get(step);
    if (known) return known;
    const sums = emptyOutcomeSums();
    this.outcomes.set(step, sums);
    return sums;
  }

  #addSequenceDelta(correct: number, sums: Float64Array, at: number): void {
    const tokens = sums[at + COUNT] as number;
    if (tokens === 0 || Number.isNaN(correct)) return;
    this.#sequenceDeltasOf(correctnessName(correct)).add((sums[at + ABS_DELTA_SUM] as number) / tokens);
  }

  #sequenceDeltasOf(name: string): ValueSketch {
    const known = this.sequenceDeltas.get(name);
    if (known) return known;
    const sketch = new ValueSketch(7);
    this.sequenceDeltas.set(name, sketch);
    return sketch;
  }

  #packsOf(step: number): Map<string, Float64Array> {
    const known = this.packs.get(step);
    if (known) return known;
    const packs = new Map<string, Float64Array>();
    this.packs.set(step, packs);
    return packs;
  }

  #addTokens(
    batch: RecordBatch,
    slices: RowSlices,
    sampled: SampleRows,
    tokens: MaskedTokens,
    firstRow: number,
  ): void {
    this.total.addTokens(tokens);
    this.#addTurnQuantiles(tokens);
    const words = new Uint32Array(tokens.delta.buffer, tokens.delta.byteOffset, tokens.count);
    const { index, count } = tokens;
    let row = firstRow;
    for (let from = 0; from < count; ) {
      const first = index[from] as number;
      // Tokens ascend, but for the extreme ones at the end of a piece.
      if (first < (batch.offsets[row] as number)) row = findRow(batch.offsets, first);
      while ((batch.offsets[row + 1] as number) <= first) row++;
      const end = batch.offsets[row + 1] as number;
      let to = from + 1;
      for (; to < count; to++) {
        const next = index[to] as number;
        if (next >= end || next < first) break;
      }
      for (const slice of slices.of(row)) slice.deltas.addRange(tokens.delta, words, from, to);
      this.groups.add(batch, row, tokens, from, to);
      sampled.add(row, tokens, from, to);
      this.#considerTokens(batch, row, tokens, from, to);
      slices.addStarved(row, tokens, from, to);
      from = to;
    }
  }

  #addTurnQuantiles({ turn, delta, count }: MaskedTokens): void {
    const words = new Uint32Array(delta.buffer, delta.byteOffset, count);
    for (let from = 0; from < count; ) {
      const of = turn[from] as number;
      let to = from + 1;
      while (to < count && turn[to] === of) to++;
      if (of < TURNS_WITH_QUANTILES) {
        while (this.turnDeltas.length <= of) this.turnDeltas.push(new ValueSketch(7));
        (this.turnDeltas[of] as ValueSketch).addRange(delta, words, from, to);
      }
      from = to;
    }
  }

  #considerTokens(batch: RecordBatch, row: number, tokens: MaskedTokens, from: number, to: number): void {
    let threshold = this.worstTokens.threshold;
    let key: string | undefined;
    for (let i = from; i < to; i++) {
      const delta = tokens.delta[i] as number;
      const score = Math.abs(delta);
      if (score < threshold || delta === 0) continue;
      const index = tokens.index[i] as number;
      const token = index - (batch.offsets[row] as number);
      if (score === threshold) {
        // Where every token is off by the same, making each one's entry would take longer than all the rest.
        key ??= formatKey(describePlace(batch, row, 0)).slice(0, -1);
        if (!this.worstTokens.admitsTie(`${key}${token}`)) continue;
      }
      this.worstTokens.add({
        ...describePlace(batch, row, token),
        sequence: batch.rows[row] as number,
        token,
        turn: tokens.turn[i] as number,
        token_id: known(batch.responseTokenIds?.[index] ?? -1, -1),
        delta,
        rollout_logprob: batch.rolloutLogprobs?.[index] as number,
        trainer_logprob: batch.trainerLogprobs?.[index] as number,
      });
      threshold = this.worstTokens.threshold;
    }
  }

  #considerSequence(batch: RecordBatch, row: number, sums: Float64Array, at: number): void {
    const tokens = sums[at + COUNT] as number;
    const deltaSum = tokens * (sums[at + DELTA_MEAN] as number);
    if (tokens === 0 || deltaSum === 0 || Math.abs(deltaSum) < this.worstSequences.threshold) return;
    const { rank: _, ...place } = describePlace(batch, row);
    this.worstSequences.add({
      ...place,
      tokens,
      delta_abs_mean: (sums[at + ABS_DELTA_SUM] as number) / tokens,
      delta_sum: deltaSum,
      delta_abs_max: Math.max(sums[at + DELTA_MAX] as number, -(sums[at + DELTA_MIN] as number)),
      reward: known(batch.rewards[row] as number, Number.NaN),
    });
  }

  /** For `JSON.stringify`, to go on in another process. */
  toJSON(): RunSummaryJson {
    const encode = (value: number): number | string => (Number.isFinite(value) ? value : String(value));
    return {
      version: VERSION,
      total: this.total.toJSON(),
      tails: this.tails.toJSON(),
      steps: this.steps.toJSON(),
      ranks: this.ranks.toJSON(),
      environments: this.environments.toJSON(),
      correctness: this.correctness.toJSON(),
      outcomes: [...this.outcomes].map(([step, sums]) => [Number.isNaN(step) ? null : step, sums]),
      sequenceDeltas: [...this.sequenceDeltas].map(([name, sketch]) => [name, sketch.toJSON()]),
      turnDeltas: this.turnDeltas.map((sketch) => sketch.toJSON()),
      groups: this.groups.toJSON(),
      packs: [...this.packs].map(([step, packs]) => [
        Number.isNaN(step) ? null : step,
        [...packs].map(([pack, sums]) => [pack, [...sums].map(encode)]),
      ]),
      worstTokens: this.worstTokens.list(),
      worstSequences: this.worstSequences.list(),
      sample: this.sample.toJSON(),
      sequencesByFile: [...this.sequencesByFile],
    };
  }

  /** @throws VersionError when another version of logratio wrote it. */
  static fromJSON(json: RunSummaryJson): RunSummary {
    checkSummaryVersion("run summary", json.version, VERSION);
    const summary = new RunSummary();
    summary.total.merge(MismatchSummary.fromJSON(json.total));
    summary.tails.merge(RatioTails.fromJSON(json.tails));
    summary.steps.merge(Slices.fromJSON(json.steps));
    summary.ranks.merge(Slices.fromJSON(json.ranks));
    summary.environments.merge(Slices.fromJSON(json.environments));
    summary.correctness.merge(Slices.fromJSON(json.correctness));
    for (const [step, sums] of json.outcomes) summary.outcomes.set(step ?? Number.NaN, { ...sums });
    for (const [name, sketch] of json.sequenceDeltas)
      summary.sequenceDeltas.set(name, ValueSketch.fromJSON(sketch));
    summary.turnDeltas.push(...json.turnDeltas.map(ValueSketch.fromJSON));
    summary.groups.merge(TokenGroups.fromJSON(json.groups));
    for (const [step, packs] of json.packs) {
      summary.packs.set(step ?? Number.NaN, new Map(packs.map(([pack, sums]) => [pack, decodeSums(sums)])));
    }
    for (const token of json.worstTokens) summary.worstTokens.add(token);
    for (const sequence of json.worstSequences) summary.worstSequences.add(sequence);
    summary.sample.merge(SequenceSample.fromJSON(json.sample));
    for (const [file, count] of json.sequencesByFile) summary.sequencesByFile.set(file, count);
    return summary;
  }

  /** Adds another run summary of the same run (another rank, another file): any order gives the same result. */
  merge(other: RunSummary): void {
    this.total.merge(other.total);
    this.tails.merge(other.tails);
    this.steps.merge(other.steps);
    this.ranks.merge(other.ranks);
    this.environments.merge(other.environments);
    this.correctness.merge(other.correctness);
    for (const [step, sums] of other.outcomes) mergeOutcomeSums(this.#outcomesOf(step), sums);
    for (const [name, sketch] of other.sequenceDeltas) this.#sequenceDeltasOf(name).merge(sketch);
    other.turnDeltas.forEach((theirs, turn) => {
      while (this.turnDeltas.length <= turn) this.turnDeltas.push(new ValueSketch(7));
      (this.turnDeltas[turn] as ValueSketch).merge(theirs);
    });
    this.groups.merge(other.groups);
    for (const [step, theirs] of other.packs) {
      const ours = this.#packsOf(step);
      for (const [pack, sums] of theirs) {
        const into = ours.get(pack) ?? emptySums();
        mergeSums(into, sums);
        ours.set(pack, into);
      }
    }
    this.worstTokens.merge(other.worstTokens);
    this.worstSequences.merge(other.worstSequences);
    this.sample.merge(other.sample);
    for (const [file, count] of other.sequencesByFile)
      this.sequencesByFile.set(file, (this.sequencesByFile.get(file) ?? 0) + count);
  }
}

function decodeSums(json: readonly (number | string)[]): Float64Array {
  return Float64Array.from(json, Number);
}

/** The slices that each row of a batch belongs to, and what is summed of a row beside its kernel sums. */
class RowSlices {
  readonly #summary: RunSummary;
  readonly #batch: RecordBatch;
  readonly #rows: (MismatchSummary[] | undefined)[] = [];
  /** By row: Σ(1 − ρ) of the tokens with ρ < ½. */
  readonly starved: Float64Array;

  constructor(summary: RunSummary, batch: RecordBatch) {
    this.#summary = summary;
    this.#batch = batch;
    this.starved = new Float64Array(batch.length);
  }

  addStarved(row: number, { delta }: MaskedTokens, from: number, to: number): void {
    let sum = 0;
    for (let i = from; i < to; i++) {
      const value = delta[i] as number;
      if (value < -Math.LN2) sum -= Math.expm1(value);
    }
    this.starved[row] = (this.starved[row] as number) + sum;
  }

  of(row: number): readonly MismatchSummary[] {
    const known = this.#rows[row];
    if (known) return known;
    const { steps, ranks, environments, correctness } = this.#batch;
    const slices = [this.#summary.steps.get(steps[row] as number)];
    const rank = ranks[row] as number;
    if (!Number.isNaN(rank)) slices.push(this.#summary.ranks.get(rank));
    const environment = environments[row];
    if (environment !== undefined) slices.push(this.#summary.environments.get(environment));
    const correct = correctness[row] as number;
    if (!Number.isNaN(correct)) slices.push(this.#summary.correctness.get(correctnessName(correct)));
    this.#rows[row] = slices;
    return slices;
  }
}

function correctnessName(correct: number): "correct" | "incorrect" {
  return correct > 0 ? "correct" : "incorrect";
}

/** Entropies are the trainer policy's, else the rollout policy's. */
function readOutcome(batch: RecordBatch, row: number): SequenceOutcome {
  const [start, end] = [batch.offsets[row] as number, batch.offsets[row + 1] as number];
  const entropies = batch.entropies.trainer ?? batch.entropies.rollout;
  let entropySum = 0;
  let entropyTokens = 0;
  for (let t = start; entropies !== undefined && t < end; t++) {
    const value = entropies[t] as number;
    if (batch.responseMask[t] === 0 || !Number.isFinite(value)) continue;
    entropySum += value;
    entropyTokens++;
  }
  return {
    responseTokens: end - start,
    entropySum,
    entropyTokens,
    reward: batch.rewards[row] as number,
    correct: batch.correctness[row] as number,
  };
}

/** `[start, end)` of the runs of equal values (NaN equals NaN). */
function* iterateRuns(values: Float64Array): Generator<[start: number, end: number]> {
  for (let start = 0; start < values.length; ) {
    let end = start + 1;
    while (end < values.length && Object.is(values[end], values[start])) end++;
    yield [start, end];
    start = end;
  }
}

/** The last row that starts at or before a token. */
function findRow(offsets: Int32Array, token: number): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] as number) <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}

function known(value: number, missing: number): number | null {
  return Object.is(value, missing) ? null : value;
}

function describePlace(
  batch: RecordBatch,
  row: number,
  token?: number,
): { handle: string; step: number | null; rank: number | null; file: string } {
  const step = known(batch.steps[row] as number, Number.NaN);
  const rank = known(batch.ranks[row] as number, Number.NaN);
  const sequence = batch.rows[row] as number;
  const handle = formatHandle({
    sequence,
    ...(step !== null && { step }),
    ...(rank !== null && { rank }),
    ...(token !== undefined && { token }),
  });
  return { handle, step, rank, file: batch.provenance.file };
}
