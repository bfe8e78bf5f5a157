import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { compileFilter, type FilterOptions } from "../../../analyses/runs/filter-option.ts";
import { readBatches } from "../../../analyses/runs/read-batches.ts";
import {
  filesOfLogged,
  hasNoDumps,
  joinLogged,
  parityOfLogged,
  readLogged,
} from "../../../analyses/runs/read-logged.ts";
import { parseParity, reportOnePolicy, reportOpenRun } from "../../../analyses/runs/report-run.ts";
import { MissingSideError, positiveInteger, putBefore, UsageError } from "../../../core/base/index.ts";
import type { Finding } from "../../../core/schema/index.ts";
import {
  openOutputs,
  openRun,
  type ReadOptions,
  type Run,
  type SourceReport,
} from "../../../ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { type MarkdownOptions, renderHtml, renderMarkdown, renderTerminal } from "../../../render/index.ts";
import {
  renderPolicyHtml,
  renderPolicyMarkdown,
  renderPolicyTerminal,
} from "../../../render/policy/index.ts";
import type { ScreenOptions } from "../../../render/terminal/index.ts";
import type { PolicyReport } from "../../../results/policy.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress, type Progress, type ProgressState } from "../progress.ts";
import { toReadOptions, toRunInput } from "../read-options.ts";
import { commandLine, conclude, inputFlags, type Listening, listenForInterrupt } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { formatExplanation } from "./explain.ts";
import { explainSeries, reportSeries } from "./report-series.ts";

export interface ReportOptions extends InputOptions, FilterOptions, ForceOption {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly parity?: string;
  readonly explain?: boolean;
  /** Found next to the dumps, if --tokenizer was not given. */
  readonly foundTokenizer?: string;
  readonly brief?: boolean;
  readonly full?: boolean;
  readonly threads?: string;
  /** Whether the run is the example that comes with logratio. */
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

/** Reads a run once and prints the report in the requested form. */
export async function report(
  paths: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  if (options.brief && options.full)
    throw new UsageError("--brief and --full cannot be combined", { hint: "choose one" });
  const parity = parseParity((options.parity ?? "").split(","));
  const threads = options.threads === undefined ? undefined : positiveInteger("--threads", options.threads);
  // Report usage errors before path errors.
  const read = toReadOptions(options);
  await checkPage(paths, options);
  const tokenizer = findTokenizer(options);
  const filter = await compileFilter({ ...options, ...(tokenizer !== undefined && { tokenizer }) });
  const { logged, others, areDirectories } = await readLogged(paths);
  const progress = createProgress(terminal);
  const job: Job = { paths, others, options, read, terminal, parity, logged, threads, filter, progress };
  if (logged !== undefined && others.length === 0) return reportSeries(logged, paths, options, terminal);
  const run = await openDumps(job, areDirectories);
  if (run === undefined) return reportSeries(logged!, paths, options, terminal);
  const reading = listenForInterrupt();
  const end = (): void => {
    reading.onRead();
    progress.end();
    explain(job, run);
  };
  return run.onePolicy === undefined
    ? reportTwoPolicies(job, run, reading, end)
    : reportOneOf(job, run, run.onePolicy, reading, end);
}

function findTokenizer({ tokenizer, foundTokenizer }: ReportOptions): string | undefined {
  return tokenizer ?? foundTokenizer;
}

/** The path of the page, checked before anything is read. */
async function checkPage(paths: readonly string[], { html, tokenizer, force }: ReportOptions): Promise<void> {
  if (html === undefined) return;
  const inputs = [...paths, ...(tokenizer === undefined ? [] : [tokenizer])];
  const outputs = await openOutputs({ inputs, force });
  await outputs.file("--html", html, "report page");
}

/** What to report, and how. */
interface Job {
  readonly paths: readonly string[];
  /** The paths that are not logged metrics: dumps. */
  readonly others: readonly string[];
  readonly options: ReportOptions;
  readonly read: ReadOptions;
  readonly terminal: Terminal;
  readonly parity: ReturnType<typeof parseParity>;
  readonly logged: Awaited<ReturnType<typeof readLogged>>["logged"];
  readonly threads: number | undefined;
  readonly filter: Awaited<ReturnType<typeof compileFilter>>;
  readonly progress: Progress<ProgressState>;
}

/** Undefined if directories contain logged metrics and no dump. */
async function openDumps(job: Job, areDirectories: boolean): Promise<Run | undefined> {
  let examined: readonly SourceReport[] = [];
  const opening = openRun(job.others, {
    ...job.read,
    onePolicy: true,
    readApart: filesOfLogged(job.logged),
    onProgress: job.progress.update,
    onExamined: (sources) => {
      examined = sources;
    },
  });
  return opening.catch((error: unknown) => {
    if (job.logged !== undefined && areDirectories && hasNoDumps(error)) return undefined;
    // Also explains files that are refused, where it is needed most.
    explain(job, { sources: examined, ignored: [] });
    throw error;
  });
}

function explain({ options, terminal, logged }: Job, of: Pick<Run, "sources" | "ignored">): void {
  if (!options.explain) return;
  const apart = filesOfLogged(logged);
  const read = { ...of, ignored: of.ignored.filter((path) => !apart.includes(path)) };
  terminal.err(formatExplanation(read, options.foundTokenizer) + explainSeries(logged));
}

async function reportOneOf(
  job: Job,
  run: Run,
  policy: NonNullable<Run["onePolicy"]>,
  reading: Listening,
  end: () => void,
): Promise<ExitStatus> {
  const { others, options, terminal, parity, filter } = job;
  if (parity.length > 0) refuseParity(policy);
  const flags = inputFlags(options, [...FORM_FLAGS, "parity"]);
  const result = await reportOnePolicy(run, readBatches(run, { filter, ...reading }), policy, {
    paths: others,
    flags,
  }).finally(end);
  await print(result, POLICY_FORMS, run.findings.list(), job);
  return conclude(run.findings.list(), reading.interrupted, result.metrics.sequences, terminal);
}

async function reportTwoPolicies(
  job: Job,
  run: Run,
  reading: Listening,
  end: () => void,
): Promise<ExitStatus> {
  const { others, options, terminal, parity, logged, threads, filter } = job;
  const tokenizer = findTokenizer(options);
  const measured = await reportOpenRun(run, readBatches(run, { filter, ...reading }), {
    // The suggested command may use a verb that only reads dumps.
    paths: others,
    flags: inputFlags(options, [...FORM_FLAGS, "parity"]),
    parity: logged === undefined ? parity : parityOfLogged(logged, parity),
    ...(threads !== undefined && { threads }),
    ...(tokenizer !== undefined && { tokenizer }),
    apart: {
      input: { ...toRunInput(options), ...(tokenizer !== undefined && { tokenizer }) },
      ...reading,
      filter,
      onProgress: job.progress.update,
    },
  }).finally(end);
  const result = logged === undefined ? measured : joinLogged(measured, logged);
  await print(result, REPORT_FORMS, result.findings, job);
  const status = conclude(run.findings.list(), reading.interrupted, result.metrics.sequences, terminal);
  return status === EXIT.fine && inputWasSkipped(result.findings) ? EXIT.skipped : status;
}

/** @throws MissingSideError metrics of two policies cannot be computed from one */
function refuseParity({ has, error }: NonNullable<Run["onePolicy"]>): never {
  throw new MissingSideError(`--parity needs both policies, but there are only ${has} log-probs`, {
    at: error.at,
    hint: [
      "leave out --parity: the report of one policy has xtuner's perplexity",
      ...(error.hint === undefined ? [] : putBefore("or ", error.hint)),
    ],
  });
}

/** How a result is written in each form. */
interface Forms<Result> {
  readonly html: (result: Result) => string;
  readonly markdown: (result: Result, options: MarkdownOptions) => string;
  readonly terminal: (result: Result, options: ScreenOptions) => string;
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

/** Writes the page where one was asked for, then the result on standard output and what reading noticed on the other. */
async function print<Result>(
  result: Result,
  forms: Forms<Result>,
  findings: readonly Finding[],
  job: Job,
): Promise<void> {
  const { options, terminal } = job;
  if (options.html !== undefined) {
    await writeWholeFile(options.html, forms.html(result));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(result, forms, job));
  if (options.json || options.markdown || options.brief) tellFindings(findings, terminal);
}

function render<Result>(result: Result, forms: Forms<Result>, { paths, options, terminal }: Job): string {
  if (options.json) return toJson(result);
  const command = options.asDemo
    ? commandLine("demo", [], options, FORM_FLAGS)
    : commandLine("report", paths, options, FORM_FLAGS);
  if (options.markdown) return forms.markdown(result, { command });
  return forms.terminal(result, screenOptions(options, terminal, command));
}
