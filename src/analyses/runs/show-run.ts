/**
 * From paths and a handle to one sequence: what `logratio show` prints, as an object.
 *
 * @module
 */
import { EmptyInputError, shellCommand, UsageError } from "../../core/base/index.ts";
import type { Handle, RecordBatch } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { OnlyRow } from "../../input/adapters/adapter.ts";
import { openTokenizer, TokenTexts } from "../../input/tokens/index.ts";
import type { EventRank, MistakeEvents } from "../../results/events.ts";
import type { TokenMetricName } from "../../results/metrics/token-metrics.ts";
import type { ShowReport } from "../../results/show.ts";
import { spellEvents } from "../assessment/event-words.ts";
import { buildShow } from "../show/build-show.ts";
import { EventFinder } from "../show/find-events.ts";
import { type FoundSequence, SequenceFinder, WorstFinder } from "../show/find-sequence.ts";
import { parseHandle, WORST } from "../show/handle.ts";
import { defaultMetric } from "../show/metrics.ts";
import { makeSpeller } from "../show/speller.ts";
import { type RunInput, readFlags, stepFilter } from "./input-options.ts";
import { sourceSummaries } from "./read-batches.ts";
import { listPaths, type Reading, type ReadingOptions, startReading } from "./start-reading.ts";

/** The flags of `logratio show` that affect the result, under the same names. */
export interface ShowRunOptions extends RunInput, Pick<ReadingOptions, "signal" | "onProgress"> {
  /** The metric that colors the tokens; default `delta`, or `logp` if there is only one policy. */
  readonly metric?: TokenMetricName;
  /** How to rank the mistakes of `worst`; default by what reaches the gradient, if advantages are known. */
  readonly by?: EventRank;
  /** Value at which the color scale ends; default depends on the metric, 1 nat for `delta`. */
  readonly scale?: number | undefined;
  /** Directory of the model's `tokenizer.json`, for texts; without it tokens are ids. */
  readonly tokenizer?: string;
}

/** What to find: a sequence or token by its handle, or the worst token of the run. */
interface Target {
  readonly wanted: Handle | undefined;
  /** Whether sequences of this step are wanted, as named by the handle; remembers every step it is called with. */
  readonly steps?: (step: number) => boolean;
  readonly stepsSeen: ReadonlySet<number>;
}

interface Found {
  readonly sequence: FoundSequence;
  readonly token: number | undefined;
  /** The run's mistakes, if the worst was requested. */
  readonly events?: MistakeEvents;
}

/**
 * Finds one sequence of a run, token by token: the same object that `logratio show PATHS HANDLE --json` prints. Reading
 * ends as soon as the sequence is found for certain.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { showRun } from "logratio/node";
 *
 * const tokenizer = "examples/demo/tokenizer";
 * const { sequence, worst, tokens } = await showRun("examples/demo/stale", "s30.q48", { tokenizer });
 * assert.equal(sequence.handle, "s30.q48");
 * assert.equal(worst[0], 39); // the place of the token whose two policies are furthest apart
 * assert(Math.abs(tokens[39]?.delta ?? 0) > 10); // nats
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @param handle of a sequence (`s12.r3.q41`) or a token (`s12.r3.q41.t880`), or `worst`: the most important mistake
 * @returns the sequence with its turns, its tokens (log-probs and Δ in nats), both policies' alternatives at the
 * requested token and, with `worst`, the mistakes of the run
 * @throws UsageError if the handle names no sequence or several, or options contradict each other
 * @throws NotFoundError if a path does not exist
 * @throws EmptyInputError if the worst is requested and no token can be compared
 * @throws LogratioError the first one, if no file could be read; single files that fail become findings of the result
 */
export async function showRun(
  paths: string | readonly string[],
  handle: string,
  options: ShowRunOptions = {},
): Promise<ShowReport> {
  const { by, metric, scale } = options;
  if (by !== undefined && handle !== WORST)
    throw new UsageError("--by needs worst in place of a handle: it ranks the mistakes of a run");
  const target = findTarget(handle, options.steps);
  const tokenizer = options.tokenizer === undefined ? undefined : await openTokenizer(options.tokenizer);
  const list = listPaths(paths);
  const read = (onlyRow?: OnlyRow): Promise<Reading> =>
    startReading(list, options, {
      ...(target.steps !== undefined && { steps: target.steps }),
      ...(onlyRow !== undefined && { onlyRow }),
      onePolicy: true,
    }).catch((error: unknown) => otherSteps(error, target));
  const { run, sequence, token, events } = await find(read, target, by);
  checkToken(sequence, token);
  const speller = makeSpeller(new TokenTexts(tokenizer));
  const result = buildShow({
    found: sequence,
    token,
    metric: metric ?? defaultMetric(sequence.batch),
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
    next: suggestNext(result, list, options),
    // The handle asks for one step: files of other steps that were not read are not worth mentioning.
    findings: run.findings.list().filter(({ omits }) => omits?.why !== "requested"),
    sources: sourceSummaries(run),
  };
}

function findTarget(handle: string, steps: string | undefined): Target {
  const wanted = handle === WORST ? undefined : parseHandle(handle);
  const among = steps === undefined ? undefined : stepFilter(steps);
  const stepsSeen = new Set<number>();
  if (wanted?.step === undefined) return { wanted, stepsSeen };
  const ofStep = (step: number): boolean => {
    stepsSeen.add(step);
    return step === wanted.step && (among === undefined || among(step));
  };
  return { wanted, steps: ofStep, stepsSeen };
}

/**
 * Reads until the sequence is found for certain. Where indexes lead to its row alone and it is not there, everything is
 * read, to tell what there is.
 */
async function find(
  read: (onlyRow?: OnlyRow) => Promise<Reading>,
  { wanted, stepsSeen }: Target,
  by: EventRank | undefined,
): Promise<Found & { readonly run: Run }> {
  if (wanted === undefined) {
    const { run, batches } = await read();
    return { run, ...(await findWorst(run, batches, by)) };
  }
  let isAlone = false;
  const onAlone = (): void => {
    isAlone = true;
  };
  const { run, finder } = await search(await read({ row: wanted.sequence, onAlone }), wanted);
  const { token } = wanted;
  if (finder.hasFound || !isAlone) return { run, sequence: finder.result(stepsSeen), token };
  const whole = await search(await read(), wanted);
  return { run: whole.run, sequence: whole.finder.result(stepsSeen), token };
}

async function search(
  { run, batches }: Reading,
  wanted: Handle,
): Promise<{ readonly run: Run; readonly finder: SequenceFinder }> {
  const finder = new SequenceFinder(wanted);
  for await (const batch of whateverIsThere(batches)) {
    finder.add(batch);
    if (finder.isExact && handlesAreUnique(run)) break;
  }
  return { run, finder };
}

/** The most important mistake, or the worst token if no ratio is outside [½, 2]. */
async function findWorst(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  by: EventRank | undefined,
): Promise<Found> {
  const worst = new WorstFinder();
  const mistakes = run.onePolicy === undefined ? new EventFinder() : undefined;
  for await (const batch of batches) {
    worst.add(batch);
    mistakes?.add(batch);
  }
  const found = worst.result();
  if (mistakes === undefined) return { sequence: found, token: found.token };
  const all = mistakes.result();
  const events: MistakeEvents = by === "raw" ? { ...all, rank: "raw", list: all.by_raw } : all;
  const [first] = events.list;
  const sequence = first && mistakes.sequenceOf(first);
  if (sequence === undefined) return { sequence: found, token: found.token, events };
  return { sequence, token: first!.token, events };
}

/** Suppresses the error for an input without matches: listing the existing sequences is more helpful. */
async function* whateverIsThere(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  try {
    yield* batches;
  } catch (error) {
    if (!(error instanceof EmptyInputError)) throw error;
  }
}

/** Whether no two files can contain the same step and rank, so that a full handle names one sequence. */
function handlesAreUnique({ sources }: Run): boolean {
  if (sources.length === 1) return true;
  const places = sources.map(({ step, rank }) => (step === undefined ? undefined : `${step} ${rank}`));
  return !places.includes(undefined) && new Set(places).size === sources.length;
}

/** No file has the step: lists the existing steps in the form of a handle. */
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
  options: ShowRunOptions,
): ShowReport["next"] {
  const flags = readFlags(options, ["metric", "scale"]);
  const command = (handle: string): string => shellCommand("show", [...paths, handle], flags);
  if (token !== null) return { command: command(sequence.handle), why: "the whole sequence" };
  const [furthest] = worst;
  if (furthest === undefined) return null;
  return { command: command(`${sequence.handle}.t${furthest}`), why: "everything about the worst token" };
}
