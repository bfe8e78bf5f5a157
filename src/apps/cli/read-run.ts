/**
 * Reads a run for a verb, until it ends or the user interrupts it; and how the verb then ends.
 *
 * @module
 */

import { inputWasSkipped } from "../../analyses/assessment/index.ts";
import { inputFlags } from "../../analyses/runs/input-options.ts";
import type { ReadingOptions } from "../../analyses/runs/start-reading.ts";

export { inputFlags } from "../../analyses/runs/input-options.ts";

import { shellCommand } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";
import { onInterrupt } from "../../input/io/index.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { createProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** Listens for an interrupt while a run is read. */
export interface Listening extends Required<Pick<ReadingOptions, "isStopped" | "onRead">> {
  readonly interrupted: boolean;
}

/** Listens until all is read: while the last batches are summed, there is nothing left to cut short. */
export function listenForInterrupt(): Listening {
  let interrupted = false;
  const end = onInterrupt(() => {
    interrupted = true;
  });
  return {
    isStopped: () => interrupted,
    onRead: end,
    get interrupted() {
      return interrupted;
    },
  };
}

/**
 * The result of a run that is read until it ends or the user interrupts it, and which of the two happened. Before the
 * first batch there is nothing to keep, so an interrupt ends the process.
 */
export async function readUntilInterrupted<Result>(
  terminal: Terminal,
  read: (reading: ReadingOptions, endProgress: () => void) => Promise<Result>,
): Promise<{ readonly result: Result; readonly interrupted: boolean }> {
  const progress = createProgress(terminal);
  let listening: Listening | undefined;
  try {
    const reading: ReadingOptions = {
      isStopped() {
        listening ??= listenForInterrupt();
        return listening.isStopped();
      },
      onRead: () => listening?.onRead(),
      onProgress: progress.update,
    };
    const result = await read(reading, progress.end);
    return { result, interrupted: listening?.interrupted ?? false };
  } finally {
    listening?.onRead();
    progress.end();
  }
}

/** The exit status of a verb that has printed its result, with a note on an interrupt. */
export function conclude(
  findings: readonly Finding[],
  interrupted: boolean,
  sequences: number,
  terminal: Terminal,
): ExitStatus {
  if (interrupted) {
    terminal.err(`interrupted: the figures cover the ${formatCount(sequences)} sequences read so far\n`);
    return EXIT.interrupted;
  }
  return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
}

/** The command that gives this result again, without flags that only choose its form. */
export function commandLine(
  verb: string,
  paths: readonly string[],
  options: object,
  formFlags: readonly string[],
): string {
  return shellCommand(verb, paths, inputFlags(options, formFlags));
}
