/**
 * Checks every log-prob once: sentinels become NaN, unusual values are counted, and a column without log-probs is
 * refused.
 *
 * @module
 */
import type { FloatArray } from "../core/base/index.ts";
import { type Place, SchemaError } from "../core/base/index.ts";
import type { OrdinaryLogprobs } from "../core/kernels/index.ts";
import { type FindingLog, READ_AS_MISSING, type RecordBatch } from "../core/schema/index.ts";
import { countOnes } from "./alignment/check-alignment.ts";
import { type ConstantCheck, createConstantCheck } from "./check-constant.ts";
import { createDecimalsCheck, type DecimalsCheck } from "./check-decimals.ts";
import { examine, KINDS, type Kind, type KindName, newTally, type Tally } from "./odd-values.ts";

export interface KnownOfBatch {
  /** Tokens with mask 1 that lost their trainer log-prob to `--align`, which reports them itself. */
  readonly lost?: number;
  /** Defined where all log-probs of both sides are ordinary. */
  readonly ordinary?: OrdinaryLogprobs | undefined;
}

export interface BatchChecker {
  /**
   * Cleans the batch in place and reports what it found.
   *
   * @returns the batch, which records where this check made a side's log-prob missing
   * @throws SchemaError when more than half of a side's values are positive
   */
  check(batch: RecordBatch, known?: KnownOfBatch): RecordBatch;
  /** Reports a side whose log-probs were all the same number, and columns of so few decimals that it matters. */
  finish(): void;
  /** Tokens with mask 1 so far. */
  readonly maskedTokens: number;
  /** Log-probs at tokens with mask 1 that were read as missing, of both sides. */
  readonly sentinels: number;
}

export interface CheckOptions {
  /** What detection found, one line per column. */
  readonly columns?: readonly string[] | undefined;
  /** See `ReadOptions.allowPositive`. */
  readonly allowPositive?: boolean | undefined;
}

/** Checks the batches of one source; shares of odd values are counted over all of them. */
export function createBatchChecker(findings: FindingLog, options: CheckOptions = {}): BatchChecker {
  return new SourceChecker(findings, options);
}

/** A column of a batch to check. */
interface Column {
  readonly name: string;
  readonly values: FloatArray;
  /** The other side's values, if the column is one of the two sides. */
  readonly other: FloatArray | undefined;
  /** Which of the two compared sides it is; undefined for a further policy. */
  readonly side?: keyof typeof READ_AS_MISSING;
}

class SourceChecker implements BatchChecker {
  readonly #findings: FindingLog;
  readonly #allowsPositive: boolean;
  readonly #constants: ConstantCheck;
  readonly #decimals: DecimalsCheck;
  /** Positive values of each column, over all batches: the first batch of a source may be too small to judge it by. */
  readonly #positives = new Map<string, number>();
  #maskedTokens = 0;
  #sentinels = 0;

  constructor(findings: FindingLog, { columns = [], allowPositive = false }: CheckOptions) {
    this.#findings = findings;
    this.#allowsPositive = allowPositive;
    this.#constants = createConstantCheck(findings, columns);
    this.#decimals = createDecimalsCheck(findings);
  }

  get maskedTokens(): number {
    return this.#maskedTokens;
  }

  get sentinels(): number {
    return this.#sentinels;
  }

  check(batch: RecordBatch, { lost = 0, ordinary }: KnownOfBatch = {}): RecordBatch {
    let { readAsMissing } = batch;
    const asWritten: { rollout?: FloatArray; trainer?: FloatArray } = { ...batch.asWritten };
    this.#countMasks(batch, ordinary);
    this.#decimals.see(batch);
    for (const column of listColumns(batch)) {
      const { name, values, other, side } = column;
      // Before sentinels become NaN: a column of only -9999 is also constant.
      if (side !== undefined) this.#constants.see(name, values, batch.responseMask, batch.provenance.file);
      if (side !== undefined && ordinary !== undefined) continue;
      const tally = newTally();
      examine(values, batch.responseMask, other, tally, (t) => {
        if (side !== undefined) asWritten[side] ??= values.slice();
        values[t] = Number.NaN;
        if (side === undefined) return;
        readAsMissing ??= new Uint8Array(values.length);
        readAsMissing[t]! |= READ_AS_MISSING[side];
      });
      if (values === batch.trainerLogprobs) tally.counts.nan -= lost;
      if (side !== undefined) {
        this.#sentinels += tally.counts.low + tally.counts.one;
        if (!this.#allowsPositive) this.#refusePositive(batch, name, tally);
      }
      this.#report(batch, name, tally);
    }
    if (readAsMissing === undefined) return batch;
    return { ...batch, readAsMissing, ...(hasAny(asWritten) && { asWritten }) };
  }

  finish(): void {
    this.#constants.finish();
    this.#decimals.finish();
  }

  #countMasks(batch: RecordBatch, ordinary: OrdinaryLogprobs | undefined): void {
    const { offsets, responseMask: mask } = batch;
    this.#maskedTokens += ordinary?.masked ?? countOnes(mask);
    let first: number | undefined;
    let empty = 0;
    /** The first token with mask 1 at or after the start of the current sequence. */
    let one = -1;
    for (let i = 0; i < batch.length; i++) {
      if (one < offsets[i]!) one = findOne(mask, offsets[i]!);
      if (one < offsets[i + 1]!) continue;
      empty++;
      first ??= i;
    }
    if (first === undefined) return;
    this.#findings.add({
      code: "empty-mask",
      severity: "info",
      count: empty,
      omits: { unit: "sequence", why: "no_data" },
      at: describePlace(batch, first),
      describe: (count) =>
        `${count} ${count === 1 ? "sequence has" : "sequences have"} no token with mask 1: kept, but in no figure`,
    });
  }

  #refusePositive(batch: RecordBatch, column: string, { counts, first }: Tally): void {
    const total = (this.#positives.get(column) ?? 0) + counts.positive + counts.one;
    this.#positives.set(column, total);
    const masked = this.#maskedTokens;
    if (total * 2 <= masked) return;
    const where = first.positive ?? first.one;
    throw new SchemaError(
      `${total} of ${masked} ${column} ${total === 1 ? "is" : "are"} positive: these are not log-probs`,
      {
        at:
          where === undefined
            ? { file: batch.provenance.file }
            : describePlace(batch, findSequence(batch.offsets, where)),
        likely: "they are probabilities, or negated log-probs (a loss)",
        hint: "write log-probs in nats, which are 0 or below",
      },
    );
  }

  #report(batch: RecordBatch, column: string, tally: Tally): void {
    for (const name of Object.keys(KINDS) as KindName[]) {
      const count = tally.counts[name];
      const kind: Kind = KINDS[name];
      if (count === 0) continue;
      this.#findings.add({
        code: kind.code,
        severity: kind.severity,
        subject: `${name} ${column}`,
        count,
        at: describePlace(batch, findSequence(batch.offsets, tally.first[name]!)),
        ...(kind.likely === undefined ? {} : { likely: kind.likely }),
        describe: (total) => kind.describe(total, column),
      });
    }
  }
}

function findOne(mask: Uint8Array, from: number): number {
  const found = mask.indexOf(1, from);
  return found < 0 ? mask.length : found;
}

function listColumns(batch: RecordBatch): Column[] {
  const { rolloutLogprobs: rollout, trainerLogprobs: trainer, policyLogprobs } = batch;
  const columns: Column[] = [];
  if (rollout) columns.push({ name: "rollout log-probs", values: rollout, other: trainer, side: "rollout" });
  if (trainer) columns.push({ name: "trainer log-probs", values: trainer, other: rollout, side: "trainer" });
  for (const [name, values] of Object.entries(policyLogprobs)) {
    columns.push({ name: `log-probs of ${name}`, values, other: undefined });
  }
  return columns;
}

/** Index of the sequence that token `t` belongs to. */
function findSequence(offsets: Int32Array, t: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (offsets[middle]! <= t) low = middle;
    else high = middle;
  }
  return low;
}

function describePlace(batch: RecordBatch, sequence: number): Place {
  const offset = batch.sourceOffsets[sequence]!;
  return {
    file: batch.provenance.file,
    row: batch.rows[sequence]!,
    ...(offset >= 0 && batch.provenance.format !== "jsonl" ? { offset } : {}),
  };
}

const hasAny = (sides: object): boolean => Object.keys(sides).length > 0;
