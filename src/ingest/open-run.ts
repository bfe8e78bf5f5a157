/**
 * From paths to a run: its files, and its batches in order.
 *
 * @module
 */
import { EmptyInputError, UsageError } from "../core/base/index.ts";
import type { RecordBatch } from "../core/schema/index.ts";
import { FindingLog } from "../core/schema/index.ts";
import type { MismatchSummary } from "../core/summaries/index.ts";
import type { OnePolicy } from "../input/adapters/adapter.ts";
import { PromptSums } from "../input/join/prompt-sums.ts";
import { dropDuplicates } from "./duplicates.ts";
import { acceptOnePolicy } from "./one-policy.ts";
import type { ReadOptions } from "./options.ts";
import { readSources, reportAcross } from "./read-run.ts";
import { onlyWaiting, reportWaiting, reportWalk } from "./report-walk.ts";
import { openRunFiles, type ReadApart } from "./run-files.ts";
import { Contents, dropSameContent } from "./same-content.ts";
import { dropCopies, dropRepeated } from "./same-files.ts";
import { listSome, nothingToRead, reportIgnored, reportIncomplete, reportUnread, select } from "./select.ts";
import { findSides, requireSides, type Sides } from "./sides.ts";
import { compareSources, type examine, type Source, type SourceReport } from "./sources.ts";
import { walk } from "./walk.ts";

/** An open run: its files, and its batches. */
export interface Run {
  /** The directory or file that was given, for headings. */
  readonly name: string;
  /** Names of the pooled runs; one unless the paths hold several. */
  readonly runs: readonly string[];
  /** In the order in which they are read. */
  readonly sources: readonly SourceReport[];
  /** Files without recorded log-probs, judged by name or content. */
  readonly ignored: readonly string[];
  /** Grows while batches are read. */
  readonly findings: FindingLog;
  /** Files that were left out because of an error. */
  readonly skipped: number;
  /** The policy of files with only one policy's log-probs; set with {@link ReadOptions.onePolicy}. */
  readonly onePolicy: OnePolicy | undefined;
  /**
   * Figures of the prompts that both sides of a joined run scored, separate from all others; undefined when there are
   * none. Complete once {@link batches} is read.
   */
  promptSummary(): MismatchSummary | undefined;
  /**
   * Batches in the order of steps and ranks. May be called once.
   *
   * @throws LogratioError the first one, when no file could be read
   * @throws EmptyInputError when no token of the whole input has mask 1
   */
  batches(): AsyncGenerator<RecordBatch>;
}

/**
 * Opens the paths as one run: files, directories of files, `-` for standard input. Only the beginnings of files are
 * read until {@link Run.batches}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { pooledMetrics, RunSummary } from "logratio";
 * import { openRun } from "logratio/node";
 *
 * const run = await openRun(["examples/demo/stale"], { steps: (step) => step <= 20 });
 * assert.equal(run.sources[0]?.trainer, "verl");
 * const summary = new RunSummary();
 * for await (const batch of run.batches()) summary.add(batch);
 * assert(pooledMetrics(summary.total).delta_abs_mean < 0.1); // nats
 * ```
 *
 * @returns its sources, its findings, and its batches in the order of steps and ranks
 * @throws NotFoundError when a path does not exist
 * @throws UsageError when options contradict the paths
 * @throws LogratioError the first error, when nothing could be recognized
 */
export async function openRun(paths: readonly string[], options: ReadOptions = {}): Promise<Run> {
  const opened = await openGroups(paths, options);
  return makeRun(await pooled(paths, opened, options), opened.findings, opened, options);
}

/** Pools all groups into one run in which nothing counts twice. */
export async function pooled(
  paths: readonly string[],
  { groups, findings }: Groups,
  options: ReadOptions,
): Promise<Group> {
  const [first] = groups;
  // The two files of a pair hold the same tokens by design: nothing is a duplicate.
  if (first?.isPair) return first;
  const names = groups.map(({ name }) => name);
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
  const all = groups.flatMap(({ sources }) => sources);
  // Files with the same bytes as another, then those with the same sequences.
  const once = await dropSameContent(await dropCopies(all, findings), new Contents(options), findings);
  return { name: names.join("+"), sources: once, isPair: false };
}

/** Files that make one run. */
export type Group = { readonly name: string } & (
  | { readonly isPair: false; readonly sources: readonly Source[] }
  /** One side in each file; the two are joined. */
  | { readonly isPair: true; readonly sources: readonly Source[]; readonly sides: Sides }
);

export interface Groups {
  /** Groups by name; a pair of files is the only group. */
  readonly groups: readonly Group[];
  readonly findings: FindingLog;
  readonly ignored: readonly string[];
  /** See `Walk`. */
  readonly markers: ReadonlySet<string>;
}

/**
 * The sources of each run that the paths hold.
 *
 *     paths ─► walk ─► files ─► dropRepeated ─► select: examine each ─┬─► a side in each ─► the two sides
 *                                                                    └─► ofSteps ─► by run ─► dropDuplicates ─► groups
 *
 * @param examineFile replaces `examine` for a growing run, whose missing files may still arrive
 * @throws EmptyInputError when a growing run has no file of the requested steps; for other runs that is a UsageError
 */
export async function openGroups(
  paths: readonly string[],
  options: ReadOptions,
  examineFile?: typeof examine,
): Promise<Groups> {
  if (paths.length === 0) {
    throw new UsageError("no path given", { hint: "give a file, a directory, or - for standard input" });
  }
  const findings = new FindingLog();
  checkMapping(options);
  const found = await walk(paths);
  reportWalk(found, findings);
  const waiting = await reportWaiting(found, findings, examineFile !== undefined);
  const { files, repeated } = await dropRepeated(found.files, findings);
  const walked = { ...found, files };
  const selection = await select(walked, { ...options, findings }, examineFile);
  const { sources, failures, ignored } = selection;
  const { markers } = walked;
  options.onExamined?.(sources.map(({ report }) => report));
  // The same file twice would be a pair with every Δ 0, and dropping one would hide that.
  const chooseSides = (all: readonly Source[]): Sides | undefined =>
    options.pair ? requireSides(paths, all, failures) : findSides(all, failures, options);
  if (repeated.length > 0 && chooseSides([...sources, ...sources]) !== undefined) refuseSameSides(paths);
  const sides = chooseSides(sources);
  if (sides !== undefined) {
    refuseSeveralRuns(sides, paths);
    const both = [...sides.rollout, ...sides.trainer];
    const name = both[0]!.report.run;
    const joined = new Set(both.map(({ file }) => file.path));
    reportUnread({ ...selection, sources: sources.filter(({ file }) => !joined.has(file.path)) }, findings);
    reportIgnored(walked, selection, findings, options.readApart);
    return { groups: [{ name, sources: both, sides, isPair: true }], findings, ignored, markers };
  }
  const accepted = options.onePolicy ? acceptOnePolicy(sources, findings) : sources;
  const readable = accepted.filter(({ problem }) => problem === undefined);
  if (readable.length === 0) {
    if (waiting > 0 && sources.length + failures.length === 0) throw onlyWaiting(found.served[0]!, waiting);
    throw failures.length === 0 && walked.unreadable[0] !== undefined
      ? walked.unreadable[0].error
      : nothingToRead(paths, walked, selection);
  }
  // Files with both sides were already reported when files were chosen.
  if (sources.every(({ problem }) => problem !== undefined))
    reportUnread({ ...selection, sources: accepted }, findings);
  reportIgnored(walked, selection, findings, options.readApart);
  const wanted = ofSteps(readable, options, examineFile === undefined ? UsageError : EmptyInputError);
  reportOtherSteps(readable, wanted, findings);
  const names = [...new Set(wanted.map(({ report }) => report.run))].sort();
  const contents = new Contents(options);
  const groups: Group[] = [];
  for (const name of names) {
    const members = wanted.filter(({ report }) => report.run === name);
    groups.push({ name, sources: await dropDuplicates(members, contents, findings), isPair: false });
  }
  return { groups, findings, ignored, markers };
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

/**
 * Runs of one config share prompts, indices and often the tokens of the first steps: a join across runs would compare
 * one run's rollouts with another's trainer.
 *
 * @throws UsageError when several runs have both sides each
 */
function refuseSeveralRuns({ rollout, trainer }: Sides, paths: readonly string[]): void {
  const [ofRollout, ofTrainer] = [rollout, trainer].map(
    (side) => new Set(side.map(({ report }) => report.run)),
  );
  const runs = [...ofRollout!].filter((run) => ofTrainer!.has(run)).sort();
  if (runs.length < 2) return;
  throw new UsageError(
    `${listSome(runs)} are ${runs.length} runs, each with rollout and trainer log-probs in separate files, which can only be joined one run at a time`,
    {
      at: { file: paths[0]! },
      hint: "give the folder of one run, or the two files: logratio report ROLLOUT TRAINER",
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

/** Sources that may hold requested steps. */
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

/**
 * @param findings findings of opening, to which reading adds
 * @param isShard whether it is a part of a larger run: what only all files together say is then reported elsewhere
 */
export function makeRun(
  group: Group,
  findings: FindingLog,
  { ignored, markers }: Groups,
  options: ReadOptions,
  isShard = false,
): Run & ReadApart {
  const { name, sources } = group;
  if (group.isPair) {
    const prompts = new PromptSums();
    return {
      name,
      runs: [name],
      sources: sources.map(({ report }) => report),
      ignored,
      findings,
      skipped: 0,
      onePolicy: undefined,
      async *batches() {
        // Late: few runs are two files of one policy each.
        const { readJoined } = await import("./read-joined.ts");
        yield* readJoined(group.sides, options, findings, prompts);
      },
      files: () => undefined,
      promptSummary: () => prompts.summarize(),
    };
  }
  const ordered = [...sources].sort(compareSources);
  reportIncomplete(ordered, markers, findings);
  let skipped = findings.list().filter(({ code }) => code === "file-skipped").length;
  const onSkipped = (): void => {
    skipped++;
  };
  const finish = (): void => {
    if (!isShard) reportAcross(ordered, findings);
  };
  return {
    name,
    runs: [...new Set(ordered.map(({ report }) => report.run))],
    sources: ordered.map(({ report }) => report),
    ignored,
    findings,
    onePolicy: ordered[0]?.onePolicy,
    promptSummary: () => undefined,
    get skipped() {
      return skipped;
    },
    async *batches() {
      yield* readSources(ordered, options, findings, onSkipped);
      finish();
    },
    files() {
      const files = openRunFiles(ordered, options, findings, onSkipped);
      return {
        ...files,
        finish() {
          files.finish();
          finish();
        },
      };
    },
  };
}
