/**
 * Paths to a run: which files belong to it, and its batches in order.
 *
 * @module
 */
import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { dropDuplicates } from "./duplicates.ts";
import type { ReadOptions } from "./options.ts";
import { readPaired, readSources } from "./read-run.ts";
import { reportWalk } from "./report-walk.ts";
import { dropCopies, dropRepeated } from "./same-files.ts";
import { listSome, nothingToRead, reportIgnored, reportUnstable, type Selection, select } from "./select.ts";
import { compareSources, type examine, type Failure, type Source, type SourceReport } from "./sources.ts";
import { walk } from "./walk.ts";

export interface Run {
  readonly name: string;
  /** Names of the runs that were pooled; one unless the paths hold several. */
  readonly runs: readonly string[];
  /** In the order in which they are read. */
  readonly sources: readonly SourceReport[];
  /** Files that hold no recorded log-probs, by name or by content. */
  readonly ignored: readonly string[];
  /** Grows while batches are read. */
  readonly findings: FindingLog;
  /** Files that were left out because of an error. */
  readonly skipped: number;
  /**
   * Batches in the order of steps and ranks. May be called once.
   *
   * @throws LogratioError the first one, when no file could be read
   * @throws EmptyInputError when no token of the whole input has mask 1
   */
  batches(): AsyncGenerator<RecordBatch>;
}

function isPairing(sources: readonly Source[], failures: readonly Failure[], options: ReadOptions): boolean {
  if (options.pair !== undefined) return options.pair;
  return (
    failures.length === 0 &&
    sources.length === 2 &&
    sources.every(
      ({ adapter, file, problem }) =>
        adapter.name === "pair" && file.relative === "" && problem !== undefined,
    )
  );
}

function pairReport(source: Source, side: "rollout" | "trainer"): SourceReport {
  const order = side === "rollout" ? "first" : "second";
  return {
    ...source.report,
    trainer: "pair",
    guessed: [...source.report.guessed, `the ${side} side, because it was given ${order}`],
  };
}

/**
 * Opens what the paths hold as one run: files, directories of files, `-` for standard input. Nothing but the
 * beginnings of files is read until {@link Run.batches}.
 *
 * @throws NotFoundError when a path does not exist
 * @throws UsageError when options contradict the paths
 * @throws LogratioError the first error, when nothing could be recognized
 */
export async function openRun(paths: readonly string[], options: ReadOptions = {}): Promise<Run> {
  const opened = await openGroups(paths, options);
  if (!("groups" in opened)) return opened;
  const { name, sources } = await pooled(paths, opened);
  return makeRun(name, sources, opened.findings, opened, options);
}

/** All groups as one run, in which nothing counts twice. */
export async function pooled(
  paths: readonly string[],
  { groups, findings }: Groups,
): Promise<{ readonly name: string; readonly sources: readonly Source[] }> {
  const names = [...groups.keys()];
  if (names.length > 1) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "pooled runs",
      count: names.length,
      at: { file: paths[0]! },
      hint: "give the folder of one run, or compare two of them",
      describe: (count) => `the files belong to ${count} runs (${listSome(names)}) but are read as one`,
    });
  }
  return { name: names.join("+"), sources: await dropCopies([...groups.values()].flat(), findings) };
}

/** As {@link openRun}, but the runs found side by side in a directory stay apart, in the order of their names. */
export async function openRuns(paths: readonly string[], options: ReadOptions = {}): Promise<Run[]> {
  const opened = await openGroups(paths, options);
  if (!("groups" in opened)) return [opened];
  return [...opened.groups].map(([name, sources]) => {
    const findings = new FindingLog();
    for (const finding of opened.findings.list()) {
      findings.add({ ...finding, subject: finding.message, describe: () => finding.message });
    }
    return makeRun(name, sources, findings, opened, options);
  });
}

export interface Groups {
  readonly groups: ReadonlyMap<string, readonly Source[]>;
  readonly findings: FindingLog;
  readonly ignored: readonly string[];
  readonly stable: ReadonlySet<string>;
}

/**
 * The sources of each run, or the one run that a pair of files is.
 *
 * @param examineFile of a run that grows, instead of `examine`: what is not there may come
 * @throws EmptyInputError when a run that grows has no file of the wanted steps; of others that is wrong usage
 */
export async function openGroups(
  paths: readonly string[],
  options: ReadOptions,
  examineFile?: typeof examine,
): Promise<Groups | Run> {
  if (paths.length === 0) {
    throw new UsageError("no path was given", { hint: "give a file, a directory, or - for standard input" });
  }
  const findings = new FindingLog();
  checkMapping(options);
  const found = await walk(paths);
  reportWalk(found, findings);
  const { files, repeated } = await dropRepeated(found.files, findings);
  const walked = { ...found, files };
  const selection = await select(walked, { ...options, findings }, examineFile);
  const { sources, failures, ignored } = selection;
  if (repeated.length > 0 && isPairing([...sources, ...sources], failures, options)) refuseSameSides(paths);
  if (isPairing(sources, failures, options)) return openPair(paths, selection, options, findings);
  const readable = sources.filter(({ problem }) => problem === undefined);
  if (readable.length === 0) {
    throw failures.length === 0 && walked.unreadable[0] !== undefined
      ? walked.unreadable[0].error
      : nothingToRead(paths, walked, selection);
  }
  reportIgnored(walked, selection, findings);
  const wanted = ofSteps(readable, options, examineFile === undefined ? UsageError : EmptyInputError);
  reportOtherSteps(readable, wanted, findings);
  const names = [...new Set(wanted.map(({ report }) => report.run))].sort();
  const groups = new Map(
    names.map((name) => {
      const members = wanted.filter(({ report }) => report.run === name);
      return [name, dropDuplicates(members, findings)];
    }),
  );
  return { groups, findings, ignored, stable: walked.stable };
}

/** @throws UsageError when both sides are one column: every Δ would be 0 */
function checkMapping({ mapping, oneSide }: ReadOptions): void {
  if (oneSide || mapping?.rollout === undefined || mapping.rollout !== mapping.trainer) return;
  throw new UsageError(
    `--rollout and --trainer both name ${mapping.rollout}: a column always agrees with itself`,
    {
      hint: "name the column of each side; --explain lists the columns",
    },
  );
}

function refuseSameSides(paths: readonly string[]): never {
  throw new UsageError(`the two sides are the same file: ${paths.join(", ")}`, {
    likely: "it was given twice, or one path links to the other",
    hint: "give the rollout side first and the trainer side second",
  });
}

function reportOtherSteps(
  readable: readonly Source[],
  wanted: readonly Source[],
  findings: FindingLog,
): void {
  const others = readable.filter((source) => !wanted.includes(source));
  const [first] = others;
  if (first === undefined) return;
  findings.add({
    code: "note",
    severity: "info",
    subject: "files of other steps",
    count: others.length,
    omits: { unit: "file", why: "requested" },
    at: { file: first.file.path },
    describe: (count) => `${count} of ${readable.length} files belong to steps outside --steps`,
  });
}

/** Sources that may hold steps that were asked for. */
function ofSteps(
  sources: readonly Source[],
  { steps: wanted }: ReadOptions,
  NoneIs: typeof UsageError | typeof EmptyInputError,
): readonly Source[] {
  if (wanted === undefined) return sources;
  const chosen = sources.filter(({ report: { step }, stepIsCertain }) => {
    return !stepIsCertain || step === undefined || wanted(step);
  });
  if (chosen.length > 0) return chosen;
  const steps = [...new Set(sources.flatMap(({ report }) => report.step ?? []))].sort((a, b) => a - b);
  throw new NoneIs(
    `no file belongs to the requested steps: the files found are of steps ${steps[0]} to ${steps.at(-1)}`,
    { at: { file: sources[0]!.report.file }, hint: `the steps are ${listSome(steps.map(String))}` },
  );
}

function makeRun(
  name: string,
  sources: readonly Source[],
  findings: FindingLog,
  { ignored, stable }: Groups,
  options: ReadOptions,
): Run {
  const ordered = [...sources].sort(compareSources);
  reportUnstable(ordered, stable, findings);
  let skipped = findings.list().filter(({ code }) => code === "file-skipped").length;
  const onSkipped = (): void => {
    skipped++;
  };
  return {
    name,
    runs: [...new Set(ordered.map(({ report }) => report.run))],
    sources: ordered.map(({ report }) => report),
    ignored,
    findings,
    get skipped() {
      return skipped;
    },
    batches: () => readSources(ordered, options, findings, onSkipped),
  };
}

function openPair(
  paths: readonly string[],
  { sources, failures, ignored }: Selection,
  options: ReadOptions,
  findings: FindingLog,
): Run {
  if (failures[0] !== undefined) throw failures[0].error;
  const [first, second] = sources;
  if (first === undefined || second === undefined || sources.length !== 2) {
    throw new UsageError(`a pair needs two files, ${sources.length} were found`, {
      hint: `give the rollout side first and the trainer side second (got: ${paths.join(", ")})`,
    });
  }
  return {
    name: first.report.run,
    runs: [first.report.run],
    sources: [pairReport(first, "rollout"), pairReport(second, "trainer")],
    ignored,
    findings,
    skipped: 0,
    batches: () => readPaired([first, second], options, findings),
  };
}
