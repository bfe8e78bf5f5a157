import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { compileFilter } from "../../../analyses/runs/filter-option.ts";
import { parseParity } from "../../../analyses/runs/parity-option.ts";
import { readBatches } from "../../../analyses/runs/read-batches.ts";
import {
  filesOfLogged,
  hasNoDumps,
  readLogged,
  reportBesideLogged,
} from "../../../analyses/runs/read-logged.ts";
import { reportOpenRun } from "../../../analyses/runs/report-run.ts";
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { openRun, type Run, type SourceReport } from "../../../ingest/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { SeriesReport } from "../../../results/series.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { refuseTwoForms } from "../json.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions, toRunInput } from "../read-options.ts";
import { conclude, inputFlags, type Listening, listenForInterrupt } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { explainSeries, formatExplanation } from "./explain.ts";
import { FORM_FLAGS, type Forms, type Job, print, type ReportOptions } from "./print-report.ts";

/** Reads a run once and prints the report in the requested form. */
export async function report(
  paths: readonly string[],
  options: ReportOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  if (options.brief && options.full)
    throw new UsageError("--brief and --full cannot be combined", { hint: "choose one" });
  const parity = await parseParity((options.parity ?? "").split(","));
  const threads = options.threads === undefined ? undefined : positiveInteger("--threads", options.threads);
  // Report usage errors before path errors.
  const read = toReadOptions(options);
  await checkPage(paths, options);
  const tokenizer = findTokenizer(options);
  const filter = await compileFilter({ ...options, ...(tokenizer !== undefined && { tokenizer }) });
  const { logged, others, areDirectories } = await readLogged(paths);
  const progress = createProgress(terminal);
  const job: Job = { paths, others, options, read, terminal, parity, logged, threads, filter, progress };
  if (logged !== undefined && others.length === 0) return reportLogged(job, logged);
  const run = await openDumps(job, areDirectories);
  if (run === undefined) return reportLogged(job, logged!);
  const reading = listenForInterrupt();
  const end = (): void => {
    reading.onRead();
    progress.end();
    explain(job, run);
  };
  if (run.onePolicy === undefined) return reportTwoPolicies(job, run, reading, end);
  // Late, as the report on metrics alone: most runs have both policies.
  const { reportOneOf } = await import("./report-one-policy.ts");
  return reportOneOf(job, run, run.onePolicy, reading, end);
}

async function reportLogged({ paths, options, terminal }: Job, logged: SeriesReport): Promise<ExitStatus> {
  const { reportSeries } = await import("./report-series.ts");
  return reportSeries(logged, paths, options, terminal);
}

function findTokenizer({ tokenizer, foundTokenizer }: ReportOptions): string | undefined {
  return tokenizer ?? foundTokenizer;
}

/** The path of the page, checked before anything is read. */
async function checkPage(paths: readonly string[], { html, tokenizer, force }: ReportOptions): Promise<void> {
  if (html === undefined) return;
  const inputs = [...paths, ...(tokenizer === undefined ? [] : [tokenizer])];
  // Late, as the renderer of the page: few reports write one.
  const { openOutputs } = await import("../../../ingest/outputs/index.ts");
  const outputs = await openOutputs({ inputs, force });
  await outputs.file("--html", html, "report page");
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

async function reportTwoPolicies(
  job: Job,
  run: Run,
  reading: Listening,
  end: () => void,
): Promise<ExitStatus> {
  const { others, options, terminal, logged, threads, filter } = job;
  const tokenizer = findTokenizer(options);
  const result = await reportBesideLogged(logged, job.parity, (parity) =>
    reportOpenRun(run, readBatches(run, { filter, ...reading }), {
      // The suggested command may use a verb that only reads dumps.
      paths: others,
      flags: inputFlags(options, [...FORM_FLAGS, "parity"]),
      parity,
      ...(threads !== undefined && { threads }),
      ...(tokenizer !== undefined && { tokenizer }),
      apart: {
        input: { ...toRunInput(options), ...(tokenizer !== undefined && { tokenizer }) },
        ...reading,
        filter,
        onProgress: job.progress.update,
      },
    }).finally(end),
  );
  await print(result, loadForms, result.findings, job);
  const status = conclude(run.findings.list(), reading.interrupted, result.metrics.sequences, terminal);
  return status === EXIT.fine && inputWasSkipped(result.findings) ? EXIT.skipped : status;
}

/** Late: JSON needs none of them. */
async function loadForms(): Promise<Forms<MismatchReport>> {
  const { renderHtml, renderMarkdown, renderTerminal } = await import("../../../render/index.ts");
  return { html: renderHtml, markdown: renderMarkdown, terminal: renderTerminal };
}
