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
  /** Asked before the first batch and after each: true ends reading there, so that what was read is kept. */
  readonly isStopped?: () => boolean;
  /** Called when nothing is left to read: the rest is computing. */
  readonly onRead?: (() => void) | undefined;
}

/** @throws EmptyInputError when the filter leaves nothing */
export async function* readBatches(
  run: Run,
  { filter, isStopped, onRead }: BatchOptions = {},
): AsyncGenerator<RecordBatch> {
  if (isStopped?.()) return;
  for await (const read of run.batches()) {
    const batch = filter === undefined ? read : filter.apply(read);
    if (batch !== undefined) yield batch;
    // Summing is synchronous: without a turn of the event loop a signal would wait for the end.
    await new Promise(setImmediate);
    if (isStopped?.()) break;
  }
  if (filter !== undefined) noteFilter(run, filter);
  onRead?.();
}

const TOKENS_CHOSEN = "; all others count as mask 0, so a turn is a contiguous run of selected tokens";

/**
 * Adds what a filter left of everything that was read.
 *
 * @throws EmptyInputError when nothing is left
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

/** Counts the sequences of each file on their way. */
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

/** The sources of a run as results list them, with the sequences of each. */
export function countedSources(
  run: Pick<Run, "sources">,
  byFile: ReadonlyMap<string, number>,
): SourceSummary[] {
  return sourceSummaries(run).map((source) => ({ ...source, sequences: byFile.get(source.file) ?? 0 }));
}

/** The sources of a run as results list them. */
export function sourceSummaries(run: Pick<Run, "sources">): Omit<SourceSummary, "sequences">[] {
  return run.sources.map(({ step, rank, checks, ...source }) => ({
    ...source,
    checked: describeChecks([checks]),
    step: step ?? null,
    rank: rank ?? null,
  }));
}
