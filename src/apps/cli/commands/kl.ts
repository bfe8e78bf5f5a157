import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import type { Finding } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openOutputs } from "../../../ingest/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { findScored, type KlRun, klRun, reportStudies } from "../../../parts/index.ts";
import type { JudgingFlags, ReportFlags, ScoringFlags } from "../../../study/flags.ts";
import { klFigures, renderKlHtml, renderKlMarkdown, renderKlTerminal } from "../../../study/render/index.ts";
import type { KlReport } from "../../../study/results/report.ts";
import {
  type AnalyzeProgress,
  analyzeStudy,
  checkStudyOutput,
  type FigureSpec,
  readJudgingFlags,
  readReportFlags,
  readStages,
  refuseScoring,
  studyFromFlags,
  studyInputs,
} from "../../../study/scoring/index.ts";
import { checkFigureFormats, checkFiguresDirectory, writeFigures } from "../../figures/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import type { ForceOption } from "../force-option.ts";
import { answerFromParts } from "../from-parts.ts";
import type { PlaceOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgressFor } from "../progress.ts";
import { commandLine } from "../read-run.ts";
import { runWithProgress } from "../run-study.ts";
import { analyzeLine } from "../score-progress.ts";
import type { Terminal } from "../terminal.ts";
import { untilInterrupted } from "../until-interrupted.ts";

export interface KlCommandOptions extends ScoringFlags, JudgingFlags, ReportFlags, ForceOption, PlaceOptions {
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly full?: boolean;
  readonly figures?: string;
}

const FORM_FLAGS = [
  "json",
  "markdown",
  "html",
  "full",
  "figures",
  "figureFormat",
  "figureDpi",
  "force",
  "on",
  "parts",
];

/** What training changed: scores what has not been scored yet, analyzes it, and prints the report. */
export async function kl(
  paths: readonly string[],
  given: KlCommandOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(given);
  const { options, allSpikes } = takeAllSpikes(given);
  await checkOutputs(paths, options);
  // Before a cluster starts working.
  if (options.on !== undefined) refuseScoring(options, "--on pools studies that are already scored");
  const answered = await answerFromParts(
    "kl",
    paths,
    options,
    async (part, wasSkipped) => {
      refuseScoring(options, `${paths[0]!} holds parts of scored studies`);
      const done = reportStudies(part, readReportFlags(options), { allSpikes });
      await checkFigures(options, done.figures);
      return tell(done, paths, given, terminal, wasSkipped);
    },
    terminal,
  );
  if (answered !== undefined) return answered;
  const done = await untilInterrupted((signal) => answer(paths, { ...options, allSpikes }, signal, terminal));
  return done === undefined ? EXIT.interrupted : tell(done, paths, given, terminal);
}

/** What `--spikes` asks to list; the other options say how spikes are found. */
interface WithList extends KlCommandOptions {
  readonly allSpikes: boolean;
}

/** Removes `all` from `--spikes all` and `--spikes adaptive,all`: it says what is listed, not how it is found. */
function takeAllSpikes({ spikes, ...others }: KlCommandOptions): {
  readonly options: KlCommandOptions;
  readonly allSpikes: boolean;
} {
  const words = spikes?.split(",").map((word) => word.trim()) ?? [];
  const methods = words.filter((word) => word !== "all");
  if (methods.length > 1)
    throw new UsageError(`--spikes takes one method, not ${methods.length}: ${methods.join(", ")}`, {
      hint: "use zscore, percentile or adaptive, and add ,all to list every spike",
    });
  const [method] = methods;
  return {
    options: method === undefined ? others : { ...others, spikes: method },
    allSpikes: methods.length < words.length,
  };
}

async function tell(
  { report, figures }: KlRun,
  paths: readonly string[],
  options: KlCommandOptions,
  terminal: Terminal,
  wasSkipped = false,
): Promise<ExitStatus> {
  if (options.html !== undefined) {
    await writeWholeFile(options.html, renderKlHtml(report));
    terminal.err(writtenFiles(options.html));
  }
  if (options.figures !== undefined) {
    const files = await writeFigures(options.figures, klFigures(report), figures);
    terminal.err(writtenFiles(`${options.figures} (${plural(files.length, "figure")})`));
  }
  terminal.out(render(report, paths, options, terminal));
  tellFindings(report.findings, terminal);
  return wasSkipped || inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

/** Checks that outputs may be written, before anything is computed. */
async function checkOutputs(paths: readonly string[], options: KlCommandOptions): Promise<void> {
  if (options.html === undefined && options.figures === undefined) return;
  const outputs = await openOutputs({ inputs: studyInputs(paths, options), force: options.force });
  if (options.html !== undefined) await outputs.file("--html", options.html, "kl page");
  if (options.figures === undefined) return;
  await outputs.folder("--figures", options.figures);
  await checkFiguresDirectory(options.figures, options.force);
}

/** Undefined where it was interrupted. */
async function answer(
  paths: readonly string[],
  { allSpikes, ...options }: WithList,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<KlRun | undefined> {
  const more = { ...readJudgingFlags(options), ...readReportFlags(options) };
  const scored = await findScored(paths);
  if (scored !== undefined) {
    // Of one study, it says what is reported.
    const { checkpoint: _, ...others } = options;
    if (scored === "study") refuseScoring(others, `${paths[0]} is an already scored study`);
    else refuseScoring(options, "the studies are already scored");
    const onFigures = (figures: FigureSpec): Promise<void> => checkFigures(options, figures);
    const checkpoint = options.checkpoint === undefined ? undefined : [options.checkpoint].flat();
    const how = {
      ...others,
      ...(checkpoint && { checkpoint }),
      settings: readReportFlags(options),
      ...{ allSpikes, signal, onFigures },
    };
    return whileAnalyzing(signal, terminal, (onProgress) => klRun(paths, { ...how, onProgress }));
  }
  const stages = readStages(options.stage);
  const { spec, backend } = await studyFromFlags("kl", paths, options, { ...more, ...stages });
  await checkFigures(options, spec.figures);
  await checkStudyOutput(spec, paths, options);
  const run = await runWithProgress({ spec, backend }, signal, terminal);
  if (run.interrupted) {
    terminal.err("interrupted: scores so far are kept; run the same command again to continue\n");
    return undefined;
  }
  const { analysis, outcomes, only } = spec;
  const report = await whileAnalyzing(signal, terminal, (onProgress) =>
    analyzeStudy(spec.out, { analysis, outcomes, only, failed: only, allSpikes, signal, onProgress }),
  ).catch((error: unknown) => {
    // They say why there is nothing to report.
    tellFindings(run.findings, terminal);
    throw error;
  });
  if (report === undefined) return undefined;
  return {
    report: { ...report, findings: joinFindings(run.findings, report.findings) },
    figures: spec.figures,
  };
}

/** Drops findings from reading the scores that scoring already reported. */
function joinFindings(scoring: readonly Finding[], reading: readonly Finding[]): Finding[] {
  const said = new Set(scoring.map(({ code, message }) => `${code} ${message}`));
  return [...scoring, ...reading.filter(({ code, message }) => !said.has(`${code} ${message}`))];
}

async function checkFigures(options: KlCommandOptions, { formats }: FigureSpec): Promise<void> {
  if (options.figures !== undefined) await checkFigureFormats(formats);
}

/** Undefined where it was interrupted. */
async function whileAnalyzing<Result>(
  signal: AbortSignal,
  terminal: Terminal,
  read: (onProgress: (progress: AnalyzeProgress) => void) => Promise<Result>,
): Promise<Result | undefined> {
  const progress = createProgressFor(terminal, analyzeLine);
  try {
    return await read(progress.update);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    progress.end();
  }
}

function render(
  report: KlReport,
  paths: readonly string[],
  options: KlCommandOptions,
  terminal: Terminal,
): string {
  if (options.json) return toJson(report);
  const command = commandLine("kl", paths, options, FORM_FLAGS);
  if (options.markdown) return renderKlMarkdown(report, { command });
  return renderKlTerminal(report, screenOptions(options, terminal, command));
}
