/**
 * The files of a run read apart: on other threads and in any order, with the outcome of one thread that reads them one
 * after the other.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { ADAPTERS } from "../adapters/index.ts";
import type { SourceChecks } from "./alignment/index.ts";
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
import type { Source } from "./sources.ts";

/** A file of a run as plain data, by which another thread can read it. */
export type RunFile = Omit<ReadableSource, "adapter" | "document"> & { readonly adapter: string };

/** What all files of a run say together, before any of them is read: plain data. */
export interface RunFacts {
  /** The shift for `--align auto`, where a file is too small to tell by itself. */
  readonly runShift: number | undefined;
}

/** What reading one file came to, beside its batches. */
export interface FileOutcome {
  readonly tally: Tally;
  /** Of this file alone. */
  readonly findings: FindingLog;
  readonly checks: SourceChecks;
  /** Sums of its {@link ShiftScanner}; undefined where nobody asks for shifts. */
  readonly scan: Float64Array | undefined;
}

/** One file on its way to batches. */
export interface FileReading {
  /** May be called once. An error of the file is part of the outcome and not thrown. */
  batches(): AsyncGenerator<RecordBatch>;
  /** Of what was read so far. */
  outcome(): FileOutcome;
}

/** The files of a run, each to be read once. */
export interface RunFiles {
  /** In the order in which one thread reads them; `file` is undefined of those that only {@link read} can read. */
  readonly list: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly file: RunFile | undefined;
  }[];
  /** To be known before a file is read. */
  survey(): Promise<RunFacts>;
  /** Reads the file at a place of the list here. */
  read(place: number, facts: RunFacts, meter: Meter): FileReading;
  /** Adds what reading a file came to to the run: in the order of the list. */
  settle(place: number, outcome: FileOutcome): void;
  /**
   * Says what is said once all files are settled.
   *
   * @throws LogratioError the first one, when no file could be read
   * @throws EmptyInputError when no token of the whole input has mask 1
   */
  finish(): void;
  /** Closes what several files share. */
  close(): Promise<void>;
}

/** What `openRun` adds to the runs that it opens. */
export interface ReadApart {
  /** Undefined of what is read as a whole: the two sides of a pair. */
  files(): RunFiles | undefined;
}

/** The files of a run, to be read in place of its batches; undefined where they cannot be read apart. */
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
    survey: async () => ({ runShift: await findRunShift(sources, options) }),
    read: (place, facts, meter) =>
      readFile(sources[place]!, options, { ...facts, meter, companions, of: sources[place]! }),
    settle(place, outcome) {
      const { report } = sources[place]!;
      Object.assign(report.checks, outcome.checks);
      findings.addAll(outcome.findings);
      addTally(tally, outcome.tally);
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
      const context: SourceContext = { options, findings, runShift, companions, meter, tally, scanner };
      yield* readOne(source, context);
    },
    outcome: () => ({ tally, findings, checks: source.report.checks, scan: scanner?.sums() }),
  };
}

/** Undefined of what cannot be opened by its path again, or shares something with other files. */
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

function addTally(to: Tally, tally: Tally): void {
  to.batches += tally.batches;
  to.tokens += tally.tokens;
  to.masked += tally.masked;
  to.skipped += tally.skipped;
  to.firstError ??= tally.firstError;
}
