import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import { type KlRunOptions, klRun, reportStudies } from "../../../parts/index.ts";
import type { JudgingFlags, ReportFlags, ScoringFlags } from "../../../study/flags.ts";
import { klFigures, renderKlHtml, renderKlMarkdown, renderKlTerminal } from "../../../study/render/index.ts";
import type { KlReport } from "../../../study/results/report.ts";
import {
  type FigureSpec,
  readReportFlags,
  refuseScoring,
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
import { analyzeLine, createScoreProgress } from "../score-progress.ts";
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
  const done = await answer(paths, { ...options, allSpikes }, terminal);
  return done === undefined ? EXIT.interrupted : tell(done, paths, given, terminal);
}

interface Answer {
  readonly report: KlReport;
  readonly figures: FigureSpec;
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
  { report, figures }: Answer,
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
  options: WithList,
  terminal: Terminal,
): Promise<Answer | undefined> {
  const scoring = createScoreProgress(terminal);
  let analysis = createProgressFor(terminal, analyzeLine);
  let scored: Parameters<NonNullable<KlRunOptions["onScored"]>>[0] | undefined;
  let figures!: FigureSpec;
  return untilInterrupted(async (signal) => {
    const asked: KlRunOptions = {
      ...options,
      ...scoring,
      signal,
      onScored(run) {
        scored = run;
        scoring.end();
        analysis = createProgressFor(terminal, analyzeLine);
      },
      onProgress: (state) => analysis.update(state),
      async onFigures(chosen) {
        figures = chosen;
        await checkFigures(options, chosen);
      },
    };
    const ended = klRun(paths, asked).finally(() => {
      scoring.end();
      analysis.end();
    });
    try {
      return { report: await ended, figures };
    } catch (error) {
      if (scored?.interrupted)
        terminal.err("interrupted: scores so far are kept; run the same command again to continue\n");
      if (signal.aborted) return undefined;
      // They say why there is nothing to report.
      tellFindings(scored?.findings ?? [], terminal);
      throw error;
    }
  });
}

async function checkFigures(options: KlCommandOptions, { formats }: FigureSpec): Promise<void> {
  if (options.figures !== undefined) await checkFigureFormats(formats);
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
