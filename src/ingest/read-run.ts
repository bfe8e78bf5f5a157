/**
 * From sources to batches, one after the other.
 *
 * @module
 */

import { EmptyInputError, SchemaError } from "../core/base/index.ts";
import { FindingLog, type RecordBatch } from "../core/schema/index.ts";
import type { SourceDocument } from "../input/io/index.ts";
import { findContradiction } from "./alignment/report-masks.ts";
import { reportShift } from "./alignment/report-shift.ts";
import { ENOUGH_TOKENS, readScan, ShiftScanner } from "./alignment/scan-shifts.ts";
import { emptyChecks, type SourceChecks } from "./alignment/source-checks.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import { decodeAhead } from "./decode-ahead.ts";
import { openAhead } from "./open-ahead.ts";
import type { ReadOptions } from "./options.ts";
import { packDrafts } from "./pack-drafts.ts";
import {
  BLOCK_TOKENS,
  companionDocuments,
  createScanner,
  emptyTally,
  type Meter,
  readOne,
  reopen,
  type Tally,
} from "./read-one.ts";
import { reportRecorders } from "./recorders.ts";
import { keysPerFile, reportRowsAcross } from "./repeated-rows.ts";
import { openInput, type Source } from "./sources.ts";

/**
 * Batches of sources one after the other; a source that fails is reported and skipped.
 *
 * @param tally counts of what was already read of the run, which must not be empty as a whole
 */
export async function* readSources(
  sources: readonly Source[],
  options: ReadOptions,
  findings: FindingLog,
  onSkipped: () => void,
  tally: Tally = emptyTally(),
): AsyncGenerator<RecordBatch> {
  const meter = createMeter(sources, options);
  const scans = new RunScans(sources);
  const runShift = await findRunShift(sources, options);
  const companions = companionDocuments(options);
  const unopened = sources.filter(({ document }) => document === undefined);
  const ahead = openAhead(
    unopened.map(({ file }) => file),
    (file) => openInput(file, options.stdin),
  );
  const documents = decodeAhead(sources, (source, onBytes, onDecoding) =>
    reopen(source, options, onBytes, { open: ahead.open, ...(onDecoding && { onDecoding }) }),
  );
  try {
    for (const source of sources) {
      const { skipped } = tally;
      const scanner = createScanner(options);
      yield* readOne(source, {
        options,
        findings,
        runShift,
        mostKeys: keysPerFile(sources.length),
        companions: await companions.of(source),
        meter,
        tally,
        scanner,
        openDocument: (onBytes) => documents.open(source, onBytes),
      });
      if (tally.skipped > skipped) onSkipped();
      if (scanner !== undefined) scans.add(scanner.sums());
    }
  } finally {
    await documents.close();
    await ahead.close();
    await companions.close();
  }
  finishSources(sources, options, { tally, scans, findings });
}

/** The checks once all sources are read. @throws LogratioError when nothing could be read, or no token */
export function finishSources(
  sources: readonly Source[],
  options: ReadOptions,
  { tally, scans, findings }: { tally: Tally; scans: RunScans; findings: FindingLog },
): void {
  if (tally.batches === 0 && tally.firstError !== undefined) throw tally.firstError;
  reportRunShift(sources, scans.sums(), findings);
  checkMasked(tally, sources, options, findings);
}

/** Reports what only the files of a run together show, once all of them are read. */
export function reportAcross(sources: readonly Pick<Source, "report">[], findings: FindingLog): void {
  reportRecorders(
    sources.map(({ report }) => ({ file: report.file, recordings: report.checks.recordings })),
    findings,
  );
  reportRowsAcross(
    sources.map(({ report }) => ({ file: report.file, rowKeys: report.checks.rowKeys })),
    findings,
  );
}

/** Calls `onProgress` for sources that are read one after the other. */
function createMeter(sources: readonly Source[], { onProgress }: ReadOptions): Meter {
  const bytesTotal = sources.reduce((sum, { report }) => sum + report.bytes, 0);
  let [bytesRead, bytesBefore, sequences, file] = [0, 0, 0, ""];
  const tell = (): void => onProgress?.({ bytesRead, bytesTotal, sequences, file });
  return {
    begin(name) {
      bytesBefore = bytesRead;
      file = name;
    },
    addBytes(bytes) {
      bytesRead += bytes;
      tell();
    },
    addSequences(count) {
      sequences += count;
      tell();
    },
    end(bytes) {
      bytesRead = bytesBefore + bytes;
      tell();
    },
  };
}

/** Combines the scans of a run's files, added in the order of the files until there are enough tokens. */
export class RunScans {
  readonly #scanner: ShiftScanner | undefined;
  #isEmpty = true;

  /** A single file has its own scan. */
  constructor(sources: readonly unknown[]) {
    this.#scanner = sources.length > 1 ? new ShiftScanner() : undefined;
  }

  add(sums: ArrayLike<number>): void {
    if (this.#scanner === undefined || this.#scanner.hasEnough) return;
    this.#scanner.addSums(sums);
    this.#isEmpty = false;
  }

  /** Undefined without a scan, and for a single file. */
  sums(): Float64Array | undefined {
    return this.#isEmpty ? undefined : this.#scanner?.sums();
  }
}

/** Small files that are undecidable separately may be decidable together. */
function reportRunShift(
  sources: readonly Source[],
  sums: Float64Array | undefined,
  findings: FindingLog,
): void {
  const checks = sources.map(({ report }) => report.checks);
  const scan = sums && readScan(sums);
  if (scan?.found === undefined || checks.some(hasShift)) return;
  const maskedTokens = checks.reduce((sum, of) => sum + of.maskedTokens, 0);
  reportShift({
    findings,
    file: sources[0]!.report.file,
    scan,
    checks: { maskedTokens, shift: checks[0]!.shift },
  });
  for (const of of checks) of.scanSums = sums;
}

function hasShift({ scanSums }: { readonly scanSums?: ArrayLike<number> | null | undefined }): boolean {
  return scanSums != null && readScan(scanSums).found !== undefined;
}

/**
 * {@link SourceChecks} of a file that was read separately, in JSON form; `scanSums` is null when shifts were not
 * checked. Keys of sequences are left out: a part is a few kilobytes, however many sequences its file has.
 */
export interface KeptChecks extends Omit<SourceChecks, "masks" | "scanSums" | "rowKeys"> {
  readonly masks?: readonly string[];
  readonly scanSums: readonly number[] | null;
}

/** @param checks checks of a source that was read to its end */
export function keepChecks({ masks, scanSums, rowKeys: _, ...checks }: SourceChecks): KeptChecks {
  return { ...checks, ...(masks && { masks }), scanSums: scanSums === undefined ? null : [...scanSums] };
}

/**
 * The finding that separately read files support only together, as a single process that reads all of them would report
 * it.
 * @param files in the order of the run
 * @returns the checks of each file, with the scan of all; undefined when there is no such finding
 */
export function reportSharedShift(
  files: readonly { readonly file: string; readonly checks: KeptChecks }[],
  findings: FindingLog,
): SourceChecks[] | undefined {
  const scans = new RunScans(files);
  for (const { checks } of files) {
    if (hasShift(checks)) return undefined;
    if (checks.scanSums !== null) scans.add(checks.scanSums);
  }
  const scanSums = scans.sums();
  const scan = scanSums && readScan(scanSums);
  const [first] = files;
  if (first === undefined || scan?.found === undefined) return undefined;
  const maskedTokens = files.reduce((sum, { checks }) => sum + checks.maskedTokens, 0);
  const { file, checks } = first;
  reportShift({ findings, file, scan, checks: { maskedTokens, shift: checks.shift } });
  return files.map(({ checks: { masks, ...kept } }) => ({ ...kept, masks, scanSums }));
}

/**
 * The shift that the beginnings of files show together, for `--align auto`; sources that can be read only once are
 * left out.
 */
export async function findRunShift(
  sources: readonly Source[],
  options: ReadOptions,
): Promise<number | undefined> {
  if (options.align !== "auto") return undefined;
  const scanner = new ShiftScanner();
  for (const source of sources) {
    if (scanner.hasEnough) break;
    if (source.document !== undefined || source.file.pipe === true) continue;
    let document: SourceDocument | undefined;
    try {
      document = await reopen(source, options, () => {});
      const findings = new FindingLog();
      const context = { findings, mapping: options.mapping, blockTokens: BLOCK_TOKENS };
      const reading = await source.adapter.read(document, context);
      const provenance = { ...source.report, alignment: reading.alignment };
      for await (const batch of packDrafts(reading, {
        findings,
        batchTokens: ENOUGH_TOKENS,
        keepDetails: false,
        steps: options.steps,
        defaults: source.defaults,
        origin: { provenance, sampling: reading.sampling },
        checks: emptyChecks(),
        onePolicy: source.onePolicy?.has,
      })) {
        scanner.add(batch);
        if (scanner.hasEnough) break;
      }
    } catch (error) {
      // Reported later, when this file is read.
      containFileError(error, source.report.file);
    } finally {
      await closeQuietly(document);
    }
  }
  const { found } = scanner.finish();
  return found?.scope === "all" && typeof found.offset === "number" ? found.offset : 0;
}

export function checkMasked(
  { masked, tokens, batches }: Pick<Tally, "masked" | "tokens" | "batches">,
  sources: readonly Source[],
  { steps }: ReadOptions,
  findings: FindingLog,
): void {
  if (masked > 0) return;
  const at = { file: sources[0]?.report.file ?? "" };
  if (batches > 0 && tokens === 0) {
    throw new EmptyInputError("no sequence in the whole input has a token", {
      at,
      likely: "every response is empty",
    });
  }
  const contradiction = sources.map(({ report }) => findContradiction(report.checks)).find(Boolean);
  if (contradiction !== undefined) {
    const { message, ...advice } = contradiction;
    throw new EmptyInputError(message, { at, ...advice });
  }
  if (batches > 0) {
    throw new EmptyInputError("no token in the whole input has mask 1", {
      at,
      likely: "the mask is empty or inverted",
      hint: "name the right column: --mask COLUMN",
    });
  }
  // There were rows; the error about them says why nothing could be read.
  const unread = findings
    .list()
    .find(({ omits }) => omits?.unit === "sequence" && omits.why === "unreadable");
  if (unread !== undefined) {
    const { message, at: place, likely, hint } = unread;
    throw new SchemaError(message, {
      at: place,
      ...(likely !== undefined && { likely }),
      ...(hint !== undefined && { hint }),
    });
  }
  throw new EmptyInputError(
    steps === undefined ? "the input has no sequences" : "the input has no sequences of the requested steps",
    steps === undefined ? { at, likely: "the files were written before anything was sampled" } : { at },
  );
}
