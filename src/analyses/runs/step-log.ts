/**
 * Passes the steps of a run to the log: to the callback, to the file, to the result.
 *
 * @module
 */
import { isLogratioError, type LogratioError } from "../../core/base/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { JsonlLog } from "../../ingest/writing/index.ts";
import type {
  DivergenceRecord,
  DivergenceReport,
  DivergenceSettings,
  DivergenceStep,
  LeanDivergenceRecord,
} from "../../results/divergence.ts";
import { divergenceLine } from "../divergence/line.ts";
import type { IterationResult, RunLogOptions } from "../divergence/run-log.ts";
import { createRunReport } from "../divergence/run-report.ts";
import { listOutputs } from "./divergence-log.ts";
import { noteNoTokenizer, noteRepeated, noteRun, noteStep } from "./divergence-notes.ts";

/** A step whose tokens are logged. */
export interface LoggedStep {
  /** Name of the run. */
  readonly run: string;
  readonly settings: DivergenceSettings;
  readonly step: DivergenceStep;
  readonly records: readonly DivergenceRecord[];
}

/** Where the records of each step go. */
export interface StepLogOptions {
  /** Whether records contain only those of the guide's fields that are known. */
  readonly lean?: boolean;
  /**
   * If false, the result has no records, for callers that take them from `onStep`. Default true; records in `out` are
   * not kept.
   */
  readonly records?: boolean;
  /** Called with each step that has records, once its sequences are read. */
  readonly onStep?: (step: LoggedStep) => void;
  /**
   * Called once if the file can no longer be written: the result then has the records that the file lacks. Without
   * it, the error ends the run.
   */
  readonly onUnwritten?: (error: LogratioError) => void;
}

export class StepLog {
  readonly #run: Pick<Run, "name" | "findings">;
  readonly #logOptions: RunLogOptions;
  readonly #file: JsonlLog | undefined;
  readonly #options: StepLogOptions;
  readonly #report: ReturnType<typeof createRunReport>;
  readonly #kept: LeanDivergenceRecord[] = [];
  #logged = 0;
  #failed = false;

  constructor(
    run: Pick<Run, "name" | "findings">,
    logOptions: RunLogOptions,
    file: JsonlLog | undefined,
    options: StepLogOptions,
  ) {
    this.#run = run;
    this.#logOptions = logOptions;
    this.#file = file;
    this.#options = options;
    this.#report = createRunReport(logOptions, { lean: options.lean ?? false });
  }

  add(result: IterationResult): void {
    const { onStep, lean = false, records: isKept = true } = this.#options;
    const { records, iteration } = result;
    const step = this.#report.add(result);
    noteStep(this.#run, result);
    if (records.length === 0) return;
    this.#logged += records.length;
    onStep?.({ run: this.#run.name, settings: this.#report.settings, step, records });
    if (this.#file === undefined && !isKept) return;
    const lines = records.map((record) => divergenceLine(record, { lean }));
    const isWritten = this.#file !== undefined && this.#append(this.#file, lines, iteration);
    if (isKept && !isWritten)
      this.#kept.push(...lines.map((line) => JSON.parse(line) as LeanDivergenceRecord));
  }

  #append(file: JsonlLog, lines: readonly string[], iteration: number | null): boolean {
    try {
      file.append(lines, iteration);
      return true;
    } catch (error) {
      const { onUnwritten } = this.#options;
      if (!isLogratioError(error) || onUnwritten === undefined) throw error;
      if (!this.#failed) onUnwritten(error);
      this.#failed = true;
      return false;
    }
  }

  /**
   * @param leftOut number of sequences in steps that `every` left out
   * @param sources read after all batches
   */
  finish(leftOut: number, sources: DivergenceReport["sources"]): DivergenceReport {
    const [run, file] = [this.#run, this.#file];
    noteRun(run, leftOut, this.#logOptions, file);
    if (this.#logOptions.tokenizer === undefined && this.#logged > 0) noteNoTokenizer(run, this.#logged);
    noteRepeated(run, file);
    const isListed = this.#options.records !== false && (file === undefined || this.#failed);
    return this.#report.finish({
      run: run.name,
      records: isListed ? this.#kept : null,
      outputs: listOutputs(file),
      findings: run.findings.list(),
      sources,
    });
  }
}
