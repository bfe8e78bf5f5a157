import { inputWasSkipped } from "../../analysis/left-out.ts";
import { UsageError } from "../../base/errors.ts";
import { openRun, writeRecord } from "../../ingest/index.ts";
import type { RecordBatch } from "../../schema/record.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { type InputOptions, readOptionsOf } from "../input-options.ts";
import { formatFinding } from "../messages.ts";
import { createProgress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

export interface ConvertOptions extends InputOptions {
  readonly out: string;
}

/** Reads a run and writes it as one Parquet file in the record's layout. */
export async function convert(
  paths: readonly string[],
  options: ConvertOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (!options.out.endsWith(".parquet"))
    throw new UsageError(`--out must end in .parquet, not "${options.out}"`);
  const progress = createProgress(terminal);
  const run = await openRun(paths, { ...readOptionsOf(options), onProgress: progress.update });
  const counts = { sequences: 0, tokens: 0 };
  const files = await writeRecord(options.out, counted(run.batches(), counts));
  progress.end();
  const findings = run.findings.list();
  for (const finding of findings) terminal.err(formatFinding(finding, terminal));
  const { sequences, tokens } = counts;
  terminal.err(
    `written: ${files.join(", ")}: ${sequences.toLocaleString("en")} sequences, ${tokens.toLocaleString("en")} response tokens\n`,
  );
  return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
}

async function* counted(
  batches: AsyncIterable<RecordBatch>,
  counts: { sequences: number; tokens: number },
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    counts.sequences += batch.length;
    counts.tokens += batch.responseMask.length;
    yield batch;
  }
}
