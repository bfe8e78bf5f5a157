/**
 * The batches of an open run on their way to an analysis.
 *
 * @module
 */
import { EmptyInputError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";
import { describeChecks, type Run } from "../../ingest/index.ts";
import type { SourceSummary } from "../../results/report.ts";
import type { BatchFilter } from "../filter/filter-batches.ts";

export interface BatchOptions {
  /** Keeps only matching rows and tokens; a finding reports what was dropped. */
  readonly filter?: BatchFilter | undefined;
  /** Called before the first batch and after each: true ends reading there, keeping what was read. */
  readonly isStopped?: () => boolean;
  /** Called when there is nothing left to read: only computation remains. */
  readonly onRead?: (() => void) | undefined;
}

/** @throws EmptyInputError if the filter leaves nothing */
export async function* readBatches(
  run: Run,
  { filter, isStopped, onRead }: BatchOptions = {},
): AsyncGenerator<RecordBatch> {
  if (isStopped?.()) return;
  for await (const read of run.batches()) {
    const batch = filter === undefined ? read : filter.apply(read);
    if (batch !== undefined) yield batch;
    // Summing is synchronous: without yielding to the event loop, a signal would wait until the end.
    await new Promise(setImmediate);
    if (isStopped?.()) break;
  }
  if (filter !== undefined) noteFilter(run, filter);
  onRead?.();
}

const TOKENS_CHOSEN = "; all others count as mask 0, so a turn is a contiguous run of selected tokens";

/**
 * Reports how much of everything read a filter kept.
 *
 * @throws EmptyInputError if nothing is left
 */
export function noteFilter(
  run: Pick<Run, "findings">,
  { counts, isAboutTokens }: Pick<BatchFilter, "counts" | "isAboutTokens">,
): void {
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

/** Counts the sequences of each file as they pass. */
export async function* countSequences(
  batches: AsyncIterable<RecordBatch>,
  byFile: Map<string, number>,
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    const { file } = batch.provenance;
    byFile.set(file, (byFile.get(file) ?? 0) + batch.length);
    yield batch;
  }
}

/** The sources of a run as listed in results, with the number of sequences in each. */
export function countedSources(
  run: Pick<Run, "sources">,
  byFile: ReadonlyMap<string, number>,
): SourceSummary[] {
  return sourceSummaries(run).map((source) => ({ ...source, sequences: byFile.get(source.file) ?? 0 }));
}

/** The sources of a run as listed in results. */
export function sourceSummaries(run: Pick<Run, "sources">): Omit<SourceSummary, "sequences">[] {
  return run.sources.map(({ step, rank, checks, ...source }) => ({
    ...source,
    checked: describeChecks([checks]),
    step: step ?? null,
    rank: rank ?? null,
  }));
}
