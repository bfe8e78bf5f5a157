import { join } from "node:path";
import { compileFilter, type FilterOptions } from "../../../analyses/runs/filter-option.ts";
import { readBatches } from "../../../analyses/runs/read-batches.ts";
import { reportOpenRun } from "../../../analyses/runs/report-run.ts";
import { UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openRun } from "../../../ingest/index.ts";
import { type OutputKind, openOutputs } from "../../../ingest/outputs/index.ts";
import { makeDirectory, writeWholeFile } from "../../../input/io/index.ts";
import {
  listStepScalars,
  renderEvents,
  renderPrometheus,
  renderWandbLines,
  type StepTable,
} from "../../../render/export/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { conclude, inputFlags, listenForInterrupt } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface ExportOptions extends InputOptions, FilterOptions, ForceOption {
  readonly tensorboard?: string;
  readonly wandbJsonl?: string;
  readonly prometheus?: string;
}

/** Always the same, so that exporting again replaces the file: TensorBoard shows every event file that it finds. */
const EVENT_FILE = "events.out.tfevents.0.logratio";

interface Target {
  readonly flag: string;
  readonly path: string;
  readonly kind: OutputKind;
  readonly render: (report: MismatchReport, table: StepTable) => string | Uint8Array;
}

/** Reads a run once and writes its figures in every requested form. */
export async function exportFigures(
  paths: readonly string[],
  options: ExportOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const targets = listTargets(options);
  if (targets.length === 0)
    throw new UsageError("export needs --tensorboard, --wandb-jsonl or --prometheus", {
      hint: `logratio export ${paths.join(" ")} --tensorboard runs/mismatch`,
    });
  const inputs = [...paths, ...(options.tokenizer === undefined ? [] : [options.tokenizer])];
  const outputs = await openOutputs({ inputs, force: options.force });
  for (const { flag, path, kind } of targets) await outputs.file(flag, path, kind);
  if (options.tensorboard !== undefined) await outputs.folder("--tensorboard", options.tensorboard);
  const filter = await compileFilter(options);
  const progress = createProgress(terminal);
  const run = await openRun(paths, { ...toReadOptions(options), onProgress: progress.update });
  const reading = listenForInterrupt();
  const report = await reportOpenRun(run, readBatches(run, { filter, ...reading }), {
    paths,
    flags: inputFlags(options, ["tensorboard", "wandbJsonl", "prometheus", "force"]),
    parity: [],
  }).finally(() => {
    reading.onRead();
    progress.end();
  });
  const table = listStepScalars(report);
  if (options.tensorboard !== undefined) makeDirectory(options.tensorboard);
  for (const { path, render } of targets) {
    await writeWholeFile(path, render(report, table));
    terminal.err(writtenFiles(path));
  }
  tellFindings(run.findings.list(), terminal);
  if (table.sequencesWithoutStep > 0)
    terminal.err(
      `note: ${plural(table.sequencesWithoutStep, "sequence")} without a step, left out of the figures per step\n`,
    );
  return conclude(run.findings.list(), reading.interrupted, report.metrics.sequences, terminal);
}

function listTargets({ tensorboard, wandbJsonl, prometheus }: ExportOptions): Target[] {
  const targets: Target[] = [];
  if (tensorboard !== undefined)
    targets.push({
      flag: "--tensorboard",
      path: join(tensorboard, EVENT_FILE),
      kind: "event file",
      render: (_, { steps }) => renderEvents(steps, Date.now() / 1000),
    });
  if (wandbJsonl !== undefined)
    targets.push({
      flag: "--wandb-jsonl",
      path: wandbJsonl,
      kind: "metrics log",
      render: (_, { steps }) => renderWandbLines(steps),
    });
  if (prometheus !== undefined)
    targets.push({ flag: "--prometheus", path: prometheus, kind: "gauges file", render: renderPrometheus });
  const same = targets.find(({ path }, at) => targets.findIndex((other) => other.path === path) < at);
  if (same !== undefined)
    throw new UsageError(`two outputs would be written to ${same.path}`, {
      hint: "give each a name of its own",
    });
  return targets;
}
