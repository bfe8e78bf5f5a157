/**
 * From paths to the tokens that differ most: what `logratio divergence` prints, as an object.
 *
 * @module
 */
import { openTokenizer } from "../../input/tokens/index.ts";
import type { DivergenceReport } from "../../results/divergence.ts";
import { createRunLog, type RunLogOptions } from "../divergence/run-log.ts";
import { type LogFileOptions, openLogFile } from "./divergence-log.ts";
import type { FilterOptions } from "./filter-option.ts";
import type { RunInput } from "./input-options.ts";
import { sourceSummaries } from "./read-batches.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";
import { StepLog, type StepLogOptions } from "./step-log.ts";

/** How the log is made: flags of `logratio divergence`, under the same names. */
export interface LogSettings extends Pick<FilterOptions, "tokenizer"> {
  /** A step is logged if its largest |Δp| reaches this, a fraction; default 0.8. */
  readonly threshold?: number;
  /** Tokens of each step; default 5. */
  readonly topK?: number;
  /** Tokens of context on either side; default 5. */
  readonly context?: number;
  /** Characters of the prompt in each record; null: all. Default 200. */
  readonly promptChars?: number | null;
  /** The same for the response. */
  readonly responseChars?: number | null;
  /** Only steps that are multiples of this; default 1. */
  readonly every?: number;
  /** For sequences whose step is not known. */
  readonly iteration?: number;
}

/** The flags of `logratio divergence` that affect the result, under the same names. */
export interface DivergenceRunOptions
  extends RunInput,
    FilterOptions,
    LogSettings,
    LogFileOptions,
    StepLogOptions,
    ReadingOptions {}

/**
 * Finds the tokens of each step whose two probabilities are furthest apart: the same object that
 * `logratio divergence PATHS --json` prints. Nothing is written without `out`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { divergenceRun } from "logratio/node";
 *
 * const { metrics, records } = await divergenceRun("examples/demo/stale", { steps: "30", threshold: 0.5, topK: 2 });
 * assert.deepEqual([metrics.steps, metrics.records, records?.length], [1, 2, 2]);
 * assert(records![0]!.prob_divergence > 0.5); // |p_rollout − p_trainer|, a fraction
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @returns the records (probabilities as fractions, log-probs in nats), counts over the run and by step; `records` is
 * null if they are in the file `out`
 * @throws UsageError if options contradict each other or the paths, or `out` would replace an input or a foreign file
 * @throws NotFoundError if a path does not exist
 * @throws MissingSideError if the files have only one policy's log-probs
 * @throws FileSystemError if the file cannot be written
 * @throws LogratioError the first one, if no file could be read; single files that fail become findings of the result
 */
export async function divergenceRun(
  paths: string | readonly string[],
  options: DivergenceRunOptions = {},
): Promise<DivergenceReport> {
  const list = listPaths(paths);
  const settings = await openLogSettings(options);
  const log = createRunLog(settings);
  const file = await openLogFile(list, options);
  const { run, batches } = await startReading(list, options, { keepDetails: true });
  const steps = new StepLog(run, settings, file, options);
  for await (const batch of batches) for (const step of log.add(batch)) steps.add(step);
  for (const step of log.finish()) steps.add(step);
  return steps.finish(log.leftOut, sourceSummaries(run));
}

/** The settings in the form that the log takes, with the tokenizer opened. */
export async function openLogSettings(options: LogSettings): Promise<RunLogOptions> {
  const { threshold, topK, context, promptChars, responseChars, every, iteration, tokenizer } = options;
  return {
    ...(threshold !== undefined && { divergenceThreshold: threshold }),
    ...(topK !== undefined && { divergenceTopK: topK }),
    ...(context !== undefined && { contextWindow: context }),
    ...(promptChars !== undefined && { maxPromptChars: promptChars }),
    ...(responseChars !== undefined && { maxResponseChars: responseChars }),
    ...(every !== undefined && { every }),
    ...(iteration !== undefined && { iteration }),
    ...(tokenizer !== undefined && { tokenizer: await openTokenizer(tokenizer) }),
  };
}
