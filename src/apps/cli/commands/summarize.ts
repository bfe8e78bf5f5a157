import {
  answerRequests,
  isPartName,
  openShardReader,
  reportFindings,
  summarizeInto,
} from "../../../analyses/parts/index.ts";
import { inputWasSkipped } from "../../../analyses/report/index.ts";
import { type FilterOptions, inputFlags } from "../../../analyses/runs/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { formatCount, plural } from "../../../core/text/index.ts";
import { openOutputs } from "../../../input/ingest/index.ts";
import { onInterrupt } from "../../../input/io/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { type InputOptions, positiveInteger } from "../input-options.ts";
import { printableLines, tellFindings } from "../messages.ts";
import { createProgressFor } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

export interface SummarizeOptions extends InputOptions, FilterOptions, ForceOption {
  readonly out?: string;
  readonly threads?: string;
  readonly worker?: boolean;
}

/** Writes the summaries of shards. */
export async function summarize(
  paths: readonly string[],
  { out, force, worker, threads, batchTokens, ...options }: SummarizeOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (worker) {
    const given = [...paths, ...inputFlags({ ...options, out, force, threads, batchTokens }, ["memory"])];
    if (given.length > 0)
      throw new UsageError(`--worker takes what to read from its requests, not ${given.join(" ")}`, {
        hint: "write it into the requests: docs/larger-than-one-machine.md",
      });
    await answerRequests(process.stdin, process.stdout);
    return EXIT.fine;
  }
  if (paths.length === 0) throw new UsageError("no path was given", { hint: "give a file or a directory" });
  if (out === undefined)
    throw new UsageError("summarize needs --out", {
      hint: "--out part.lrs, or --out parts/ for a part of each shard",
    });
  const outputs = await openOutputs({ inputs: paths, force });
  if (isPartName(out)) await outputs.file("--out", out, "part");
  else await outputs.folder("--out", out);
  const { memory: _, ...chosen } = options as typeof options & { readonly memory?: string };
  const reader = await openShardReader(paths, {
    ...chosen,
    ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
    ...(threads !== undefined && { threads: positiveInteger("--threads", threads) }),
  });
  let interrupted = false;
  const end = onInterrupt(() => {
    interrupted = true;
  });
  const progress = createProgressFor<{ done: number; shards: number; name: string }>(
    terminal,
    ({ done, shards, name }) => `  ${formatCount(done)} of ${plural(shards, "shard")}: ${name}`,
  );
  const done = await summarizeInto(reader, {
    out,
    onProgress: progress.update,
    isStopped: () => interrupted,
  }).finally(() => {
    end();
    progress.end();
  });
  const findings = reportFindings(done.info);
  tellFindings(findings, terminal);
  const { resumed, sequences, tokens } = done;
  const read = done.info.shards.filter(({ failed }) => !failed).length;
  const again = resumed === 0 ? "" : `, ${formatCount(resumed)} of them earlier`;
  terminal.err(
    `${interrupted ? "so far in" : "written:"} ${printableLines(out)}: ${plural(read, "shard")}${again}, ${plural(sequences, "sequence")}, ${plural(tokens, "token")}\n`,
  );
  if (interrupted) {
    terminal.err("interrupted: the same command goes on where it was\n");
    return EXIT.interrupted;
  }
  return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
}
