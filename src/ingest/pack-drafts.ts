/**
 * From drafts of one source to batches of the record: mismatched lengths and missing sides are reported.
 *
 * @module
 */

import { MissingSideError } from "../core/base/index.ts";
import type { RecordBatch } from "../core/schema/index.ts";
import {
  createRecordBuilder,
  type FindingLog,
  findMisfit,
  type Misfit,
  type Origin,
  type RecordBuilder,
  type SequenceDraft,
  unreadableRows,
} from "../core/schema/index.ts";
import { formatCount, plural } from "../core/text/index.ts";
import type { Reading } from "../input/adapters/adapter.ts";
import type { SourceChecks } from "./alignment/source-checks.ts";
import { checkTokenIds } from "./check-ids.ts";
import type { FileNumbers } from "./file-numbers.ts";

export interface DraftOptions {
  readonly findings: FindingLog;
  readonly batchTokens: number;
  readonly keepDetails: boolean | undefined;
  /** Which steps to keep; all when undefined. */
  readonly steps: ((step: number) => boolean) | undefined;
  /** Step and rank for drafts without their own. */
  readonly defaults: FileNumbers;
  readonly origin: Origin;
  /** The only policy whose log-probs the file has, if it never had the other's. */
  readonly onePolicy?: "rollout" | "trainer" | undefined;
  /** Filled with what is found in the data. */
  readonly checks: SourceChecks;
}

function reportMisfit(findings: FindingLog, file: string, draft: SequenceDraft, misfit: Misfit): void {
  const { column, length, expected } = misfit;
  findings.add({
    code: "length-mismatch",
    severity: "skipped",
    subject: file,
    count: 1,
    omits: { unit: "sequence", why: "unreadable" },
    at: { file, ...(draft.row === undefined ? {} : { row: draft.row }) },
    likely: "one side includes the prompt, the end-of-text token or tool output, the other does not",
    describe: (count) =>
      unreadableRows(count, `${column} has ${plural(length, "value")}, expected ${expected}`),
  });
}

function reportOtherStep(findings: FindingLog, file: string): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "rows of other steps",
    count: 1,
    omits: { unit: "sequence", why: "requested" },
    at: { file },
    describe: (count) =>
      `${plural(count, "sequence")} of steps outside --steps, in files that also hold requested steps`,
  });
}

/** The draft, with the file's step and rank if it has none of its own. */
export function withNumbers(draft: SequenceDraft, { step, rank }: FileNumbers): SequenceDraft {
  if (draft.step !== undefined && draft.rank !== undefined) return draft;
  return { ...draft, step: draft.step ?? step, rank: draft.rank ?? rank };
}

/**
 * The beginning of a file had the required sides, but later rows may lack one. A few such rows count as missing
 * values; a whole batch of them has nothing to compare.
 *
 * @throws MissingSideError here, to end the reading of one file only, before batches of all files are summed
 */
function checkSides(
  { rolloutLogprobs, trainerLogprobs, length, provenance }: RecordBatch,
  onePolicy: DraftOptions["onePolicy"],
): void {
  const needsRollout = rolloutLogprobs === undefined && onePolicy !== "trainer";
  const needsTrainer = trainerLogprobs === undefined && onePolicy !== "rollout";
  if (!needsRollout && !needsTrainer) return;
  const side = needsRollout ? "rollout" : "trainer";
  const rows = formatCount(length);
  throw new MissingSideError(`none of ${rows} sequences has ${side} log-probs`, {
    at: { file: provenance.file },
    likely: "the column was renamed or left out within the file",
  });
}

/** Packs drafts into batches of about `batchTokens` tokens. Their values are not checked yet. */
export async function* packDrafts(reading: Reading, options: DraftOptions): AsyncGenerator<RecordBatch> {
  const { findings, batchTokens, steps, defaults, checks } = options;
  const { file } = options.origin.provenance;
  let builder: RecordBuilder | undefined;
  let current: Origin | undefined;

  const start = (origin: Origin): RecordBuilder =>
    createRecordBuilder({
      ...origin,
      batchTokens,
      keepDetails: options.keepDetails,
      onOddMask: (draft, count) =>
        findings.add({
          code: "non-binary-mask",
          severity: "warning",
          count,
          at: { file, ...(draft.row === undefined ? {} : { row: draft.row }) },
          likely: "the mask holds weights, turn numbers or averaged floats",
          describe: (total) =>
            `${total} mask values are neither 0 nor 1: nulls and NaN count as 0, all others as 1`,
        }),
    });
  const finish = (full: RecordBuilder): RecordBatch => {
    const batch = full.flush();
    checkSides(batch, options.onePolicy);
    return batch;
  };

  let failure: { readonly error: unknown } | undefined;
  const blocks = reading.blocks[Symbol.asyncIterator]();
  /** The next block; if a source fails in the middle, earlier blocks are kept. */
  const nextBlock = async (): Promise<readonly SequenceDraft[] | undefined> => {
    try {
      const next = await blocks.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      failure = { error };
      return undefined;
    }
  };
  try {
    for (let block = await nextBlock(); block !== undefined; block = await nextBlock()) {
      for (const unnumbered of block) {
        const draft = withNumbers(unnumbered, defaults);
        if (steps !== undefined && (draft.step === undefined || !steps(draft.step))) {
          reportOtherStep(findings, file);
          continue;
        }
        const origin = draft.origin ?? options.origin;
        if (builder === undefined || origin !== current) {
          if (builder !== undefined && builder.length > 0) yield finish(builder);
          builder = start(origin);
          current = origin;
        }
        checkTokenIds(draft, file, findings);
        const misfit = findMisfit(draft);
        if (misfit !== undefined) {
          reportMisfit(findings, file, draft, misfit);
          continue;
        }
        checks.firstMaskTokens += draft.firstMaskTokens ?? 0;
        checks.ids.compared += draft.idsCompared?.tokens ?? 0;
        checks.ids.differ += draft.idsCompared?.differ ?? 0;
        builder.push(draft);
        if (builder.full) yield finish(builder);
      }
    }
  } finally {
    await blocks.return?.(undefined);
  }
  if (builder !== undefined && builder.length > 0) yield finish(builder);
  if (failure !== undefined) throw failure.error;
}
