import {
  findParts,
  isPartName,
  mergeParts,
  reportFindings,
  reportPart,
  writePart,
} from "../../../analyses/parts/index.ts";
import { inputWasSkipped } from "../../../analyses/report/index.ts";
import { parseParity } from "../../../analyses/runs/index.ts";
import { shellCommand, UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openOutputs } from "../../../input/ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { renderHtml, renderMarkdown, renderTerminal } from "../../../render/index.ts";
import type { MismatchReport } from "../../../results/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { toJson } from "../json.ts";
import { printableLines, tellFindings, writtenFiles } from "../messages.ts";
import type { Terminal } from "../terminal.ts";

export interface MergeOptions extends ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly out?: string;
  readonly parity?: string;
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
  const parity = parseParity((options.parity ?? "").split(","));
  const outputs = await openOutputs({ inputs: paths, force: options.force });
  if (options.html !== undefined) await outputs.file("--html", options.html, "report page");
  if (options.out !== undefined) await outputs.file("--out", options.out, "part");
  const part = await mergeParts(await findParts(paths));
  if (options.out !== undefined) {
    await writePart(options.out, part);
    const findings = reportFindings(part.info);
    tellFindings(findings, terminal);
    terminal.err(`written: ${printableLines(options.out)}: ${plural(part.info.shards.length, "shard")}\n`);
    return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
  }
  const report = reportPart(part, { parity });
  const words = options.parity === undefined ? [] : ["--parity", options.parity];
  await printMerged(report, shellCommand("merge", paths, words), options, terminal);
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

/** @throws UsageError when the forms contradict each other */
function checkForms({ json, markdown, brief, full, out, html, parity }: MergeOptions): void {
  const refuse = (message: string): never => {
    throw new UsageError(message, { hint: "choose one" });
  };
  if (json && markdown) refuse("--json and --markdown cannot be combined");
  if (brief && full) refuse("--brief and --full cannot be combined");
  if (out === undefined) return;
  if (!isPartName(out)) throw new UsageError(`--out must end in .lrs, not "${out}"`);
  if (json || markdown || brief || full || html !== undefined || parity !== undefined)
    refuse("--out writes a part, and cannot be combined with flags of a report");
}

/** @param command that prints it again */
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
  const { width, colour: color, unicode, interactive } = terminal;
  const isCut = interactive && !options.full && !options.brief;
  terminal.out(
    options.json
      ? toJson(report)
      : options.markdown
        ? renderMarkdown(report, { command })
        : renderTerminal(report, {
            width,
            color,
            unicode,
            sections: options.brief || isCut ? "summary" : "all",
            ...(isCut && { more: `${command} --full` }),
          }),
  );
  if (options.json || options.markdown || options.brief) tellFindings(report.findings, terminal);
}
