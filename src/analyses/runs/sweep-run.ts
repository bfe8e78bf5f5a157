/**
 * From paths to the sweep: what `logratio sweep` prints, as an object.
 *
 * @module
 */
import type { SweepReport } from "../../results/sweep.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import { buildSweep, findCorrection } from "../sweep/build-sweep.ts";
import { chooseCorrections, choosePresets, type GridOptions } from "../sweep/choose-corrections.ts";
import { Sweep } from "../sweep/sweep.ts";
import type { FilterOptions } from "./filter-option.ts";
import { type RunInput, readFlags } from "./input-options.ts";
import { sourceSummaries } from "./read-batches.ts";
import { answerEvidence } from "./report-run.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";

/** The flags of `logratio sweep` that affect the result, under the same names. */
export interface SweepRunOptions extends RunInput, FilterOptions, GridOptions, ReadingOptions {
  /** The name of the correction whose configs are wanted; default the recommended one. */
  readonly choose?: string;
  /** Trainers whose configs are wanted, separated by commas: `verl,xtuner`; default all. */
  readonly for?: string;
  /** For the texts of mistakes, if `tokenizer` is not given. */
  readonly foundTokenizer?: string;
}

/**
 * Tries many corrections on a run in one read: the same object that `logratio sweep PATHS --json` prints. Nothing is
 * written, and memory hardly grows with the run.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { sweepRun } from "logratio/node";
 *
 * const { corrections, chosen, configs } = await sweepRun("examples/demo/stale", { methods: "icepop", for: "verl" });
 * assert(corrections.some(({ name }) => name === chosen));
 * for (const { ess_tokens } of corrections) {
 *   assert(ess_tokens > 0 && ess_tokens <= 1 + 1e-9); // a fraction of the tokens
 * }
 * assert.deepEqual(configs.map(({ preset }) => preset), ["verl"]);
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @returns each correction with what it keeps, drops and does to the weights (shares and ESS as fractions from 0 to 1),
 * the Pareto front, the recommendation, each trainer's config for the chosen one, and the answer about the run itself
 * @throws UsageError if options contradict each other, the paths or the data
 * @throws NotFoundError if a path does not exist
 * @throws MissingSideError if the files have only one policy's log-probs
 * @throws EmptyInputError if no token is left to weigh
 * @throws LogratioError the first one, if no file could be read; single files that fail become findings of the result
 */
export async function sweepRun(
  paths: string | readonly string[],
  options: SweepRunOptions = {},
): Promise<SweepReport> {
  const presets = choosePresets(options.for);
  const sweep = new Sweep(chooseCorrections(options));
  const choose = options.choose && findCorrection(sweep.corrections, options.choose).name;
  const list = listPaths(paths);
  const evidence = new RunEvidence();
  const { run, batches } = await startReading(list, options);
  for await (const batch of batches) {
    sweep.add(batch);
    evidence.add(batch);
  }
  const { report } = await answerEvidence(run, evidence, {
    paths: list,
    flags: readFlags(options),
    parity: [],
    tokenizer: options.tokenizer ?? options.foundTokenizer,
  });
  return buildSweep({
    run: run.name,
    sweep,
    assessment: report.assessment,
    presets,
    ...(choose && { choose }),
    findings: run.findings.list(),
    sources: sourceSummaries(run),
  });
}
