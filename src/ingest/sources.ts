/**
 * From files to sources: each file is opened once, recognized and described; reading comes later.
 *
 * @module
 */
import { resolve } from "node:path";
import { isLogratioError, type LogratioError } from "../core/base/index.ts";
import type { FindingLog } from "../core/schema/index.ts";
import type { Adapter, Match, OnePolicy } from "../input/adapters/adapter.ts";
import { unrecognised } from "../input/adapters/generic/index.ts";
import {
  type ByteSource,
  type ByteStream,
  type FormatName,
  openFile,
  openPipe,
  openStandardInput,
  type SourceDocument,
} from "../input/io/index.ts";
import { isRemote } from "../input/remote/index.ts";
import { emptyChecks, type SourceChecks } from "./alignment/source-checks.ts";
import { closeQuietly, containFileError } from "./contain.ts";
import { type FileNumbers, fileNumbers, runName, stem } from "./file-numbers.ts";
import { listOpaqueValues } from "./opaque-values.ts";
import type { OpenInput } from "./open-ahead.ts";
import { openWith } from "./open-document.ts";
import { nameDocument } from "./other-files/by-names.ts";
import { OtherFileError, otherFileError } from "./other-files/other-file.ts";
import { type RecogniseOptions, recognise } from "./recognise.ts";
import { nameSeries } from "./series/name.ts";
import type { FoundFile } from "./walk.ts";

/** One file of a run, for `--explain`. */
export interface SourceReport {
  /** The path, as it was given or found. */
  readonly file: string;
  /** Size on disk, in bytes. */
  readonly bytes: number;
  /** The file format. */
  readonly format: FormatName;
  /** The adapter's name. */
  readonly trainer: string;
  /** Name of the run that the file belongs to. */
  readonly run: string;
  /** Training step that the file names; undefined when it names none. */
  readonly step: number | undefined;
  /** Data-parallel rank; undefined when it names none. */
  readonly rank: number | undefined;
  /** What was recognized, one line each. */
  readonly found: readonly string[];
  /** What was assumed, one line each. */
  readonly guessed: readonly string[];
  /** What it lacks that other files have, one line each. */
  readonly missing: readonly string[];
  /** What was found in its data; grows while the file is read. */
  readonly checks: SourceChecks;
}

export interface Source {
  readonly report: SourceReport;
  readonly adapter: Adapter;
  readonly file: FoundFile;
  /** Whether all sequences have the report's step; the first rows of a file of rows do not prove that. */
  readonly stepIsCertain: boolean;
  /** Step and rank for sequences without their own. */
  readonly defaults: FileNumbers;
  /** Why a recognized file cannot be read on its own. */
  readonly problem: LogratioError | undefined;
  /** What detection returned for `Adapter.join`. */
  readonly part: unknown;
  /** Files of the run that complete this one; they are not sources themselves. */
  readonly companions: readonly Source[];
  /** What `Adapter.join` returned about the other files. */
  readonly shared: unknown;
  /** The only policy whose log-probs it has, if it has one only. */
  readonly onePolicy: OnePolicy | undefined;
  /**
   * The document, kept from detection when opening it again is impossible (standard input) or expensive (one large JSON
   * object).
   */
  readonly document: SourceDocument | undefined;
  /** Whether to read it as `otherwise` of the opened document. */
  readonly isOther: boolean;
}

/** A file that could not be opened or recognized. */
export interface Failure {
  readonly file: FoundFile;
  readonly error: LogratioError;
  readonly recognised: boolean;
}

export interface ExamineOptions extends RecogniseOptions {
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  readonly findings: FindingLog;
  /** Replaces {@link openInput}. */
  readonly open?: OpenInput | undefined;
}

export async function openInput(
  file: FoundFile,
  stdin: AsyncIterable<Uint8Array> | undefined,
): Promise<ByteSource | ByteStream> {
  if (file.path === "-") return { name: "-", bytes: stdin ?? openStandardInput() };
  if (file.remote !== undefined) return file.remote.open();
  return file.pipe === true ? openPipe(file.path) : openFile(file.path);
}

/** Numbers in the file take precedence over its name; a contradiction is reported. */
function reconcile(
  match: Match,
  file: FoundFile,
  findings: FindingLog,
): { step: number | undefined; rank: number | undefined; named: FileNumbers } {
  const named = fileNumbers(file.path);
  for (const part of ["step", "rank"] as const) {
    const inside = match[part];
    const outside = named[part];
    if (inside === undefined || outside === undefined || inside === outside) continue;
    findings.add({
      code: "note",
      severity: "warning",
      subject: `${part} in the name`,
      count: 1,
      at: { file: file.path },
      likely: "the file was renamed or copied",
      describe: (count) =>
        `${count === 1 ? "the name" : `${count} names`} of ${file.path} ${count === 1 ? "says" : "and others say"} ${part} ${outside}, the content says ${inside}: the content counts`,
    });
  }
  return { step: match.step ?? named.step, rank: match.rank ?? named.rank, named };
}

/** Opens a file and recognizes what it holds. */
export async function examine(file: FoundFile, options: ExamineOptions): Promise<Source | Failure> {
  let document: SourceDocument | undefined;
  let kept = false;
  try {
    const input = await (options.open?.(file) ?? openInput(file, options.stdin));
    const bytes = "byteLength" in input ? input.byteLength : 0;
    document = await openWith(input, { forSample: true });
    const recognised = await recognise(document, options);
    if (recognised === undefined) {
      const error =
        otherFileError(file.path, nameSeries(document) ?? nameDocument(document)) ?? unrecognised(document);
      return { file, error, recognised: false };
    }
    const { adapter, match } = recognised;
    const isOther = recognised.document !== document;
    if (isOther) {
      await closeQuietly(document);
      document = recognised.document;
    }
    kept = file.pipe === true || (document.kind === "tree" && document.format === "json");
    const { step, rank, named } = reconcile(match, file, options.findings);
    const report: SourceReport = {
      file: file.path,
      bytes,
      format: document.format,
      trainer: adapter.name,
      run:
        file.path === "-"
          ? "-"
          : runName(isRemote(file.root) ? file.root : resolve(file.root), file.relative),
      step,
      rank,
      found: match.found,
      guessed: [...match.guessed, ...listOpaqueValues(document)],
      missing: match.missing,
      checks: emptyChecks(),
    };
    return {
      report,
      adapter,
      file,
      stepIsCertain: document.kind === "tree" || named.step === step,
      defaults: document.kind === "tree" ? { step, rank } : named,
      problem: match.problem ?? match.onePolicy?.error,
      part: match.part,
      companions: [],
      shared: undefined,
      onePolicy: match.problem === undefined ? match.onePolicy : undefined,
      document: kept ? document : undefined,
      isOther,
    };
  } catch (error) {
    // The caller's options are wrong for every file.
    if (isLogratioError(error, "UsageError")) throw error;
    const recognised = !(error instanceof OtherFileError) || error.standsForData;
    return { file, error: containFileError(error, file.path), recognised };
  } finally {
    if (!kept) await closeQuietly(document);
  }
}

export function isFailure(examined: Source | Failure): examined is Failure {
  return "error" in examined;
}

const collator = new Intl.Collator("en", { numeric: true });

/** The sort key of a source. */
export interface SourcePlace {
  readonly run: string;
  readonly step?: number | null | undefined;
  readonly rank?: number | null | undefined;
  readonly file: string;
}

/** Sorts by run, step, rank and name (`run`, `run-1`, `run-2`); missing numbers come first. */
export function compareReports(a: SourcePlace, b: SourcePlace): number {
  return (
    collator.compare(a.run, b.run) ||
    (a.step ?? -1) - (b.step ?? -1) ||
    (a.rank ?? -1) - (b.rank ?? -1) ||
    collator.compare(stem(a.file), stem(b.file))
  );
}

export function compareSources(a: Source, b: Source): number {
  return compareReports(a.report, b.report);
}
