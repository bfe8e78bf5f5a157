/**
 * From one source of a run to batches, with the outcome of reading it.
 *
 * @module
 */
import type { LogratioError } from "../core/base/index.ts";
import { DEFAULT_BATCH_TOKENS, type FindingLog, type RecordBatch } from "../core/schema/index.ts";
import { plural } from "../core/text/index.ts";
import type { Companion } from "../input/adapters/adapter.ts";
import type { SourceDocument } from "../input/io/index.ts";
import { ShiftScanner } from "./alignment/scan-shifts.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import type { OpenInput } from "./open-ahead.ts";
import { type OpenOptions, openWith } from "./open-document.ts";
import type { ReadOptions } from "./options.ts";
import { observedSource } from "./progress.ts";
import { packBatches } from "./read-source.ts";
import { reportSkipped } from "./select.ts";
import { openInput, type Source } from "./sources.ts";

/** Approximate number of elements of a column to read at a time. */
export const BLOCK_TOKENS = 1 << 18;

/** The part of a source that reading needs. */
export type ReadableSource = Pick<
  Source,
  "report" | "adapter" | "file" | "defaults" | "shared" | "document" | "isOther"
> & { readonly onePolicy: Pick<NonNullable<Source["onePolicy"]>, "has"> | undefined };

/** @param open replaces `openInput` */
export async function reopen(
  source: Pick<Source, "document" | "file" | "isOther">,
  options: ReadOptions,
  onBytes: (bytes: number) => void,
  { open, ...how }: OpenOptions & { readonly open?: OpenInput } = {},
): Promise<SourceDocument> {
  if (source.document !== undefined) return source.document;
  const input = await (open?.(source.file) ?? openInput(source.file, options.stdin));
  const document = await openWith("byteLength" in input ? observedSource(input, onBytes) : input, how);
  if (!source.isOther || document.otherwise === undefined) return document;
  await closeQuietly(document);
  return document.otherwise;
}

export interface CompanionDocuments {
  of(source: Pick<Source, "companions">): Promise<readonly Companion[]>;
  close(): Promise<void>;
}

/** Open companions, kept while consecutive sources share them: a step's ranks share one rollout dump. */
export function companionDocuments(options: ReadOptions): CompanionDocuments {
  const open = new Map<string, Promise<SourceDocument>>();
  const close = async (keep: ReadonlySet<string>): Promise<void> => {
    for (const [path, document] of open) {
      if (keep.has(path)) continue;
      open.delete(path);
      await closeQuietly(await document.catch(() => undefined));
    }
  };
  return {
    async of({ companions }) {
      await close(new Set(companions.map(({ file }) => file.path)));
      return companions.map((companion) => ({
        file: companion.report.file,
        facts: companion.part,
        open() {
          const { path } = companion.file;
          const known = open.get(path) ?? reopen(companion, options, () => {});
          open.set(path, known);
          return known;
        },
      }));
    },
    close: () => close(new Set()),
  };
}

/** Counts of what was read, of one source or a whole run. */
export interface Tally {
  batches: number;
  /** All tokens, whatever their mask. */
  tokens: number;
  /** Tokens with mask 1. */
  masked: number;
  /** Sources that failed; what was read of them before the failure counts. */
  skipped: number;
  firstError: LogratioError | undefined;
}

export function emptyTally(): Tally {
  return { batches: 0, tokens: 0, masked: 0, skipped: 0, firstError: undefined };
}

/** Receives the progress of reading. */
export interface Meter {
  begin(file: string): void;
  addBytes(bytes: number): void;
  addSequences(sequences: number): void;
  /** @param bytes size of the whole file: skipped parts count as read */
  end(bytes: number): void;
}

export interface SourceContext {
  readonly options: ReadOptions;
  readonly findings: FindingLog;
  /** The shift for `--align auto` of a run whose files are too small to determine it separately. */
  readonly runShift: number | undefined;
  /** See `PackOptions.mostKeys`. */
  readonly mostKeys: number;
  readonly companions: readonly Companion[];
  readonly meter: Meter;
  /** Counts are added to it. */
  readonly tally: Tally;
  readonly scanner: ShiftScanner | undefined;
  /** Opens the document of the source; default {@link reopen}. */
  readonly openDocument?: (onBytes: (bytes: number) => void) => Promise<SourceDocument>;
}

/** The scanner for one file; undefined when shifts are not checked. */
export function createScanner(options: ReadOptions): ShiftScanner | undefined {
  return options.align === "none" || isOneSided(options) ? undefined : new ShiftScanner();
}

/** One column was named for both sides on purpose, so there is nothing to align. */
function isOneSided({ oneSide, mapping }: ReadOptions): boolean {
  return oneSide === true && mapping?.rollout !== undefined && mapping.rollout === mapping.trainer;
}

/** Batches of one source; a failure is reported, and earlier batches count. */
export async function* readOne(source: ReadableSource, context: SourceContext): AsyncGenerator<RecordBatch> {
  const { report, adapter } = source;
  const { options, findings, meter, tally } = context;
  meter.begin(report.file);
  let document: SourceDocument | undefined;
  let kept = 0;
  try {
    const onBytes = (bytes: number): void => meter.addBytes(bytes);
    document = await (context.openDocument?.(onBytes) ?? reopen(source, options, onBytes));
    const reading = await adapter.read(document, {
      findings,
      mapping: options.mapping,
      blockTokens: BLOCK_TOKENS,
      keepDetails: options.keepDetails,
      onlyRow: options.onlyRow,
      companions: context.companions,
      shared: source.shared,
    });
    const provenance = {
      file: report.file,
      format: report.format,
      trainer: reading.trainer ?? adapter.name,
      alignment: reading.alignment,
      ...((reading.masks?.length ?? 0) > 1 && { masks: reading.masks! }),
    };
    report.checks.masks = reading.masks;
    for await (const batch of packBatches(reading, {
      findings,
      batchTokens: options.batchTokens ?? DEFAULT_BATCH_TOKENS,
      keepDetails: options.keepDetails,
      steps: options.steps,
      defaults: source.defaults,
      origin: { provenance, sampling: reading.sampling },
      columns: report.found,
      checks: report.checks,
      align: options.align,
      runShift: context.runShift,
      mostKeys: context.mostKeys,
      scanner: context.scanner,
      isOneSided: isOneSided(options),
      allowPositive: options.allowPositive,
      onePolicy: source.onePolicy?.has,
      onMasked: (tokens) => {
        tally.masked += tokens;
      },
    })) {
      tally.batches++;
      tally.tokens += batch.responseMask.length;
      kept += batch.length;
      meter.addSequences(batch.length);
      yield batch;
    }
  } catch (error) {
    const failure = containFileError(error, report.file);
    tally.firstError ??= failure;
    tally.skipped++;
    reportSkipped(findings, report.file, failure, kept);
  } finally {
    if (document !== undefined) noteInvalidText(document, findings);
    await closeQuietly(document);
  }
  meter.end(report.bytes);
}

/** Invalid UTF-8 is read as U+FFFD: figures are right, but texts differ from what was written. */
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
