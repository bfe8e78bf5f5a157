/**
 * Reading a run for a verb: until it ends or the user interrupts it, and how the verb then ends.
 *
 * @module
 */

import type { BatchFilter } from "../../analyses/filter/index.ts";
import { inputWasSkipped } from "../../analyses/report/index.ts";
import { EmptyInputError, shellCommand } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";
import type { Run } from "../../input/ingest/index.ts";
import { onInterrupt } from "../../input/io/index.ts";
import type { SourceSummary } from "../../results/index.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import type { Terminal } from "./terminal.ts";

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
    for await (const read of run.batches()) {
      const batch = filter === undefined ? read : filter.apply(read);
      if (batch !== undefined) yield batch;
      // Summing is synchronous: without a turn of the event loop an interrupt would wait for the end.
      await new Promise(setImmediate);
      if (interrupted) break;
    }
    // All is read: an interrupt while the last batches are summed finds nothing left to cut short.
    end();
    if (filter !== undefined) noteFilter(run, filter);
  }
  return {
    batches: batches(),
    get interrupted() {
      return interrupted;
    },
    end,
  };
}

const TOKENS_CHOSEN = "; all others count as mask 0, so a turn is a contiguous run of selected tokens";

/** @throws EmptyInputError when nothing is left */
function noteFilter(run: Run, { counts, isAboutTokens }: BatchFilter): void {
  const { sequences, keptSequences, tokens, keptTokens } = counts;
  if (keptSequences === 0 && sequences > 0) {
    throw new EmptyInputError(`--filter matches none of the ${formatCount(sequences)} sequences`, {
      hint: "logratio view shows what a filter matches as you type",
    });
  }
  const left = `the figures cover ${formatCount(keptSequences)} of ${formatCount(sequences)} sequences`;
  const ofTokens = `, ${formatCount(keptTokens)} of ${formatCount(tokens)} tokens`;
  run.findings.add({
    code: "note",
    severity: "warning",
    subject: "filter",
    count: isAboutTokens ? tokens - keptTokens : sequences - keptSequences,
    omits: { unit: isAboutTokens ? "token" : "sequence", why: "requested" },
    at: {},
    describe: () => `--filter: ${left}${ofTokens} with mask 1${isAboutTokens ? TOKENS_CHOSEN : ""}`,
  });
}

export function sourceSummaries(run: Run): Omit<SourceSummary, "sequences">[] {
  return run.sources.map(({ step, rank, ...source }) => ({
    ...source,
    step: step ?? null,
    rank: rank ?? null,
  }));
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

/** Options as the words of a command line, without those that are named. */
export function inputFlags(options: object, without: readonly string[]): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (without.includes(name) || value === false) return [];
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    return [value].flat().flatMap((item) => [flag, String(item)]);
  });
}
