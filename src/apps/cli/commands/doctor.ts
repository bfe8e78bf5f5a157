import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import type { RunEvidence } from "../../../analyses/evidence/index.ts";
import { diagnoseOpenRun, parseTrainer } from "../../../analyses/runs/diagnose-run.ts";
import { compileFilter, type FilterOptions } from "../../../analyses/runs/filter-option.ts";
import { inputFlags } from "../../../analyses/runs/input-options.ts";
import { readBatches } from "../../../analyses/runs/read-batches.ts";
import { openRun, type Run, type SourceReport } from "../../../ingest/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { diagnosePart } from "../../../parts/index.ts";
import {
  type DoctorInput,
  renderDoctorHtml,
  renderDoctorMarkdown,
  renderDoctorTerminal,
} from "../../../render/doctor/index.ts";
import type { DoctorReport } from "../../../results/doctor.ts";
import { CHECKPOINT_FLAGS, type CheckpointFlags } from "../../../study/flags.ts";
import type { CheckpointSpec } from "../../../study/scoring/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { isCut, screenOptions } from "../first-screen.ts";
import type { ForceOption } from "../force-option.ts";
import { answerFromParts, readWith } from "../from-parts.ts";
import type { InputOptions, PlaceOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import type { JudgedCheckpoints } from "../judge-checkpoints.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { commandLine, conclude, listenForInterrupt } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";
import { formatExplanation } from "./explain.ts";

export interface DoctorOptions
  extends InputOptions,
    FilterOptions,
    ForceOption,
    PlaceOptions,
    CheckpointFlags {
  readonly for?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly explain?: boolean;
  readonly full?: boolean;
  /** Found next to the dumps, if --tokenizer was not given. */
  readonly foundTokenizer?: string;
}

const FORM_FLAGS = ["json", "markdown", "html", "force", "explain", "full", "foundTokenizer"];
/** What does not choose what is read. */
const OWN_FLAGS = [...FORM_FLAGS, "for", ...Object.keys(CHECKPOINT_FLAGS)];

/** Reads a run once and says what causes its mismatch. A fault is an answer, not a failure: the exit status is 0. */
export async function doctor(
  paths: readonly string[],
  options: DoctorOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const trainer = parseTrainer(options.for);
  const checkpoints = await readCheckpoints(options);
  const { foundTokenizer: _, ...rest } = options;
  const given = Object.fromEntries(Object.entries(rest).filter(([name]) => !(name in CHECKPOINT_FLAGS)));
  if (options.html !== undefined) {
    const inputs = [...paths, ...(options.tokenizer === undefined ? [] : [options.tokenizer])];
    const outputs = await openOutputs({ inputs, force: options.force });
    await outputs.file("--html", options.html, "doctor page");
  }
  const answered = await answerFromParts(
    "doctor",
    paths,
    given,
    async (part, wasSkipped) => {
      const { evidence } = part.sums;
      const { report, interrupted } = await addCheckpoints(
        { report: diagnosePart(part, trainer), evidence },
        checkpoints,
        options,
        terminal,
      );
      await print(report, readWith(part), paths, options, terminal);
      if (interrupted) return tellInterrupted(terminal);
      return wasSkipped || inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
    },
    terminal,
  );
  return answered ?? readDumps(paths, options, trainer, checkpoints, terminal);
}

async function readCheckpoints(options: DoctorOptions): Promise<CheckpointSpec | undefined> {
  if (options.checkpoints === undefined) return undefined;
  // Late: most diagnoses score nothing.
  const { readCheckpointFlags } = await import("../../../study/scoring/index.ts");
  return readCheckpointFlags(options);
}

/** The diagnosis, with the checkpoints that it used if any were given. */
async function addCheckpoints(
  { report, evidence }: { readonly report: DoctorReport; readonly evidence: RunEvidence },
  spec: CheckpointSpec | undefined,
  { tokenizer, foundTokenizer }: DoctorOptions,
  terminal: Terminal,
): Promise<JudgedCheckpoints> {
  if (spec === undefined) return { report, interrupted: false };
  const { judgeCheckpoints } = await import("../judge-checkpoints.ts");
  return judgeCheckpoints(report, evidence, spec, tokenizer ?? foundTokenizer, terminal);
}

function tellInterrupted(terminal: Terminal): ExitStatus {
  terminal.err("interrupted: the checkpoints were not all scored, so none is judged\n");
  return EXIT.interrupted;
}

async function readDumps(
  paths: readonly string[],
  options: DoctorOptions,
  trainer: string | undefined,
  checkpoints: CheckpointSpec | undefined,
  terminal: Terminal,
): Promise<ExitStatus> {
  const tokenizer = options.tokenizer ?? options.foundTokenizer;
  const filter = await compileFilter({ ...options, ...(tokenizer !== undefined && { tokenizer }) });
  const progress = createProgress(terminal);
  // Also explains files that are refused, where it is needed most.
  const explain = (of: Pick<Run, "sources" | "ignored">): void => {
    if (options.explain) terminal.err(formatExplanation(of, options.foundTokenizer));
  };
  let examined: readonly SourceReport[] = [];
  const opening = openRun(paths, {
    // A column of probabilities or placeholders is a fault to report, not a reason to stop.
    allowPositive: true,
    ...toReadOptions(options),
    onProgress: progress.update,
    onExamined: (sources) => {
      examined = sources;
    },
  });
  const run = await opening.catch((error: unknown) => {
    explain({ sources: examined, ignored: [] });
    throw error;
  });
  const reading = listenForInterrupt();
  const batches = readBatches(run, { filter, ...reading });
  const read = { paths, flags: inputFlags(options, OWN_FLAGS) };
  const diagnosed = await diagnoseOpenRun(run, batches, { ...read, trainer, tokenizer }).finally(() => {
    reading.onRead();
    progress.end();
    explain(run);
  });
  const { report, interrupted } = await addCheckpoints(diagnosed, checkpoints, options, terminal);
  await print(report, read, paths, options, terminal);
  if (interrupted) return tellInterrupted(terminal);
  return conclude(report.findings, reading.interrupted, report.metrics.sequences ?? 0, terminal);
}

/** Writes the page if requested, then the diagnosis to standard output. */
async function print(
  report: DoctorReport,
  input: DoctorInput,
  paths: readonly string[],
  options: DoctorOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderDoctorHtml(report, input));
    terminal.err(writtenFiles(options.html));
  }
  terminal.out(render(report, input, paths, options, terminal));
  const isWhole = !options.json && !options.markdown && !isCut(options, terminal);
  // The whole text ends with the findings.
  if (!isWhole) tellFindings(report.findings, terminal);
}

function render(
  report: DoctorReport,
  input: DoctorInput,
  paths: readonly string[],
  options: DoctorOptions,
  terminal: Terminal,
): string {
  if (options.json) return toJson(report);
  const command = commandLine("doctor", paths, options, FORM_FLAGS);
  if (options.markdown) return renderDoctorMarkdown(report, { input, command });
  return renderDoctorTerminal(report, { ...screenOptions(options, terminal, command), input });
}
