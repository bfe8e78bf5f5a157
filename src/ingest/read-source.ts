/**
 * From one source to batches: drafts are packed, the trainer's column is aligned, and values are checked.
 *
 * @module
 */

import type { FindingLog, RecordBatch } from "../core/schema/index.ts";
import { plural } from "../core/text/index.ts";
import type { Reading } from "../input/adapters/adapter.ts";
import { createAlignmentCheck } from "./alignment/check-alignment.ts";
import type { Align } from "./alignment/parse-align.ts";
import { reportMasks } from "./alignment/report-masks.ts";
import { formatShift } from "./alignment/report-shift.ts";
import { ShiftScanner } from "./alignment/scan-shifts.ts";
import { shiftTrainer } from "./alignment/shift-trainer.ts";
import { createBatchChecker } from "./check.ts";
import { type DraftOptions, packDrafts } from "./pack-drafts.ts";
import { RowChecks } from "./row-checks.ts";

export interface PackOptions extends DraftOptions {
  /** What detection found, one line per column, to name the column at fault. */
  readonly columns?: readonly string[];
  readonly align?: Align | undefined;
  /** The shift for `--align auto` of a run whose files are too small to determine it separately. */
  readonly runShift?: number | undefined;
  /** Checks whether the columns are shifted; undefined when that is not checked. */
  readonly scanner: ShiftScanner | undefined;
  /** One column was named for both sides on purpose. */
  readonly isOneSided?: boolean | undefined;
  /** See `ReadOptions.allowPositive`. */
  readonly allowPositive?: boolean | undefined;
  /** Keys of sequences to keep for `reportRowsAcross`: see `keysPerFile`. */
  readonly mostKeys: number;
  /** Called with the tokens with mask 1 of each batch. */
  readonly onMasked: (tokens: number) => void;
}

/** Packs drafts into batches of about `batchTokens` tokens, and checks their values. */
export async function* packBatches(reading: Reading, options: PackOptions): AsyncGenerator<RecordBatch> {
  const { findings, checks, align, columns, allowPositive } = options;
  const { file } = options.origin.provenance;
  const checker = createBatchChecker(findings, { columns, allowPositive });
  const alignment = createAlignmentCheck({
    findings,
    file,
    checks,
    scanner: options.scanner,
    isOneSided: options.isOneSided === true,
  });
  const rows = new RowChecks(findings, options.mostKeys);
  let masked = 0;

  const settle = (packed: RecordBatch): RecordBatch => {
    const { batch: moved, lost } = moveTrainer(packed, checks.shift, findings);
    const ordinary = alignment.scan(moved);
    const batch = checker.check(moved, { lost, ordinary });
    rows.add(batch);
    alignment.see(batch, ordinary);
    options.onMasked(checker.maskedTokens - masked);
    masked = checker.maskedTokens;
    return batch;
  };
  const finish = (): void => {
    checks.sentinels = checker.sentinels;
    rows.finish(checks);
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
  /** The next batch; on a failure, earlier batches are settled first. */
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

/** Moves the batch's trainer column; tokens that lose their entry are counted. */
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
      `--align ${by}: the trainer's entry t ${shift < 0 ? "-" : "+"} ${Math.abs(shift)} is used for token t; that leaves ${plural(count, "token")} with mask 1 without an entry in the same turn`,
  });
  return { batch: { ...batch, provenance }, lost };
}
