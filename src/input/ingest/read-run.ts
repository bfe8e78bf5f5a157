/**
 * Sources to batches, one after the other.
 *
 * @module
 */

import { EmptyInputError, type LogratioError } from "../../core/base/index.ts";
import type { FindingLog, RecordBatch } from "../../core/schema/index.ts";
import { DEFAULT_BATCH_TOKENS } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { SourceDocument } from "../io/index.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import { openDocument } from "./open-document.ts";
import type { ReadOptions } from "./options.ts";
import { observedSource } from "./progress.ts";
import { packBatches } from "./read-source.ts";
import { reportSkipped } from "./select.ts";
import { openInput, type Source } from "./sources.ts";

/** About how many elements of one column are read at a time. */
export const BLOCK_TOKENS = 1 << 20;

export async function reopen(
  source: Source,
  options: ReadOptions,
  onBytes: (bytes: number) => void,
): Promise<SourceDocument> {
  if (source.document !== undefined) return source.document;
  const input = await openInput(source.file, options.stdin);
  return openDocument("byteLength" in input ? observedSource(input, onBytes) : input);
}

/** What was read, of all sources of a run together. */
export interface Tally {
  batches: number;
  /** Tokens of any mask. */
  tokens: number;
  /** Tokens with mask 1. */
  masked: number;
  firstError: LogratioError | undefined;
}

export function emptyTally(): Tally {
  return { batches: 0, tokens: 0, masked: 0, firstError: undefined };
}

/**
 * Batches of sources one after the other; a source that fails is reported and passed over.
 *
 * @param tally of what was read of the run before: the run as a whole must have something in it
 */
export async function* readSources(
  sources: readonly Source[],
  options: ReadOptions,
  findings: FindingLog,
  onSkipped: () => void,
  tally: Tally = emptyTally(),
): AsyncGenerator<RecordBatch> {
  const bytesTotal = sources.reduce((sum, { report }) => sum + report.bytes, 0);
  const meter = { sequences: 0, bytesRead: 0 };
  for (const source of sources) {
    const { report, adapter } = source;
    const before = meter.bytesRead;
    const tell = (): void =>
      options.onProgress?.({
        bytesRead: meter.bytesRead,
        bytesTotal,
        sequences: meter.sequences,
        file: report.file,
      });
    let document: SourceDocument | undefined;
    let kept = 0;
    try {
      document = await reopen(source, options, (bytes) => {
        meter.bytesRead += bytes;
        tell();
      });
      const reading = await adapter.read(document, {
        findings,
        mapping: options.mapping,
        blockTokens: BLOCK_TOKENS,
      });
      const provenance = {
        file: report.file,
        format: report.format,
        trainer: reading.trainer ?? adapter.name,
        alignment: reading.alignment,
      };
      for await (const batch of packBatches(reading, {
        findings,
        batchTokens: options.batchTokens ?? DEFAULT_BATCH_TOKENS,
        steps: options.steps,
        defaults: source.defaults,
        origin: { provenance, sampling: reading.sampling },
        columns: report.found,
        onePolicy: source.onePolicy?.has,
        onMasked: (tokens) => {
          tally.masked += tokens;
        },
      })) {
        tally.batches++;
        tally.tokens += batch.responseMask.length;
        meter.sequences += batch.length;
        kept += batch.length;
        tell();
        yield batch;
      }
    } catch (error) {
      const failure = containFileError(error, report.file);
      tally.firstError ??= failure;
      onSkipped();
      reportSkipped(findings, report.file, failure, kept);
    } finally {
      if (document !== undefined) noteInvalidText(document, findings);
      await closeQuietly(document);
    }
    meter.bytesRead = before + report.bytes;
    tell();
  }
  if (tally.batches === 0 && tally.firstError !== undefined) throw tally.firstError;
  checkMasked(tally, sources, options);
}

/** Text that is no UTF-8 is read with U+FFFD in its place: figures stand, texts are not what was written. */
export function noteInvalidText(document: SourceDocument, findings: FindingLog): void {
  const found = document.invalidText?.();
  if (found === undefined) return;
  const { rows, ...place } = found;
  findings.add({
    code: "invalid-text",
    severity: "warning",
    count: rows,
    at: { file: document.file, ...place },
    likely: "the file was truncated within a character, or is not encoded in UTF-8",
    describe: (count) =>
      `${plural(count, "row holds", "rows hold")} bytes that are not UTF-8: read as U+FFFD`,
  });
}

export function checkMasked(
  { masked, tokens, batches }: Pick<Tally, "masked" | "tokens" | "batches">,
  sources: readonly Source[],
  { steps }: ReadOptions,
): void {
  if (masked > 0) return;
  const at = { file: sources[0]?.report.file ?? "" };
  if (batches > 0 && tokens === 0) {
    throw new EmptyInputError("no sequence in the whole input has a token", {
      at,
      likely: "every response is empty",
    });
  }
  if (batches > 0) {
    throw new EmptyInputError("no token in the whole input has mask 1", {
      at,
      likely: "the mask is empty or inverted",
      hint: "name the right column: --mask COLUMN",
    });
  }
  throw new EmptyInputError(
    steps === undefined ? "the input has no sequences" : "the input has no sequences of the requested steps",
    steps === undefined ? { at, likely: "the files were written before anything was sampled" } : { at },
  );
}
