/**
 * Reads the files of a run separately, on other threads and in any order, with the same outcome as one thread that
 * reads them in sequence.
 *
 * @module
 */
import type { RecordBatch } from "../core/schema/index.ts";
import { FindingLog } from "../core/schema/index.ts";
import { ADAPTERS } from "../trainers/files/index.ts";
import type { SourceChecks } from "./alignment/source-checks.ts";
import type { ReadOptions } from "./options.ts";
import {
  type CompanionDocuments,
  companionDocuments,
  createScanner,
  emptyTally,
  type Meter,
  type ReadableSource,
  readOne,
  type SourceContext,
  type Tally,
} from "./read-one.ts";
import { findRunShift, finishSources, RunScans } from "./read-run.ts";
import { keysPerFile } from "./repeated-rows.ts";
import type { Source } from "./sources.ts";

/** A file of a run as plain data, so that another thread can read it. */
export type RunFile = Omit<ReadableSource, "adapter" | "document"> & { readonly adapter: string };

/** What is known about all files of a run together before they are read, as plain data. */
export interface RunFacts {
  /** The shift for `--align auto`, for files too small to determine it separately. */
  readonly runShift: number | undefined;
  /** See `keysPerFile`. */
  readonly mostKeys: number;
}

/** The outcome of reading one file, apart from its batches. */
export interface FileOutcome {
  readonly tally: Tally;
  /** Findings of this file alone. */
  readonly findings: FindingLog;
  readonly checks: SourceChecks;
  /** Sums of its {@link ShiftScanner}; undefined when shifts are not checked. */
  readonly scan: Float64Array | undefined;
}

/** One file on its way to batches. */
export interface FileReading {
  /** May be called once. An error of the file is part of the outcome and not thrown. */
  batches(): AsyncGenerator<RecordBatch>;
  /** The outcome of what was read so far. */
  outcome(): FileOutcome;
}

/** The files of a run, each to be read once. */
export interface RunFiles {
  /** In the order in which one thread reads them; `file` is undefined for those that only {@link read} can read. */
  readonly list: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly file: RunFile | undefined;
  }[];
  /** Needed before a file is read. */
  survey(): Promise<RunFacts>;
  /** Reads the file at an index of the list on this thread. */
  read(place: number, facts: RunFacts, meter: Meter): FileReading;
  /** Adds the outcome of reading a file to the run; call it in the order of the list. */
  settle(place: number, outcome: FileOutcome): void;
  /**
   * Makes the final checks once all files are settled.
   *
   * @throws LogratioError the first one, when no file could be read
   * @throws EmptyInputError when no token of the whole input has mask 1
   */
  finish(): void;
  /** Closes what several files share. */
  close(): Promise<void>;
}

/** What `openRun` adds to each run. */
export interface ReadApart {
  /** Undefined for what must be read as a whole: the two sides of a pair. */
  files(): RunFiles | undefined;
}

/** The files of a run, to be read instead of its batches; undefined when they cannot be read separately. */
export function splitRun(run: object & Partial<ReadApart>): RunFiles | undefined {
  return run.files?.();
}

const READERS = new Map(ADAPTERS.map((adapter) => [adapter.name, adapter]));

/** @param onSkipped called for each file that failed */
export function openRunFiles(
  sources: readonly Source[],
  options: ReadOptions,
  findings: FindingLog,
  onSkipped: () => void,
): RunFiles {
  const tally = emptyTally();
  const scans = new RunScans(sources);
  const companions = companionDocuments(options);
  return {
    list: sources.map((source) => ({
      name: source.report.file,
      bytes: source.report.bytes,
      file: toRunFile(source),
    })),
    survey: async () => ({
      runShift: await findRunShift(sources, options),
      mostKeys: keysPerFile(sources.length),
    }),
    read: (place, facts, meter) =>
      readFile(sources[place]!, options, { ...facts, meter, companions, of: sources[place]! }),
    settle(place, outcome) {
      const { report } = sources[place]!;
      Object.assign(report.checks, outcome.checks);
      findings.addAll(outcome.findings);
      tally.batches += outcome.tally.batches;
      tally.tokens += outcome.tally.tokens;
      tally.masked += outcome.tally.masked;
      tally.skipped += outcome.tally.skipped;
      tally.firstError ??= outcome.tally.firstError;
      for (let left = outcome.tally.skipped; left > 0; left--) onSkipped();
      if (outcome.scan !== undefined) scans.add(outcome.scan);
    },
    finish: () => finishSources(sources, options, { tally, scans, findings }),
    close: () => companions.close(),
  };
}

/** Reads a file that another thread found. */
export function readRunFile(
  { adapter, ...file }: RunFile,
  options: ReadOptions,
  facts: RunFacts,
  meter: Meter,
): FileReading {
  const reader = READERS.get(adapter);
  if (reader === undefined) throw new Error(`no adapter is called ${adapter}`);
  return readFile({ ...file, adapter: reader, document: undefined }, options, { ...facts, meter });
}

function readFile(
  source: ReadableSource,
  options: ReadOptions,
  {
    runShift,
    mostKeys,
    meter,
    ...shared
  }: RunFacts & { readonly meter: Meter; readonly companions?: CompanionDocuments; readonly of?: Source },
): FileReading {
  const tally = emptyTally();
  const findings = new FindingLog();
  const scanner = createScanner(options);
  return {
    async *batches() {
      const companions = shared.of === undefined ? [] : ((await shared.companions?.of(shared.of)) ?? []);
      const context: SourceContext = {
        ...{ options, findings, runShift, mostKeys, companions, meter, tally, scanner },
      };
      yield* readOne(source, context);
    },
    outcome: () => ({ tally, findings, checks: source.report.checks, scan: scanner?.sums() }),
  };
}

/** Undefined for files that cannot be opened again by path, or share something with other files. */
function toRunFile(source: Source): RunFile | undefined {
  const { report, adapter, file, defaults, shared, isOther, onePolicy, companions, document } = source;
  const isHere = document !== undefined || companions.length > 0;
  if (isHere || file.pipe === true || file.remote !== undefined || file.path === "-") return undefined;
  return {
    report,
    adapter: adapter.name,
    file,
    defaults,
    shared,
    isOther,
    onePolicy: onePolicy && { has: onePolicy.has },
  };
}
