import { showRun } from "../../../analyses/runs/show-run.ts";
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { renderShowMarkdown, renderShowTerminal } from "../../../render/show/index.ts";
import type { EventRank } from "../../../results/events.ts";
import type { TokenMetricName } from "../../../results/metrics/token-metrics.ts";
import type { ShowReport } from "../../../results/show.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { InputOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toRunInput } from "../read-options.ts";
import { commandLine, conclude } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { unlessInterrupted } from "../until-interrupted.ts";

export interface ShowOptions extends InputOptions {
  readonly metric?: TokenMetricName;
  /** How to rank the mistakes of `worst`. */
  readonly by?: EventRank;
  readonly scale?: string;
  readonly context?: string;
  readonly all?: boolean;
  readonly tokenizer?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

/** Finds one sequence of a run and prints it token by token; with a token's handle, everything about that token. */
export async function show(
  pathsAndHandle: readonly string[],
  options: ShowOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const [paths, handle] = [pathsAndHandle.slice(0, -1), pathsAndHandle.at(-1)!];
  if (paths.length === 0) {
    throw new UsageError("the last argument must be the handle of a sequence", {
      hint: `logratio show ${handle} s12.r3.q41, a token of it with s12.r3.q41.t880, or the worst of all with worst`,
    });
  }
  refuseTwoForms(options);
  const context = options.context === undefined ? undefined : positiveInteger("--context", options.context);
  const scale = options.scale === undefined ? undefined : positiveNumber("--scale", options.scale);
  const asked = { ...toRunInput(options), scale };
  const progress = createProgress(terminal);
  const report = await unlessInterrupted((signal) =>
    showRun(paths, handle, {
      ...asked,
      signal,
      onProgress: progress.update,
    }),
  ).finally(() => progress.end());
  if (report === undefined) {
    terminal.err("interrupted before the sequence was found\n");
    return EXIT.interrupted;
  }
  terminal.out(render(report, pathsAndHandle, context, options, terminal));
  tellFindings(report.findings, terminal);
  return conclude(report.findings, false, 1, terminal);
}

function render(
  report: ShowReport,
  words: readonly string[],
  context: number | undefined,
  options: ShowOptions,
  { width, color, unicode }: Terminal,
): string {
  const { json, markdown, all } = options;
  if (json) return toJson(report);
  if (markdown)
    return renderShowMarkdown(report, {
      context,
      all,
      command: commandLine("show", words, options, ["json", "markdown"]),
    });
  return renderShowTerminal(report, { width, color, unicode, context, all });
}

function positiveNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new UsageError(`${flag} must be a positive number, not "${text}"`);
  return value;
}
