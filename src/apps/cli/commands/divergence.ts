import { dirname } from "node:path";
import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { divergenceLine } from "../../../analyses/divergence/index.ts";
import { type LogFileOptions, openLogFile } from "../../../analyses/runs/divergence-log.ts";
import { divergenceRun, openLogSettings } from "../../../analyses/runs/divergence-run.ts";
import type { FilterOptions } from "../../../analyses/runs/filter-option.ts";
import type { RunInput } from "../../../analyses/runs/input-options.ts";
import { StepLog, type StepLogOptions } from "../../../analyses/runs/step-log.ts";
import { shellCommand, UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { logPart } from "../../../parts/index.ts";
import {
  renderDivergenceSummary,
  renderDivergentTokens,
  renderStepTitle,
} from "../../../render/divergence/index.ts";
import { pasteable } from "../../../render/terminal/index.ts";
import type { DivergenceReport } from "../../../results/divergence.ts";
import { type DivergenceCommandOptions, readLogSettings } from "../divergence-options.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { answerFromParts } from "../from-parts.ts";
import { toJson } from "../json.ts";
import { formatError, tellFindings } from "../messages.ts";
import { toRunInput } from "../read-options.ts";
import { conclude, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export type { DivergenceCommandOptions } from "../divergence-options.ts";

/** Standard output instead of a file. */
const STDOUT = "-";

/** Logs, step by step, the tokens whose two probabilities are furthest apart: on the screen and as JSONL. */
export async function divergence(
  paths: readonly string[],
  options: DivergenceCommandOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.out === STDOUT)
    throw new UsageError("--json and --out - would both write to standard output", { hint: "choose one" });
  const settings = readLogSettings(options);
  const file = readFileOptions(options);
  const answered = await answerFromParts(
    "divergence",
    paths,
    options,
    async (part, wasSkipped) => {
      const { run, findings, logOptions, steps, leftOut, sources } = logPart(
        part,
        await openLogSettings(settings),
      );
      const showing = showSteps(options, terminal);
      const written = await openLogFile(paths, file);
      const log = new StepLog({ name: run, findings }, logOptions, written, showing);
      for (const step of steps) log.add(step);
      const result = log.finish(leftOut, sources);
      print(result, options, terminal);
      const status = wasSkipped || inputWasSkipped(result.findings) ? EXIT.skipped : EXIT.fine;
      return tellUnwritten(showing, result, status, terminal);
    },
    terminal,
  );
  if (answered !== undefined) return answered;
  let showing = showSteps(options, terminal);
  const { out: _, ...others } = options;
  const input: RunInput & FilterOptions = toRunInput(others);
  const { result, interrupted } = await readUntilInterrupted(terminal, (reading, endProgress) => {
    showing = showSteps(options, terminal, endProgress);
    return divergenceRun(paths, { ...input, ...settings, ...file, ...showing, ...reading });
  });
  print(result, options, terminal);
  const status = conclude(result.findings, interrupted, result.metrics.sequences, terminal);
  return tellUnwritten(showing, result, status, terminal);
}

function readFileOptions({
  out,
  rotate,
  rotateSize,
  tokenizer,
  force,
}: DivergenceCommandOptions): LogFileOptions {
  return {
    ...(out !== undefined && out !== STDOUT && { out }),
    ...(rotate !== undefined && { rotate }),
    ...(rotateSize !== undefined && { rotateSize }),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(force !== undefined && { force }),
  };
}

/** Shows steps on the screen, and remembers whether the file could not be written. */
interface Showing extends StepLogOptions {
  readonly failed: boolean;
}

/** @param beforeLines ends the progress line, of which the terminal has only one */
function showSteps(
  { json = false, out, lean = false }: DivergenceCommandOptions,
  terminal: Terminal,
  beforeLines = (): void => {},
): Showing {
  const { width, color, unicode } = terminal;
  let failed = false;
  return {
    lean,
    records: json,
    onStep({ step, records, ...title }) {
      beforeLines();
      if (out === STDOUT)
        terminal.data(records.map((record) => `${divergenceLine(record, { lean })}\n`).join(""));
      else if (!json) {
        terminal.out(renderStepTitle(step, title, { width, color, unicode }));
        terminal.out(`${renderDivergentTokens(records, { unicode })}\n`);
      }
    },
    onUnwritten(error) {
      failed = true;
      terminal.err(formatError(error, terminal));
    },
    get failed() {
      return failed;
    },
  };
}

/** Reports a file that could not be written; returns the exit status. */
function tellUnwritten(
  { failed }: Showing,
  result: DivergenceReport,
  status: ExitStatus,
  terminal: Terminal,
): ExitStatus {
  if (!failed) return status;
  const written = result.outputs.reduce((sum, { lines }) => sum + lines, 0);
  terminal.err(`written: ${written} of ${plural(result.metrics.records, "record")}\n`);
  return status === EXIT.interrupted ? status : EXIT.unreadable;
}

/** Prints the result for the whole run. */
function print(result: DivergenceReport, options: DivergenceCommandOptions, terminal: Terminal): void {
  const { width, color, unicode } = terminal;
  if (options.json) terminal.out(toJson(result));
  else if (options.out === STDOUT)
    terminal.err(renderDivergenceSummary(result, { width, color: false, unicode }));
  else terminal.out(renderDivergenceSummary(result, { width, color, unicode }) + nextStep(result, unicode));
  tellFindings(result.findings, terminal);
}

/** A command that names every file would be too long with one file per step. */
const MOST_NAMED = 3;

function nextStep({ outputs }: DivergenceReport, unicode: boolean): string {
  if (outputs.length === 0) return "";
  const files = outputs.map(({ file }) => file);
  const paths = files.length > MOST_NAMED ? [...new Set(files.map((file) => dirname(file)))] : files;
  return `  next: ${pasteable(shellCommand("analyze", paths), unicode)}\n`;
}
