/**
 * The result of `logratio sweep`, from a run's cache: the whole grid over some steps or all.
 *
 * @module
 */
import { buildSweep, defaultGrid, Sweep } from "../../../../analyses/sweep/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { SweepReport } from "../../../../results/sweep.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { NEWEST_PRESETS } from "../../../../trainers/index.ts";
import { joinSequences } from "./batches.ts";

/** After this many tokens, the event loop gets a turn for other requests. */
const TOKENS_PER_TURN = 2 ** 16;

/**
 * Undefined if no token can be compared. Log-probs have the cache's single precision.
 *
 * @param whole the report of the whole run: it has the findings
 */
export async function sweepSequences(
  sequences: AsyncIterable<WireSequence>,
  whole: MismatchReport,
): Promise<SweepReport | undefined> {
  const sweep = new Sweep(defaultGrid());
  let rows: WireSequence[] = [];
  let tokens = 0;
  const flush = async (): Promise<void> => {
    if (rows.length > 0) sweep.add(packRows(rows));
    rows = [];
    tokens = 0;
    await new Promise(setImmediate);
  };
  for await (const sequence of sequences) {
    // A batch has a single file.
    if (rows.length > 0 && rows[0]!.meta.file !== sequence.meta.file) await flush();
    rows.push(sequence);
    tokens += sequence.mask.length;
    if (tokens >= TOKENS_PER_TURN) await flush();
  }
  await flush();
  if (sweep.totals.tokens === 0) return undefined;
  return buildSweep({
    run: whole.run,
    sweep,
    assessment: whole.assessment,
    presets: NEWEST_PRESETS,
    findings: whole.findings,
    sources: whole.sources
      .filter(({ file }) => sweep.sequencesByFile.has(file))
      .map(({ sequences: _, ...source }) => source),
  });
}

function packRows(rows: readonly WireSequence[]): RecordBatch {
  const batch = joinSequences(rows);
  return {
    ...batch,
    provenance: { ...batch.provenance, file: rows[0]!.meta.file },
    steps: Float64Array.from(rows, ({ meta }) => meta.step ?? Number.NaN),
    rewards: Float64Array.from(rows, ({ meta }) => meta.reward ?? Number.NaN),
    groupIds: rows.map(({ meta }) => meta.group ?? undefined),
  };
}
