/**
 * Checks every log-prob once: sentinels become NaN, unusual values are counted, and a column without log-probs is
 * refused.
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import { type Place, SchemaError } from "../../core/base/index.ts";
import type { FindingCode, FindingLog, RecordBatch, Severity } from "../../core/schema/index.ts";
import { createConstantCheck } from "./check-constant.ts";

/** vLLM writes -inf as -9999. */
const LOWEST = -9999;
/** The most that rounding can add to a log-prob of 0. */
const ROUNDING = 1e-3;
/** If the other side's log-prob is below this, exactly 0 is more likely a placeholder than certainty. */
const CERTAIN_ELSEWHERE = -1;

interface Kind {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** `fate` says what happens to unusual values: they are read as missing, or kept. */
  readonly describe: (count: number, column: string, fate: string) => string;
  readonly likely?: string;
}

const KINDS = {
  low: {
    code: "sentinel",
    severity: "warning",
    describe: (count, column, fate) => `${formatCountIs(count, column)} -9999 or below: ${fate}`,
    likely: "vLLM writes -9999 where the probability is 0",
  },
  one: {
    code: "sentinel",
    severity: "warning",
    describe: (count, column, fate) => `${formatCountIs(count, column)} exactly 1.0: ${fate}`,
    likely: "open-instruct and Flash-RL put 1.0 where there is no log-prob",
  },
  nan: {
    code: "non-finite",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} missing or NaN where the mask is 1`,
  },
  infinite: {
    code: "non-finite",
    severity: "warning",
    describe: (count, column) => `${formatCountIs(count, column)} infinite`,
  },
  rounding: {
    code: "positive-logprob",
    severity: "info",
    describe: (count, column) =>
      `${formatCountIs(count, column)} above 0 by at most ${ROUNDING}: kept as rounding`,
  },
  positive: {
    code: "positive-logprob",
    severity: "warning",
    describe: (count, column, fate) => `${formatCountIs(count, column)} positive: ${fate}`,
    likely: "logits or rewards are mixed into the log-probs",
  },
  zero: {
    code: "suspicious-zero",
    severity: "warning",
    describe: (count, column) =>
      `${formatCountIs(count, column)} exactly 0 where the other side is below ${CERTAIN_ELSEWHERE}: kept`,
    likely: "the engine returned no log-probs for these tokens, and 0 was filled in",
  },
} as const satisfies Record<string, Kind>;

/** `1 rollout log-prob is`, `3 rollout log-probs are`. */
function formatCountIs(count: number, column: string): string {
  return count === 1 ? `1 ${column.replace(/s$/, "")} is` : `${count} ${column} are`;
}

type KindName = keyof typeof KINDS;

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

/** Counts per kind over a column, and where each kind was seen first. */
interface Tally {
  readonly counts: Record<KindName, number>;
  readonly first: Partial<Record<KindName, number>>;
}

function newTally(): Tally {
  return { counts: { low: 0, one: 0, nan: 0, infinite: 0, rounding: 0, positive: 0, zero: 0 }, first: {} };
}

/** Counts everything that is not an ordinary log-prob; changes sentinels in `values` to NaN unless they are kept. */
function examine(
  values: FloatArray,
  mask: Uint8Array,
  other: FloatArray | undefined,
  tally: Tally,
  isKept: boolean,
): void {
  const drop = (t: number): void => {
    if (!isKept) values[t] = NaN;
  };
  const note = (kind: KindName, t: number): void => {
    if (mask[t] === 0) return;
    tally.counts[kind]++;
    tally.first[kind] ??= t;
  };
  for (let t = 0; t < values.length; t++) {
    const value = values[t]!;
    if (value < 0 && value > LOWEST) continue;
    if (value === 0) {
      if (other !== undefined && other[t]! < CERTAIN_ELSEWHERE) note("zero", t);
    } else if (Number.isNaN(value)) note("nan", t);
    else if (value === -Infinity || value === Infinity) note("infinite", t);
    else if (value < 0) {
      note("low", t);
      drop(t);
    } else if (value <= ROUNDING) note("rounding", t);
    else {
      note(value === 1 ? "one" : "positive", t);
      drop(t);
    }
  }
}

export interface BatchChecker {
  /**
   * Cleans the batch in place and reports what it found.
   *
   * @param lost tokens with mask 1 that have no trainer log-prob because `--align` moved the column: reported there
   * @throws SchemaError when more than half of a side's values are positive
   */
  check(batch: RecordBatch, lost?: number): void;
  /** Reports a side whose log-probs were all the same number. */
  finish(): void;
  /** Tokens with mask 1 so far. */
  readonly maskedTokens: number;
  /** Log-probs at tokens with mask 1 that were read as missing, of both sides. */
  readonly sentinels: number;
}

export interface CheckOptions {
  /** What detection found, one line per column. */
  readonly columns?: readonly string[] | undefined;
  /** Keeps values that are not log-probs, and refuses no column: for callers that find out why they are there. */
  readonly keepOdd?: boolean | undefined;
}

/** Checks the batches of one source; shares of odd values are counted over all of them. */
export function createBatchChecker(
  findings: FindingLog,
  { columns = [], keepOdd = false }: CheckOptions = {},
): BatchChecker {
  const fate = keepOdd ? "kept" : "read as missing";
  const constants = createConstantCheck(findings, columns);
  let maskedTokens = 0;
  let sentinels = 0;
  const positives = new Map<string, number>();

  function report(batch: RecordBatch, column: string, tally: Tally): void {
    for (const name of Object.keys(KINDS) as KindName[]) {
      const count = tally.counts[name];
      const kind: Kind = KINDS[name];
      if (count === 0) continue;
      findings.add({
        code: kind.code,
        severity: kind.severity,
        subject: `${name} ${column}`,
        count,
        at: describePlace(batch, findSequence(batch.offsets, tally.first[name]!)),
        ...(kind.likely === undefined ? {} : { likely: kind.likely }),
        describe: (total) => kind.describe(total, column, fate),
      });
    }
  }

  function refusePositive(batch: RecordBatch, column: string, { counts, first }: Tally): void {
    const total = (positives.get(column) ?? 0) + counts.positive + counts.one;
    positives.set(column, total);
    if (total * 2 <= maskedTokens) return;
    const where = first.positive ?? first.one;
    throw new SchemaError(`${total} of ${maskedTokens} ${column} are positive: these are not log-probs`, {
      at:
        where === undefined
          ? { file: batch.provenance.file }
          : describePlace(batch, findSequence(batch.offsets, where)),
      likely: "they are probabilities, or negated log-probs (a loss)",
      hint: "write log-probs in nats, which are 0 or below",
    });
  }

  function countMasks(batch: RecordBatch): void {
    let first: number | undefined;
    let empty = 0;
    for (let i = 0; i < batch.length; i++) {
      const end = batch.offsets[i + 1]!;
      let ones = 0;
      for (let t = batch.offsets[i]!; t < end; t++) ones += batch.responseMask[t]!;
      maskedTokens += ones;
      if (ones > 0) continue;
      empty++;
      first ??= i;
    }
    if (first === undefined) return;
    findings.add({
      code: "empty-mask",
      severity: "info",
      count: empty,
      omits: { unit: "sequence", why: "no_data" },
      at: describePlace(batch, first),
      describe: (count) =>
        `${count} ${count === 1 ? "sequence has" : "sequences have"} no token with mask 1: kept, but in no figure`,
    });
  }

  return {
    check(batch, lost = 0) {
      countMasks(batch);
      const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask } = batch;
      const columns: [string, FloatArray | undefined, FloatArray | undefined][] = [
        ["rollout log-probs", rollout, trainer],
        ["trainer log-probs", trainer, rollout],
        ...Object.entries(batch.policyLogprobs).map(([name, values]): [string, FloatArray, undefined] => [
          `log-probs of ${name}`,
          values,
          undefined,
        ]),
      ];
      for (const [column, values, other] of columns) {
        if (values === undefined) continue;
        if (values === rollout || values === trainer) {
          constants.see(column, values, responseMask, batch.provenance.file);
        }
        const tally = newTally();
        examine(values, responseMask, other, tally, keepOdd);
        if (values === trainer) tally.counts.nan -= lost;
        if (values === rollout || values === trainer) {
          if (!keepOdd) sentinels += tally.counts.low + tally.counts.one;
          if (!keepOdd) refusePositive(batch, column, tally);
        }
        report(batch, column, tally);
      }
    },
    finish: constants.finish,
    get maskedTokens() {
      return maskedTokens;
    },
    get sentinels() {
      return sentinels;
    },
  };
}
