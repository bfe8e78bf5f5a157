import { spellEvents } from "../../../analyses/assessment/index.ts";
import {
  buildShow,
  defaultMetric,
  EventFinder,
  type FoundSequence,
  makeSpeller,
  parseHandle,
  SequenceFinder,
  WORST,
  WorstFinder,
} from "../../../analyses/show/index.ts";
import { EmptyInputError, UsageError } from "../../../core/base/index.ts";
import type { Handle, RecordBatch } from "../../../core/schema/index.ts";
import { openRun, type ReadOptions, type Run } from "../../../input/ingest/index.ts";
import { openTokenizer, TokenTexts } from "../../../input/tokens/index.ts";
import { plural } from "../../../render/index.ts";
import { renderShowMarkdown, renderShowTerminal } from "../../../render/show/index.ts";
import type { EventRank, MistakeEvents, ShowReport, TokenMetricName } from "../../../results/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { type InputOptions, positiveInteger } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { commandLine, conclude, type Reading, readHere, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface ShowOptions extends InputOptions {
  readonly metric?: TokenMetricName;
  /** By what mistakes are ranked, of `worst`. */
  readonly by?: EventRank;
  readonly scale?: string;
  readonly context?: string;
  readonly all?: boolean;
  readonly tokenizer?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** What is looked for: a sequence or token by its handle, or the worst token of the run. */
interface Target {
  readonly wanted: Handle | undefined;
  /** Whether sequences of a step are wanted; remembers every step that it is asked about. */
  readonly steps: ((step: number) => boolean) | undefined;
  readonly stepsSeen: ReadonlySet<number>;
}

interface Found {
  readonly sequence: FoundSequence;
  readonly token: number | undefined;
  /** Of the run, where the worst was asked for. */
  readonly events?: MistakeEvents;
}

/** Finds one sequence of a run and prints it token by token; with a token's handle, that token and all about it. */
export async function show(
  pathsAndHandle: readonly string[],
  options: ShowOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const [paths, handle] = [pathsAndHandle.slice(0, -1), pathsAndHandle.at(-1)!];
  if (paths.length === 0) {
    throw new UsageError("the last argument must be the handle of a sequence", {
      hint: `logratio show ${handle} s12.r3.q41, a token of it with s12.r3.q41.t880, or the worst of all with worst`,
    });
  }
  refuseTwoForms(options);
  const context = options.context === undefined ? undefined : positiveInteger("--context", options.context);
  const scale = options.scale === undefined ? undefined : positiveNumber("--scale", options.scale);
  if (options.by !== undefined && handle !== WORST)
    throw new UsageError("--by needs worst in place of a handle: it ranks the mistakes of a run");
  const target = findTarget(handle, toReadOptions(options));
  const tokenizer = options.tokenizer === undefined ? undefined : await openTokenizer(options.tokenizer);

  const progress = createProgress(terminal);
  const run = await openRun(paths, {
    ...toReadOptions(options),
    ...(target.steps !== undefined && { steps: target.steps }),
    onePolicy: true,
    onProgress: progress.update,
  }).catch((error: unknown) => otherSteps(error, target));
  const reading = readHere(run);
  const found = await find(run, reading, target, options.by).finally(reading.onRead);
  progress.end();
  if (found === undefined) {
    terminal.err("interrupted before the sequence was found\n");
    return EXIT.interrupted;
  }
  const report = buildReport({ found, run, paths, options, scale, tokenizer });
  terminal.out(render(report, pathsAndHandle, context, options, terminal));
  tellFindings(report.findings, terminal);
  return conclude(run.findings.list(), reading.interrupted, 1, terminal);
}

interface Shown {
  readonly found: Found;
  readonly run: Run;
  readonly paths: readonly string[];
  readonly options: ShowOptions;
  readonly scale: number | undefined;
  readonly tokenizer: Awaited<ReturnType<typeof openTokenizer>> | undefined;
}

function buildReport({ found, run, paths, options, scale, tokenizer }: Shown): ShowReport {
  const { sequence, token, events } = found;
  checkToken(sequence, token);
  const speller = makeSpeller(new TokenTexts(tokenizer));
  const result = buildShow({
    found: sequence,
    token,
    metric: options.metric ?? defaultMetric(sequence.batch),
    scale,
    speller,
  });
  if (tokenizer === undefined) noteNoTokenizer(run);
  if (run.onePolicy !== undefined) noteOnePolicy(run, run.onePolicy);
  return {
    ...result,
    run: run.name,
    tokenizer: options.tokenizer ?? null,
    ...(events !== undefined && { events: spellEvents(events, speller) }),
    next: suggestNext(result, paths, options),
    // The handle asks for one step: that files of others are not read needs no word.
    findings: run.findings.list().filter(({ omits }) => omits?.why !== "requested"),
    sources: sourceSummaries(run),
  };
}

function render(
  report: ShowReport,
  words: readonly string[],
  context: number | undefined,
  options: ShowOptions,
  { width, color, unicode }: Terminal,
): string {
  const { json, markdown, all } = options;
  if (json) return toJson(report);
  if (markdown)
    return renderShowMarkdown(report, {
      context,
      all,
      command: commandLine("show", words, options, ["json", "markdown"]),
    });
  return renderShowTerminal(report, { width, color, unicode, context, all });
}

function findTarget(handle: string, { steps: among }: ReadOptions): Target {
  const wanted = handle === WORST ? undefined : parseHandle(handle);
  const stepsSeen = new Set<number>();
  if (wanted?.step === undefined) return { wanted, steps: among, stepsSeen };
  const steps = (step: number): boolean => {
    stepsSeen.add(step);
    return step === wanted.step && (among === undefined || among(step));
  };
  return { wanted, steps, stepsSeen };
}

/** Reads until the sequence is found for certain; undefined where the user interrupted that. */
async function find(
  run: Run,
  reading: Reading,
  target: Target,
  by: EventRank | undefined,
): Promise<Found | undefined> {
  if (target.wanted === undefined) return findWorst(run, reading, by);
  const finder = new SequenceFinder(target.wanted);
  for await (const batch of whateverIsThere(reading.batches)) {
    finder.add(batch);
    if (finder.isExact && handlesAreUnique(run)) break;
  }
  if (reading.interrupted && !finder.isExact) return undefined;
  return { sequence: finder.result(target.stepsSeen), token: target.wanted.token };
}

/** The mistake that counts most, or the worst token where no ratio is outside of [½, 2]. */
async function findWorst(run: Run, reading: Reading, by: EventRank | undefined): Promise<Found | undefined> {
  const worst = new WorstFinder();
  const mistakes = run.onePolicy === undefined ? new EventFinder() : undefined;
  for await (const batch of reading.batches) {
    worst.add(batch);
    mistakes?.add(batch);
  }
  if (reading.interrupted) return undefined;
  const found = worst.result();
  if (mistakes === undefined) return { sequence: found, token: found.token };
  const all = mistakes.result();
  const events: MistakeEvents = by === "raw" ? { ...all, rank: "raw", list: all.by_raw } : all;
  const [first] = events.list;
  const sequence = first && mistakes.sequenceOf(first);
  if (sequence === undefined) return { sequence: found, token: found.token, events };
  return { sequence, token: first!.token, events };
}

/** Without the error for an input of which nothing is wanted: which sequences there are instead is said better. */
async function* whateverIsThere(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof EmptyInputError)) throw error;
  }
}

/** Whether no two files can hold the same step and rank, so that a whole handle names one sequence. */
function handlesAreUnique({ sources }: Run): boolean {
  if (sources.length === 1) return true;
  const places = sources.map(({ step, rank }) => (step === undefined ? undefined : `${step} ${rank}`));
  return !places.includes(undefined) && new Set(places).size === sources.length;
}

/** No file has the step: says which steps there are in the words of a handle. */
function otherSteps(error: unknown, { wanted, stepsSeen }: Target): never {
  if (wanted?.step === undefined || stepsSeen.size === 0 || stepsSeen.has(wanted.step)) throw error;
  if (!(error instanceof UsageError)) throw error;
  new SequenceFinder(wanted).result(stepsSeen);
  throw error;
}

function checkToken({ batch, row, handle }: FoundSequence, token: number | undefined): void {
  const length = batch.offsets[row + 1]! - batch.offsets[row]!;
  if (token === undefined || token < length) return;
  throw new UsageError(`there is no token ${handle}.t${token}: the response has ${plural(length, "token")}`, {
    hint:
      length === 0
        ? `${handle} is empty`
        : `its tokens are ${handle}.t0 to ${handle}.t${length - 1}; prompt tokens have no handles`,
  });
}

function noteNoTokenizer({ findings }: Run): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "tokenizer",
    count: 1,
    at: {},
    hint: "--tokenizer DIR (the model's directory, with tokenizer.json in it)",
    describe: () => "without a tokenizer, tokens are shown as ids",
  });
}

function noteOnePolicy({ findings }: Run, { has }: NonNullable<Run["onePolicy"]>): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "one policy",
    count: 1,
    at: {},
    hint: "logratio report explains how to get the other side",
    describe: () => `one policy: ${has} log-probs only, so tokens are colored by their log-prob`,
  });
}

function suggestNext(
  { sequence, token, worst }: Pick<ShowReport, "sequence" | "token" | "worst">,
  paths: readonly string[],
  options: ShowOptions,
): ShowReport["next"] {
  const command = (handle: string): string =>
    commandLine("show", [...paths, handle], options, ["json", "markdown", "context", "all", "by"]);
  if (token !== null) return { command: command(sequence.handle), why: "the whole sequence" };
  const [furthest] = worst;
  if (furthest === undefined) return null;
  return { command: command(`${sequence.handle}.t${furthest}`), why: "everything about the worst token" };
}

function positiveNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new UsageError(`${flag} must be a positive number, not "${text}"`);
  return value;
}
