import type { Progress } from "../../input/ingest/index.ts";
import type { RunComparison } from "../../results/index.ts";
import { compareRuns } from "../viewer/compare/index.ts";
import { type PreparedRun, type PrepareOptions, prepareRun } from "../viewer/prepare/index.ts";
import { formatWarning, printableLines, tellFindings } from "./messages.ts";
import { createProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { prepareOptions, type Wanted } from "./view-options.ts";

/** Who follows a preparation while it goes on. */
export interface Onlooker extends Pick<PrepareOptions, "soFar"> {
  onProgress(progress: Progress): void;
  /** Aborted when there is no use in going on, with the reason. */
  readonly broken: AbortSignal;
}

/** Undefined when it was interrupted: nothing of it is kept then. */
export async function prepare(
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

/** The run, and where another is named with it that one too and how they differ. */
export async function prepareAll(
  paths: readonly string[],
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<PreparedRun | undefined> {
  const run = await prepare(paths, options, terminal, signal);
  if (run === undefined || options.compare === undefined) return run;
  const { compareTokenizer: tokenizer = options.tokenizer, ...rest } = options;
  const wanted = { ...rest, ...(tokenizer !== undefined && { tokenizer }) };
  const open = [run];
  try {
    const other = await prepare(options.compare, wanted, terminal, signal);
    if (other !== undefined) {
      open.push(other);
      const compared = await compareRuns(run, other, signal);
      tellWarnings(compared, terminal);
      return compared;
    }
  } catch (error) {
    await Promise.all(open.map((one) => one.close()));
    if (!signal.aborted) throw error;
    terminal.err("interrupted\n");
    return undefined;
  }
  await run.close();
  return undefined;
}

function tellWarnings({ compared }: PreparedRun, terminal: Terminal): void {
  const { warnings } = JSON.parse(Buffer.from(compared!.comparison).toString()) as RunComparison;
  for (const { severity, what, follows } of warnings)
    terminal.err(printableLines(`${severity}: ${what} ${follows}\n`));
}
