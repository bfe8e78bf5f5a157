/**
 * Sources to batches, one after the other.
 *
 * @module
 */

import { EmptyInputError, type LogratioError, SchemaError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { DEFAULT_BATCH_TOKENS, FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { Companion } from "../adapters/index.ts";
import type { SourceDocument } from "../io/index.ts";
import {
  ENOUGH_TOKENS,
  emptyChecks,
  findContradiction,
  reportShift,
  type ShiftScan,
  ShiftScanner,
} from "./alignment/index.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import { openDocument } from "./open-document.ts";
import type { ReadOptions } from "./options.ts";
import { packDrafts } from "./pack-drafts.ts";
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
  const document = await openDocument("byteLength" in input ? observedSource(input, onBytes) : input);
  if (!source.isOther || document.otherwise === undefined) return document;
  await closeQuietly(document);
  return document.otherwise;
}

/** Companions that are open, for as long as consecutive sources share them: a step's ranks share one rollout dump. */
function companionDocuments(options: ReadOptions): {
  of(source: Source): Promise<readonly Companion[]>;
  close(): Promise<void>;
} {
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
  const runScanner =
    sources.length > 1 && options.align !== "none" && !isOneSided(options) ? new ShiftScanner() : undefined;
  const runShift = options.align === "auto" ? await findRunShift(sources, options) : undefined;
  const companions = companionDocuments(options);
  try {
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
          keepDetails: options.keepDetails,
          companions: await companions.of(source),
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
          runShift,
          runScanner,
          isOneSided: isOneSided(options),
          keepOdd: options.keepOdd,
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
  } finally {
    await companions.close();
  }
  if (tally.batches === 0 && tally.firstError !== undefined) throw tally.firstError;
  reportRunShift(sources, runScanner?.finish(), findings);
  checkMasked(tally, sources, options, findings);
}

/** One column was named for both sides on purpose: there is nothing to align. */
function isOneSided({ oneSide, mapping }: ReadOptions): boolean {
  return oneSide === true && mapping?.rollout !== undefined && mapping.rollout === mapping.trainer;
}

/** What small files do not tell by themselves, all of them together may. */
function reportRunShift(sources: readonly Source[], scan: ShiftScan | undefined, findings: FindingLog): void {
  const checks = sources.map(({ report }) => report.checks);
  if (scan?.found === undefined || checks.some((of) => of.scan?.found !== undefined)) return;
  const maskedTokens = checks.reduce((sum, of) => sum + of.maskedTokens, 0);
  reportShift({
    findings,
    file: sources[0]!.report.file,
    checks: { scan, maskedTokens, shift: checks[0]!.shift },
  });
  for (const of of checks) of.scan = scan;
}

/** The shift that the beginnings of files show together, for `--align auto`; what can be read once only is not looked at. */
async function findRunShift(sources: readonly Source[], options: ReadOptions): Promise<number> {
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
      // Reported when it is this file's turn to be read.
      containFileError(error, source.report.file);
    } finally {
      await closeQuietly(document);
    }
  }
  const { found } = scanner.finish();
  return found?.scope === "all" && typeof found.offset === "number" ? found.offset : 0;
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
  // There were rows, and what is wrong with them is the answer.
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
