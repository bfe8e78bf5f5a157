/**
 * Reading a run for a verb: until it ends or the user interrupts it, and how the verb then ends.
 *
 * @module
 */

import { inputWasSkipped } from "../../analyses/assessment/index.ts";
import type { BatchFilter } from "../../analyses/filter/index.ts";
import { inputFlags, readBatches } from "../../analyses/runs/index.ts";
import { shellCommand } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";
import type { Run } from "../../input/ingest/index.ts";
import { onInterrupt } from "../../input/io/index.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import type { Terminal } from "./terminal.ts";

export { inputFlags, sourceSummaries } from "../../analyses/runs/index.ts";

export interface Reading {
  /** The run's batches; an interrupt ends them after the one at hand, so that what was read is kept. */
  readonly batches: AsyncGenerator<RecordBatch>;
  readonly interrupted: boolean;
  /** Stops listening for interrupts. */
  end(): void;
}

/** @param filter leaves of the batches what it does, and a finding says what that was */
export function readUntilInterrupted(run: Run, filter?: BatchFilter): Reading {
  let interrupted = false;
  const end = onInterrupt(() => {
    interrupted = true;
  });
  async function* batches(): AsyncGenerator<RecordBatch> {
    yield* readBatches(run, { filter, isStopped: () => interrupted });
    // All is read: an interrupt while the last batches are summed finds nothing left to cut short.
    end();
  }
  return {
    batches: batches(),
    get interrupted() {
      return interrupted;
    },
    end,
  };
}

/** The exit status of a verb that has printed its result, and a word on an interrupt. */
export function conclude(
  run: Run,
  { interrupted }: Reading,
  sequences: number,
  terminal: Terminal,
): ExitStatus {
  if (interrupted) {
    terminal.err(`interrupted: the figures cover the ${formatCount(sequences)} sequences read so far\n`);
    return EXIT.interrupted;
  }
  return inputWasSkipped(run.findings.list()) ? EXIT.skipped : EXIT.fine;
}

/** The command that gives this result again, without the flags that only choose its form. */
export function commandLine(
  verb: string,
  paths: readonly string[],
  options: object,
  formFlags: readonly string[],
): string {
  return shellCommand(verb, paths, inputFlags(options, formFlags));
}
