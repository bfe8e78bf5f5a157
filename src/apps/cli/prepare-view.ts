import type { Progress } from "../../ingest/index.ts";
import type { RunComparison } from "../../results/view.ts";
import { compareRuns, type LabeledRun } from "../viewer/compare/compare-runs.ts";
import type { PrepareOptions } from "../viewer/prepare/cache/options.ts";
import { prepareRun } from "../viewer/prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../viewer/prepare/cache/prepared-run.ts";
import { formatLine, formatWarning, tellFindings } from "./messages.ts";
import { createProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { comparedOptions, prepareOptions, type Wanted } from "./view-options.ts";

/** Observes a preparation in progress. */
export interface Onlooker extends Pick<PrepareOptions, "soFar"> {
  onProgress(progress: Progress): void;
  /** Aborted, with the reason, when continuing is pointless. */
  readonly broken: AbortSignal;
}

/** Undefined if it was interrupted: nothing is kept then. */
async function prepare(
  paths: readonly string[],
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
  onlooker?: Onlooker,
): Promise<PreparedRun | undefined> {
  const progress = createProgress(terminal);
  try {
    const run = await prepareRun(paths, {
      ...prepareOptions(options),
      onNotice: (message) => terminal.err(formatWarning(message, terminal)),
      signal: onlooker === undefined ? signal : AbortSignal.any([signal, onlooker.broken]),
      ...(onlooker?.soFar && { soFar: onlooker.soFar }),
      onProgress: (state) => {
        progress.update(state);
        onlooker?.onProgress(state);
      },
    });
    progress.end();
    tellFindings(run.info.findings, terminal);
    return run;
  } catch (error) {
    progress.end();
    if (!signal.aborted) {
      onlooker?.broken.throwIfAborted();
      throw error;
    }
    terminal.err("interrupted\n");
    return undefined;
  }
}

/**
 * Prepares the run, and any others named with it, including how they differ from it. The onlooker sees states of the
 * first run only.
 */
export async function prepareAll(
  paths: readonly string[],
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
  onlooker?: Onlooker,
): Promise<PreparedRun | undefined> {
  const run = await prepare(paths, options, terminal, signal, onlooker);
  if (run === undefined || options.compare === undefined) return run;
  const wanted = comparedOptions(options);
  const others: LabeledRun[] = [];
  const told = onlooker && {
    broken: onlooker.broken,
    onProgress: (progress: Progress): void => onlooker.onProgress(progress),
  };
  try {
    for (const { paths: other, label } of options.compare) {
      const opened = await prepare(other, wanted, terminal, signal, told);
      if (opened === undefined) break;
      others.push({ run: opened, ...(label !== undefined && { label }) });
    }
    if (others.length === options.compare.length) {
      const compared = await compareRuns(run, others, signal);
      tellWarnings(compared, terminal);
      return compared;
    }
  } catch (error) {
    await closeAll(run, others);
    if (!signal.aborted) throw error;
    terminal.err("interrupted\n");
    return undefined;
  }
  await closeAll(run, others);
  return undefined;
}

async function closeAll(run: PreparedRun, others: readonly LabeledRun[]): Promise<void> {
  await Promise.all([run, ...others.map((other) => other.run)].map((one) => one.close()));
}

function tellWarnings({ compared }: PreparedRun, terminal: Terminal): void {
  const { others } = compared!;
  for (const { comparison } of others) {
    const { warnings, names } = JSON.parse(Buffer.from(comparison).toString()) as RunComparison;
    // With a single other run, there is no doubt about which one is meant.
    const which = others.length > 1 ? `${names.b}: ` : "";
    for (const { severity, what, follows } of warnings)
      terminal.err(formatLine(`${severity}: ${which}${what} ${follows}`));
  }
}
