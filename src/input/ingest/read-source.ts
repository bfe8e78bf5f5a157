/**
 * One source to batches: drafts are packed, the trainer's column is laid where it belongs, and values are looked at.
 *
 * @module
 */

import type { FindingLog, RecordBatch } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { Reading } from "../adapters/index.ts";
import {
  type Align,
  createAlignmentCheck,
  formatShift,
  reportMasks,
  ShiftScanner,
  shiftTrainer,
} from "./alignment/index.ts";
import { createBatchChecker } from "./check.ts";
import { type DraftOptions, packDrafts } from "./pack-drafts.ts";

export interface PackOptions extends DraftOptions {
  /** What detection found, one line per column: names the column that is at fault. */
  readonly columns?: readonly string[];
  readonly align?: Align | undefined;
  /** Of a run whose files are too small to tell by themselves: the shift for `--align auto`. */
  readonly runShift?: number | undefined;
  /** Looks whether the columns are shifted; undefined where nobody asks. */
  readonly scanner: ShiftScanner | undefined;
  /** One column was named for both sides on purpose. */
  readonly isOneSided?: boolean | undefined;
  /** See `ReadOptions.keepOdd`. */
  readonly keepOdd?: boolean | undefined;
  /** Called with the tokens with mask 1 of each batch. */
  readonly onMasked: (tokens: number) => void;
}

/** Packs the drafts of a reading into batches of about `batchTokens` tokens, and looks at their values. */
export async function* packBatches(reading: Reading, options: PackOptions): AsyncGenerator<RecordBatch> {
  const { findings, checks, align } = options;
  const { file } = options.origin.provenance;
  const checker = createBatchChecker(findings, { columns: options.columns, keepOdd: options.keepOdd });
  const alignment = createAlignmentCheck({
    findings,
    file,
    checks,
    scanner: options.scanner,
    isOneSided: options.isOneSided === true,
  });
  let masked = 0;

  const settle = (packed: RecordBatch): RecordBatch => {
    const { batch, lost } = moveTrainer(packed, checks.shift, findings);
    checker.check(batch, lost);
    alignment.see(batch);
    options.onMasked(checker.maskedTokens - masked);
    masked = checker.maskedTokens;
    return batch;
  };
  const finish = (): void => {
    checks.sentinels = checker.sentinels;
    checker.finish();
    alignment.finish();
    reportMasks(checks, findings, file);
  };

  checks.shift = typeof align === "number" ? align : 0;
  // With --align auto batches wait until the scan has seen enough, or all.
  let decider = align === "auto" ? new ShiftScanner() : undefined;
  const waiting: RecordBatch[] = [];
  const decide = (): void => {
    if (decider === undefined) return;
    const { found } = decider.finish();
    checks.shift =
      found?.scope === "all" && typeof found.offset === "number" ? found.offset : (options.runShift ?? 0);
    decider = undefined;
  };
  let failure: { readonly error: unknown } | undefined;
  const packs = packDrafts(reading, options);
  /** The next batch; what came before a failure is settled first. */
  const nextPack = async (): Promise<RecordBatch | undefined> => {
    try {
      const next = await packs.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      failure = { error };
      return undefined;
    }
  };
  try {
    for (let packed = await nextPack(); packed !== undefined; packed = await nextPack()) {
      waiting.push(packed);
      decider?.add(packed);
      if (decider?.hasEnough === false) continue;
      decide();
      for (const held of waiting.splice(0)) yield settle(held);
    }
  } finally {
    await packs.return(undefined);
  }
  decide();
  for (const held of waiting) yield settle(held);
  finish();
  if (failure !== undefined) throw failure.error;
}

/** The batch with the trainer's column moved; what has no entry any more is counted. */
function moveTrainer(
  packed: RecordBatch,
  shift: number,
  findings: FindingLog,
): { readonly batch: RecordBatch; readonly lost: number } {
  const { batch, lost } = shiftTrainer(packed, shift);
  if (shift === 0) return { batch, lost };
  const provenance = { ...batch.provenance, shift };
  const by = formatShift(shift);
  findings.add({
    code: "note",
    severity: "warning",
    subject: `align ${shift}`,
    count: lost,
    at: { file: provenance.file },
    describe: (count) =>
      `--align ${by}: the trainer's entry t ${shift < 0 ? "-" : "+"} ${Math.abs(shift)} is taken for token t; ${plural(count, "token")} with mask 1 ${count === 1 ? "has" : "have"} no entry in their turn then`,
  });
  return { batch: { ...batch, provenance }, lost };
}
