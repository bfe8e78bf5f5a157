import { type DigitsRunOptions, digitsRun } from "../../../analyses/runs/digits-run.ts";
import { UsageError } from "../../../core/base/index.ts";
import { renderDigitsMarkdown, renderDigitsTerminal } from "../../../render/digits/index.ts";
import type { DigitsReport } from "../../../results/digits.ts";
import type { ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import type { InputOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { toRunInput } from "../read-options.ts";
import { commandLine, conclude, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface DigitsOptions extends InputOptions {
  readonly tokenizer?: string;
  readonly digitIds?: string;
  readonly truth?: string;
  readonly sequences?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly full?: boolean;
}

/** Reads a run once and prints how sure its policies are of digits, and how far off. */
export async function digits(
  paths: readonly string[],
  options: DigitsOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const { sequences: _, ...asked } = toRunInput(options);
  const listed = readListed(options);
  const { result, interrupted } = await readUntilInterrupted(terminal, (reading) =>
    digitsRun(paths, { ...asked, ...listed, ...reading }),
  );
  terminal.out(render(result, paths, options, terminal));
  tellFindings(result.findings, terminal);
  return conclude(result.findings, interrupted, result.metrics.sequences, terminal);
}

/** Sequences are listed only in JSON. */
function readListed({ sequences, json }: DigitsOptions): Pick<DigitsRunOptions, "sequences"> {
  if (sequences === undefined) return json ? {} : { sequences: 0 };
  if (!json)
    throw new UsageError("--sequences needs --json: it lists sequences in the JSON result", {
      hint: "add --json",
    });
  if (sequences === "all") return { sequences };
  if (!/^\d+$/.test(sequences))
    throw new UsageError(`--sequences must be a whole number or all, not "${sequences}"`);
  return { sequences: Number(sequences) };
}

function render(
  result: DigitsReport,
  paths: readonly string[],
  options: DigitsOptions,
  terminal: Terminal,
): string {
  if (options.json) return toJson(result);
  const command = commandLine("digits", paths, options, ["json", "markdown", "full"]);
  if (options.markdown) return renderDigitsMarkdown(result, { command });
  return renderDigitsTerminal(result, screenOptions(options, terminal, command));
}
