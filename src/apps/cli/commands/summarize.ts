import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import type { FilterOptions } from "../../../analyses/runs/filter-option.ts";
import { inputFlags } from "../../../analyses/runs/input-options.ts";
import type { GridOptions } from "../../../analyses/sweep/index.ts";
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { formatCount, plural } from "../../../core/text/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { onInterrupt } from "../../../input/io/index.ts";
import {
  answerRequests,
  decidesSums,
  isPartName,
  openAnyShards,
  type PartKind,
  parsePartKind,
  partFindings,
  type SummarizeOptions as ShardOptions,
  type ShardReader,
  summarizeInto,
} from "../../../parts/index.ts";
import { printable } from "../../../render/text/index.ts";
import type { JudgingFlags } from "../../../study/flags.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { tellFindings } from "../messages.ts";
import { createProgressFor } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

export interface SummarizeOptions
  extends InputOptions,
    FilterOptions,
    ForceOption,
    GridOptions,
    JudgingFlags {
  /** Verbs that the parts are for, separated by commas. */
  readonly for?: string;
  readonly out?: string;
  readonly topK?: string;
  readonly context?: string;
  readonly every?: string;
  readonly threads?: string;
  readonly worker?: boolean;
}

/** Writes the summaries of shards. */
export async function summarize(
  paths: readonly string[],
  options: SummarizeOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.worker) return work(paths, options);
  const { out, force, threads, batchTokens, worker: _, for: verbs = "report", ...chosen } = options;
  if (paths.length === 0) throw new UsageError("no path given", { hint: "give a file or a directory" });
  if (out === undefined)
    throw new UsageError("summarize needs --out", {
      hint: "--out part.lrs, or --out parts/ for a part of each shard",
    });
  const kinds = verbs.split(",").map((name) => parsePartKind(name.trim()));
  if (kinds.length > 1 && isPartName(out))
    throw new UsageError(`a part is for one verb: --for ${verbs} needs a directory`, {
      hint: "--out parts/ holds parts for several verbs",
    });
  const outputs = await openOutputs({ inputs: paths, force });
  if (isPartName(out)) await outputs.file("--out", out, "part");
  else await outputs.folder("--out", out);
  const { memory: __, ...read } = chosen as typeof chosen & { readonly memory?: string };
  let status: ExitStatus = EXIT.fine;
  for (const kind of kinds) {
    // Flags of one of several verbs are not of the others.
    const isForeign = (name: string): boolean =>
      !decidesSums(kind, name, read) && kinds.some((other) => decidesSums(other, name, read));
    const reader = await openAnyShards(paths, {
      ...Object.fromEntries(Object.entries(read).filter(([name]) => !isForeign(name))),
      for: kind,
      ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
      ...(threads !== undefined && { threads: positiveInteger("--threads", threads) }),
    } as ShardOptions<PartKind>);
    const ended = await write(reader, out, terminal);
    if (ended === EXIT.interrupted) return ended;
    if (ended !== EXIT.fine) status = ended;
  }
  return status;
}

/** @throws UsageError when anything is said that belongs into the requests */
async function work(
  paths: readonly string[],
  { worker: _, ...options }: SummarizeOptions,
): Promise<ExitStatus> {
  const given = [...paths, ...inputFlags(options, ["memory"])];
  if (given.length > 0)
    throw new UsageError(`--worker takes what to read from its requests, not ${given.join(" ")}`, {
      hint: "put it in the requests: docs/larger-than-one-machine.md",
    });
  await answerRequests(process.stdin, process.stdout, openAnyShards);
  return EXIT.fine;
}

/** Writes the parts for one verb. */
async function write(reader: ShardReader, out: string, terminal: Terminal): Promise<ExitStatus> {
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
  const findings = partFindings(done.info);
  tellFindings(findings, terminal);
  const { resumed, sequences, tokens } = done;
  const read = done.info.shards.filter(({ failed }) => !failed).length;
  const again = resumed === 0 ? "" : `, ${formatCount(resumed)} of them earlier`;
  const verb = reader.kind === "report" ? "" : ` for ${reader.kind}`;
  const what = reader.kind === "kl" ? "text" : "sequence";
  terminal.err(
    `${interrupted ? "so far in" : "written:"} ${printable(out)}: ${plural(read, "shard")}${verb}${again}, ${plural(sequences, what)}, ${plural(tokens, "token")}\n`,
  );
  if (interrupted) {
    terminal.err("interrupted: the same command continues from here\n");
    return EXIT.interrupted;
  }
  return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
}
