import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { inputFlags } from "../../../analyses/runs/input-options.ts";
import { parseParity } from "../../../analyses/runs/parity-option.ts";
import { readLogged, reportBesideLogged } from "../../../analyses/runs/read-logged.ts";
import { shellCommand, UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import {
  findParts,
  isPartName,
  mergeParts,
  mergePaths,
  parsePartKind,
  partFindings,
  reportPart,
  writePart,
} from "../../../parts/index.ts";
import { printable, renderHtml, renderMarkdown, renderTerminal } from "../../../render/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import type { ForceOption } from "../force-option.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface MergeOptions extends ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly out?: string;
  /** The verb whose parts to merge, if there are parts for several. */
  readonly for?: string;
  readonly parity?: string;
  /** A file of a logger's metrics, or a directory of them. */
  readonly logged?: string;
  readonly brief?: boolean;
  readonly full?: boolean;
}

/** Merges parts, and prints their report or writes them as one part. */
export async function merge(
  paths: readonly string[],
  options: MergeOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  checkForms(options);
  const parity = await parseParity((options.parity ?? "").split(","));
  const outputs = await openOutputs({ inputs: paths, force: options.force });
  if (options.html !== undefined) await outputs.file("--html", options.html, "report page");
  if (options.out !== undefined) await outputs.file("--out", options.out, "part");
  const logged = await openLogged(options.logged);
  if (options.out !== undefined) {
    const part =
      options.for === undefined
        ? await mergeParts(await findParts(paths))
        : await mergePaths(parsePartKind(options.for), paths);
    await writePart(options.out, part);
    const findings = partFindings(part.info);
    tellFindings(findings, terminal);
    terminal.err(`written: ${printable(options.out)}: ${plural(part.info.shards.length, "shard")}\n`);
    return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
  }
  const part = await mergePaths("report", paths);
  const report = await reportBesideLogged(logged, parity, (trainers) =>
    reportPart(part, { parity: trainers }),
  );
  const words = inputFlags({ parity: options.parity, logged: options.logged }, []);
  await printMerged(report, shellCommand("merge", paths, words), options, terminal);
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

type Logged = Awaited<ReturnType<typeof readLogged>>["logged"];

/** @throws UsageError if there are no metrics */
async function openLogged(path: string | undefined): Promise<Logged> {
  if (path === undefined) return undefined;
  const { logged } = await readLogged([path]);
  if (logged !== undefined) return logged;
  throw new UsageError(`--logged ${path} contains no logged metrics`, {
    hint: "give a logger's output: JSONL of steps, CSV, TensorBoard files, or their directory",
  });
}

/** @throws UsageError if the forms contradict each other */
function checkForms({
  json,
  markdown,
  brief,
  full,
  out,
  html,
  parity,
  logged,
  for: verb,
}: MergeOptions): void {
  const refuse = (message: string): never => {
    throw new UsageError(message, { hint: "choose one" });
  };
  if (json && markdown) refuse("--json and --markdown cannot be combined");
  if (brief && full) refuse("--brief and --full cannot be combined");
  if (out === undefined) {
    if (verb === undefined || verb === "report") return;
    throw new UsageError(`merge prints reports; --for ${verb} needs --out`, {
      hint: `logratio ${parsePartKind(verb)} PARTS answers from parts for ${verb}`,
    });
  }
  if (!isPartName(out)) throw new UsageError(`--out must end in .lrs, not "${out}"`);
  if (json || markdown || brief || full || html !== undefined || parity !== undefined || logged !== undefined)
    refuse("--out writes a part, and cannot be combined with flags of a report");
}

/** @param command prints the same again */
export async function printMerged(
  report: MismatchReport,
  command: string,
  options: MergeOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderHtml(report));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(
    options.json
      ? toJson(report)
      : options.markdown
        ? renderMarkdown(report, { command })
        : renderTerminal(report, screenOptions(options, terminal, command)),
  );
  if (options.json || options.markdown || options.brief) tellFindings(report.findings, terminal);
}
