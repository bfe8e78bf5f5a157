import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { answerRun, RunEvidence } from "../../../analyses/evidence/index.ts";
import { sweepPart } from "../../../analyses/parts/index.ts";
import { compileFilter, type FilterOptions, openSpeller, spellReport } from "../../../analyses/runs/index.ts";
import {
  buildSweep,
  chooseCorrections,
  findCorrection,
  type GridOptions,
  Sweep,
  splitNames,
} from "../../../analyses/sweep/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { openRun } from "../../../input/ingest/index.ts";
import { type RowChoice, renderSweepMarkdown, renderSweepTerminal } from "../../../render/sweep/index.ts";
import type { SweepReport } from "../../../results/index.ts";
import { PRESETS, presetNamed } from "../../../trainers/index.ts";
import type { Preset } from "../../../trainers/shared/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import { answerFromParts } from "../from-parts.ts";
import { type InputOptions, type PlaceOptions, positiveInteger } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { commandLine, conclude, inputFlags, readUntilInterrupted, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface SweepOptions extends InputOptions, FilterOptions, GridOptions, PlaceOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly choose?: string;
  readonly for?: string;
  readonly top?: string;
  readonly all?: boolean;
  readonly full?: boolean;
  /** Beside the dumps, where --tokenizer was not given. */
  readonly foundTokenizer?: string;
}

const FORM_FLAGS = ["json", "markdown", "full", "foundTokenizer"];
/** What is tried and shown, and not what is read. */
const GRID_FLAGS = ["methods", "preset", "set", "setting", "correction", "choose", "for", "top", "all"];

/** Tries a grid of corrections on a run in one read, and prints the table, a recommendation and its configs. */
export async function sweep(
  paths: readonly string[],
  options: SweepOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const rows = rowChoice(options);
  const presets = options.for === undefined ? PRESETS : splitNames(options.for).map(presetNamed);
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
  return answered ?? sweepDumps(paths, options, { rows, presets }, terminal);
}

interface Asked {
  readonly rows: RowChoice;
  readonly presets: readonly Preset[];
}

async function sweepDumps(
  paths: readonly string[],
  options: SweepOptions,
  { rows, presets }: Asked,
  terminal: Terminal,
): Promise<ExitStatus> {
  const summary = new Sweep(chooseCorrections(options));
  const evidence = new RunEvidence();
  const choose = options.choose && findCorrection(summary.corrections, options.choose).name;
  const filter = await compileFilter(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, { ...toReadOptions(options), onProgress: progress.update });
  const reading = readUntilInterrupted(run, filter);
  try {
    for await (const batch of reading.batches) {
      summary.add(batch);
      evidence.add(batch);
    }
  } finally {
    reading.end();
  }
  progress.end();

  const findings = run.findings.list();
  const read = { run: run.name, findings, sources: sourceSummaries(run) };
  const { report } = answerRun({
    ...read,
    paths,
    flags: inputFlags(options, [...FORM_FLAGS, ...GRID_FLAGS]),
    parity: [],
    evidence,
    prompts: run.promptSummary(),
  });
  const tokenizer = options.tokenizer ?? options.foundTokenizer;
  const spelled = await spellReport(
    report,
    tokenizer === undefined ? undefined : () => openSpeller(tokenizer),
  );
  const result = buildSweep({
    ...read,
    sweep: summary,
    assessment: spelled.assessment,
    presets,
    ...(choose && { choose }),
  });
  terminal.out(render(result, rows, paths, options, terminal));
  tellFindings(findings, terminal);
  return conclude(run, reading, result.metrics.sequences, terminal);
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
    // By default all has the front and the trainers' defaults, and the first screen a few of them.
    ...(rows !== "default" && { rows }),
    isForNamed: options.for !== undefined,
  });
}
