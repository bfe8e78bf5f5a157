import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import type { FilterOptions } from "../../../analyses/runs/filter-option.ts";
import { sweepRun } from "../../../analyses/runs/sweep-run.ts";
import { choosePresets, type GridOptions } from "../../../analyses/sweep/index.ts";
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { sweepPart } from "../../../parts/index.ts";
import { type RowChoice, renderSweepMarkdown, renderSweepTerminal } from "../../../render/sweep/index.ts";
import type { SweepReport } from "../../../results/sweep.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import { answerFromParts } from "../from-parts.ts";
import type { InputOptions, PlaceOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { toRunInput } from "../read-options.ts";
import { commandLine, conclude, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface SweepOptions extends InputOptions, FilterOptions, GridOptions, PlaceOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly choose?: string;
  readonly for?: string;
  readonly top?: string;
  readonly all?: boolean;
  readonly full?: boolean;
  /** Found next to the dumps, if --tokenizer was not given. */
  readonly foundTokenizer?: string;
}

const FORM_FLAGS = ["json", "markdown", "full", "foundTokenizer"];

/** Tries a grid of corrections on a run in one read, and prints the table, a recommendation and its configs. */
export async function sweep(
  paths: readonly string[],
  options: SweepOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const rows = rowChoice(options);
  const presets = choosePresets(options.for);
  const { foundTokenizer: _, ...given } = options;
  const answered = await answerFromParts(
    "sweep",
    paths,
    given,
    async (part, wasSkipped) => {
      const result = sweepPart(part, { presets, ...(options.choose && { choose: options.choose }) });
      terminal.out(render(result, rows, paths, options, terminal));
      tellFindings(result.findings, terminal);
      return wasSkipped || inputWasSkipped(result.findings) ? EXIT.skipped : EXIT.fine;
    },
    terminal,
  );
  if (answered !== undefined) return answered;
  const { result, interrupted } = await readUntilInterrupted(terminal, (reading) =>
    sweepRun(paths, { ...toRunInput(options), ...reading }),
  );
  terminal.out(render(result, rows, paths, options, terminal));
  tellFindings(result.findings, terminal);
  return conclude(result.findings, interrupted, result.metrics.sequences, terminal);
}

function rowChoice({ all, top }: SweepOptions): RowChoice {
  if (all && top !== undefined)
    throw new UsageError("--all and --top cannot be combined", { hint: "choose one" });
  if (top !== undefined) return positiveInteger("--top", top);
  return all ? "all" : "default";
}

function render(
  result: SweepReport,
  rows: RowChoice,
  paths: readonly string[],
  options: SweepOptions,
  terminal: Terminal,
): string {
  if (options.json) return toJson(result);
  const command = commandLine("sweep", paths, options, FORM_FLAGS);
  if (options.markdown) return renderSweepMarkdown(result, { rows, command });
  return renderSweepTerminal(result, {
    ...screenOptions(options, terminal, command),
    // By default the full output has the front and the trainers' defaults, and the first screen a few of them.
    ...(rows !== "default" && { rows }),
    isForNamed: options.for !== undefined,
  });
}
