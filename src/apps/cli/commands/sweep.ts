import { compileFilter, type FilterOptions } from "../../../analyses/runs/index.ts";
import {
  buildSweep,
  defaultGrid,
  findCorrection,
  type NamedCorrection,
  nameByText,
  parsePresetCorrection,
  pickMethods,
  Sweep,
} from "../../../analyses/sweep/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { openRun } from "../../../input/ingest/index.ts";
import { type RowChoice, renderSweepMarkdown, renderSweepTerminal } from "../../../render/sweep/index.ts";
import type { SweepReport } from "../../../results/index.ts";
import { PRESETS, presetNamed } from "../../../trainers/index.ts";
import { readCorrectionFlag } from "../correction-flag.ts";
import type { ExitStatus } from "../exit-status.ts";
import { type InputOptions, positiveInteger } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { commandLine, conclude, readUntilInterrupted, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface SweepOptions extends InputOptions, FilterOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly methods?: string;
  readonly preset?: string;
  readonly set?: readonly string[];
  readonly setting?: readonly string[];
  readonly correction?: readonly string[];
  readonly choose?: string;
  readonly for?: string;
  readonly top?: string;
  readonly all?: boolean;
}

/** Tries a grid of corrections on a run in one read, and prints the table, a recommendation and its configs. */
export async function sweep(
  paths: readonly string[],
  options: SweepOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const rows = rowChoice(options);
  const presets = options.for === undefined ? PRESETS : splitNames(options.for).map(presetNamed);
  const summary = new Sweep(chooseCorrections(options));
  const choose = options.choose && findCorrection(summary.corrections, options.choose).name;
  const filter = await compileFilter(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, { ...toReadOptions(options), onProgress: progress.update });
  const reading = readUntilInterrupted(run, filter);
  try {
    for await (const batch of reading.batches) summary.add(batch);
  } finally {
    reading.end();
  }
  progress.end();

  const findings = run.findings.list();
  const result = buildSweep({
    run: run.name,
    sweep: summary,
    presets,
    ...(choose && { choose }),
    findings,
    sources: sourceSummaries(run),
  });
  terminal.out(render(result, rows, paths, options, terminal));
  tellFindings(findings, terminal);
  return conclude(run, reading, result.metrics.sequences, terminal);
}

/** The grid, what is left of it after --methods, and the corrections that were asked for. */
function chooseCorrections({
  methods,
  preset,
  set = [],
  setting = [],
  correction = [],
}: SweepOptions): readonly NamedCorrection[] {
  if (set.length > 0 && preset === undefined)
    throw new UsageError("--set needs --preset", {
      hint: "add --preset NAME, or write --setting 'NAME:key=value,key=value'",
    });
  const own = [...(preset === undefined ? [] : [`${preset}:${set.join(",")}`]), ...setting];
  const wanted = splitNames(methods);
  const grid = wanted.length === 0 ? defaultGrid() : pickMethods(defaultGrid(), wanted);
  return [
    ...grid,
    ...own.map((text) => parsePresetCorrection(text, PRESETS)),
    ...correction.map((text) => nameByText(readCorrectionFlag(text))),
  ];
}

function splitNames(list: string | undefined): string[] {
  return (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
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
  { width, colour: color, unicode }: Terminal,
): string {
  if (options.json) return toJson(result);
  if (options.markdown)
    return renderSweepMarkdown(result, {
      rows,
      command: commandLine("sweep", paths, options, ["json", "markdown"]),
    });
  return renderSweepTerminal(result, { width, color, unicode, rows });
}
