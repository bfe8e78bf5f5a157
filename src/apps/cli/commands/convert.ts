import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { type RecordBatch, releaseBatch } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openRun } from "../../../ingest/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { writeRecord } from "../../../ingest/writing/index.ts";
import { printable } from "../../../render/text/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import type { Terminal } from "../terminal.ts";

export interface ConvertOptions extends InputOptions, ForceOption {
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
  const outputs = await openOutputs({ inputs: paths, force: options.force });
  await outputs.file("--out", options.out, "record");
  const progress = createProgress(terminal);
  const run = await openRun(paths, {
    ...toReadOptions(options),
    onePolicy: true,
    onProgress: progress.update,
  });
  const counts = { sequences: 0, tokens: 0 };
  const files = await writeRecord(options.out, counted(run.batches(), counts), {
    writer: "convert",
    beforePart: (file) => outputs.file("--out", file, "record"),
    onWritten: releaseBatch,
  });
  progress.end();
  const findings = run.findings.list();
  tellFindings(findings, terminal);
  const { sequences, tokens } = counts;
  terminal.err(
    `written: ${printable(files.join(", "))}: ${plural(sequences, "sequence")}, ${plural(tokens, "response token")}\n`,
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
