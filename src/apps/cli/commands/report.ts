import { inputWasSkipped } from "../../../analyses/report/index.ts";
import {
  compileFilter,
  type FilterOptions,
  hasNoDumps,
  joinLogged,
  parityOfLogged,
  parseParity,
  readLogged,
  reportOnePolicy,
  reportOpenRun,
} from "../../../analyses/runs/index.ts";
import { MissingSideError, UsageError } from "../../../core/base/index.ts";
import type { Finding } from "../../../core/schema/index.ts";
import { openOutputs, openRun, type Run, type SourceReport } from "../../../input/ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import {
  type MarkdownOptions,
  renderHtml,
  renderMarkdown,
  renderTerminal,
  type TerminalReportOptions,
} from "../../../render/index.ts";
import {
  renderPolicyHtml,
  renderPolicyMarkdown,
  renderPolicyTerminal,
} from "../../../render/policy/index.ts";
import type { MismatchReport, PolicyReport } from "../../../results/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { type InputOptions, positiveInteger } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { commandLine, conclude, inputFlags, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { formatExplanation } from "./explain.ts";
import { explainSeries, reportSeries } from "./report-series.ts";

export interface ReportOptions extends InputOptions, FilterOptions, ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly parity?: string;
  readonly explain?: boolean;
  /** Beside the dumps, where --tokenizer was not given. */
  readonly foundTokenizer?: string;
  readonly brief?: boolean;
  readonly full?: boolean;
  readonly threads?: string;
  /** The run is the one that comes with logratio. */
  readonly asDemo?: boolean;
}

const FORM_FLAGS = [
  "json",
  "markdown",
  "html",
  "force",
  "explain",
  "brief",
  "full",
  "threads",
  "asDemo",
  "foundTokenizer",
];

/** Reads a run once and prints the report in the form that was asked for. */
export async function report(
  paths: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown cannot be combined", { hint: "choose one" });
  if (options.brief && options.full)
    throw new UsageError("--brief and --full cannot be combined", { hint: "choose one" });
  const asked = parseParity((options.parity ?? "").split(","));
  const threads = options.threads === undefined ? undefined : positiveInteger("--threads", options.threads);
  if (options.html !== undefined) {
    const inputs = [...paths, ...(options.tokenizer === undefined ? [] : [options.tokenizer])];
    const outputs = await openOutputs({ inputs, force: options.force });
    await outputs.file("--html", options.html, "report page");
  }
  const tokenizer = options.tokenizer ?? options.foundTokenizer;
  const filter = await compileFilter({ ...options, ...(tokenizer !== undefined && { tokenizer }) });
  const readOptions = toReadOptions(options);
  const { logged, others, areDirectories } = await readLogged(paths);
  const alone = (): Promise<ExitStatus> => reportSeries(logged!, paths, options, terminal);
  if (logged !== undefined && others.length === 0) return alone();
  const parity = logged === undefined ? asked : parityOfLogged(logged, asked);
  const progress = createProgress(terminal);
  // Also of files that are refused, where it is needed most.
  const explain = (of: Pick<Run, "sources" | "ignored">): void => {
    if (options.explain) terminal.err(formatExplanation(of, options.foundTokenizer) + explainSeries(logged));
  };
  let examined: readonly SourceReport[] = [];
  const opening = openRun(others, {
    ...readOptions,
    onePolicy: true,
    onProgress: progress.update,
    onExamined: (sources) => {
      examined = sources;
    },
  });
  const run = await opening.catch((error: unknown) => {
    if (logged !== undefined && areDirectories && hasNoDumps(error)) return undefined;
    explain({ sources: examined, ignored: [] });
    throw error;
  });
  if (run === undefined) return alone();
  const reading = readUntilInterrupted(run, filter);
  if (run.onePolicy !== undefined) {
    if (asked.length > 0) refuseParity(run.onePolicy);
    const flags = inputFlags(options, [...FORM_FLAGS, "parity"]);
    const policy = await reportOnePolicy(run, reading.batches, run.onePolicy, {
      paths: others,
      flags,
    }).finally(() => {
      reading.end();
      progress.end();
      explain(run);
    });
    await print(policy, POLICY_FORMS, { findings: run.findings.list(), paths, options, terminal });
    return conclude(run, reading, policy.metrics.sequences, terminal);
  }
  const measured = await reportOpenRun(run, reading.batches, {
    // The command to run next may be of a verb that reads dumps alone.
    paths: others,
    flags: inputFlags(options, [...FORM_FLAGS, "parity"]),
    parity,
    ...(threads !== undefined && { threads }),
  }).finally(() => {
    reading.end();
    progress.end();
    explain(run);
  });
  const result = logged === undefined ? measured : joinLogged(measured, logged);
  const { findings } = result;
  await print(result, REPORT_FORMS, { findings, paths, options, terminal });
  const status = conclude(run, reading, result.metrics.sequences, terminal);
  return status === EXIT.fine && inputWasSkipped(findings) ? EXIT.skipped : status;
}

/** @throws MissingSideError what a trainer logs of two policies cannot be computed of one */
function refuseParity({ has, error }: NonNullable<Run["onePolicy"]>): never {
  throw new MissingSideError(`--parity needs both policies, and there are ${has} log-probs only`, {
    at: error.at,
    hint: `leave out --parity: the report of one policy has xtuner's perplexity${error.hint === undefined ? "" : `\nor ${error.hint}`}`,
  });
}

/** How a result is written in each form. */
interface Forms<Result> {
  readonly html: (result: Result) => string;
  readonly markdown: (result: Result, options: MarkdownOptions) => string;
  readonly terminal: (result: Result, options: TerminalReportOptions) => string;
}

const REPORT_FORMS: Forms<MismatchReport> = {
  html: renderHtml,
  markdown: renderMarkdown,
  terminal: renderTerminal,
};
const POLICY_FORMS: Forms<PolicyReport> = {
  html: renderPolicyHtml,
  markdown: renderPolicyMarkdown,
  terminal: renderPolicyTerminal,
};

interface Asked {
  readonly findings: readonly Finding[];
  readonly paths: readonly string[];
  readonly options: ReportOptions;
  readonly terminal: Terminal;
}

/** Writes the page where one was asked for, then the result on standard output and what reading noticed on the other. */
async function print<Result>(result: Result, forms: Forms<Result>, asked: Asked): Promise<void> {
  const { findings, options, terminal } = asked;
  if (options.html !== undefined) {
    await writeWholeFile(options.html, forms.html(result));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(result, forms, asked));
  if (options.json || options.markdown || options.brief) tellFindings(findings, terminal);
}

/** On a terminal the tables would scroll the verdict away: they are printed to files and pipes, or when asked for. */
function render<Result>(
  result: Result,
  forms: Forms<Result>,
  { paths, options, terminal: { width, colour: color, unicode, interactive } }: Asked,
): string {
  if (options.json) return toJson(result);
  const command = options.asDemo
    ? commandLine("demo", [], options, FORM_FLAGS)
    : commandLine("report", paths, options, FORM_FLAGS);
  if (options.markdown) return forms.markdown(result, { command });
  const isCut = interactive && !options.full && !options.brief;
  return forms.terminal(result, {
    width,
    color,
    unicode,
    sections: options.brief || isCut ? "summary" : "all",
    ...(isCut && { more: `${command} --full` }),
  });
}
