import { compileFilter, type FilterOptions } from "../../../analyses/runs/index.ts";
import {
  buildSweep,
  defaultGrid,
  findSetting,
  ofMethods,
  presetSetting,
  type Setting,
  Sweep,
} from "../../../analyses/sweep/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { openRun } from "../../../input/ingest/index.ts";
import { type RowChoice, renderSweepMarkdown, renderSweepTerminal } from "../../../render/sweep/index.ts";
import type { SweepReport } from "../../../results/index.ts";
import { PRESETS, presetNamed } from "../../../trainers/index.ts";
import type { ExitStatus } from "../exit-status.ts";
import { type InputOptions, positiveInteger, readOptionsOf } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { commandLine, conclude, readUntilInterrupted, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface SweepOptions extends InputOptions, FilterOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly methods?: string;
  readonly preset?: string;
  readonly set?: readonly string[];
  readonly setting?: readonly string[];
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
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown contradict each other", { hint: "ask for one of them" });
  const rows = rowChoice(options);
  const presets = options.for === undefined ? PRESETS : namesOf(options.for).map(presetNamed);
  const summary = new Sweep(settingsOf(options));
  const choose = options.choose && findSetting(summary.settings, options.choose).name;
  const filter = await compileFilter(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, { ...readOptionsOf(options), onProgress: progress.update });
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

/** The grid, what is left of it after --methods, and the trainers' own settings that were asked for. */
function settingsOf({ methods, preset, set = [], setting = [] }: SweepOptions): readonly Setting[] {
  if (set.length > 0 && preset === undefined)
    throw new UsageError("--set names a setting of a preset, and no --preset is given", {
      hint: "add --preset NAME, or write --setting 'NAME:key=value,key=value'",
    });
  const own = [...(preset === undefined ? [] : [`${preset}:${set.join(",")}`]), ...setting];
  const wanted = namesOf(methods);
  const grid = wanted.length === 0 ? defaultGrid() : ofMethods(defaultGrid(), wanted);
  return [...grid, ...own.map((text) => presetSetting(text, PRESETS))];
}

function namesOf(list: string | undefined): string[] {
  return (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

function rowChoice({ all, top }: SweepOptions): RowChoice {
  if (all && top !== undefined)
    throw new UsageError("--all and --top contradict each other", { hint: "ask for one of them" });
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
