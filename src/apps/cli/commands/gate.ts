import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import {
  type GateInput,
  gateRun,
  learnFromRuns,
  type UpdatedBaseline,
} from "../../../analyses/runs/gate-run.ts";
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Progress } from "../../../ingest/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { onInterrupt, writeWholeFile } from "../../../input/io/index.ts";
import {
  renderGateHtml,
  renderGateJunit,
  renderGateMarkdown,
  renderGateTerminal,
  renderGitHubAnnotations,
} from "../../../render/gate/index.ts";
import type { GateReport } from "../../../results/gate.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { commandLine } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface GateOptions extends InputOptions, ForceOption {
  readonly filter?: string;
  readonly tokenizer?: string;
  /** Found next to the dumps, if --tokenizer was not given. */
  readonly foundTokenizer?: string;
  readonly against?: string;
  readonly limit?: readonly string[];
  readonly update?: boolean;
  readonly replace?: boolean;
  readonly metrics?: string;
  readonly date?: string;
  readonly alpha?: string;
  readonly allowUndecidable?: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly html?: string;
  readonly junit?: string;
  readonly annotations?: string;
}

const FORM_FLAGS = ["json", "markdown", "html", "junit", "annotations", "force", "memory", "foundTokenizer"];

/** Judges a run and prints which checks hold, or learns a baseline. The exit status is 1 if one does not hold. */
export async function gate(
  paths: readonly string[],
  options: GateOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  checkFlags(options);
  const { html, junit, against, update, force } = options;
  const read = [against, options.tokenizer].filter((path) => path !== undefined);
  const outputs = await openOutputs({ inputs: update ? paths : [...paths, ...read], force });
  if (html !== undefined) await outputs.file("--html", html, "gate page");
  if (junit !== undefined) await outputs.file("--junit", junit, "gate test report");
  if (update && against !== undefined) await outputs.file("--against", against, "gate baseline");
  const stop = new AbortController();
  const end = onInterrupt(() => stop.abort());
  const progress = createProgress(terminal);
  try {
    const input = readInput(options, stop.signal, progress.update);
    if (options.update) {
      const learned = await learn(paths, options, input);
      progress.end();
      return await tellLearned(learned, options.against!, terminal);
    }
    const report = await gateRun(paths, {
      ...input,
      limits: options.limit ?? [],
      ...(options.against !== undefined && { against: options.against }),
      ...(options.alpha !== undefined && { alpha: readAlpha(options.alpha) }),
      ...(options.allowUndecidable && { allowUndecidable: true }),
    });
    progress.end();
    return await print(report, paths, options, terminal);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    terminal.err("interrupted: a gate needs the whole run, so there is no result\n");
    return EXIT.interrupted;
  } finally {
    progress.end();
    end();
  }
}

const UPDATE_ONLY = ["replace", "metrics", "date"] as const;
const RESULT_ONLY = ["json", "markdown", "html", "junit", "annotations", "allowUndecidable"] as const;

/** @throws UsageError if flags contradict each other */
function checkFlags(options: GateOptions): void {
  const flag = (name: string): string =>
    `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (options.json && options.markdown)
    throw new UsageError("--json and --markdown cannot be combined", { hint: "choose one" });
  if (options.update && options.against === undefined)
    throw new UsageError("--update needs --against", {
      hint: "add --against baseline.yaml, the file to write",
    });
  const unfit = (options.update ? RESULT_ONLY : UPDATE_ONLY).find((name) => options[name] !== undefined);
  if (unfit !== undefined && options.update)
    throw new UsageError(
      `${flag(unfit)} and --update cannot be combined: --update learns and checks nothing`,
    );
  if (unfit !== undefined) throw new UsageError(`${flag(unfit)} needs --update`);
  const { annotations } = options;
  if (annotations !== undefined && annotations !== "github" && annotations !== "none")
    throw new UsageError(`--annotations must be github or none, not "${annotations}"`);
  if (!options.update && options.against === undefined && options.limit === undefined)
    throw new UsageError("there is nothing to check: no --against and no --limit", {
      hint: "add --limit 'delta_abs_mean <= 0.015', or --against FILE with a baseline",
    });
}

function readInput(
  { batchTokens, filter, tokenizer, ...options }: GateOptions,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): GateInput {
  const { json: _j, markdown: _m, html: _h, junit: _u, force: _f, annotations: _a, ...rest } = options;
  const { against: _g, limit: _l, update: _d, replace: _r, metrics: _s, alpha: _p, date: _t, ...more } = rest;
  const { allowUndecidable: _n, ...input } = more;
  return {
    ...input,
    ...(filter !== undefined && { filter }),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
    signal,
    onProgress,
  };
}

function readAlpha(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value > 0 && value < 1) return value;
  throw new UsageError(`--alpha must lie between 0 and 1, not "${text}"`);
}

function learn(paths: readonly string[], options: GateOptions, input: GateInput): Promise<UpdatedBaseline> {
  const { against, alpha, date, metrics, limit, replace } = options;
  return learnFromRuns(paths, {
    ...input,
    against: against!,
    ...(limit !== undefined && { limits: limit }),
    ...(metrics !== undefined && { metrics: splitNames(metrics) }),
    ...(alpha !== undefined && { alpha: readAlpha(alpha) }),
    ...(date !== undefined && { date: date === "now" ? new Date().toISOString().slice(0, 10) : date }),
    ...(replace && { replace }),
  });
}

function splitNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return names;
  throw new UsageError(`--metrics must be names with commas between them, not "${text}"`);
}

async function tellLearned(
  { text, baseline, before, results, repeated }: UpdatedBaseline,
  file: string,
  terminal: Terminal,
): Promise<ExitStatus> {
  const findings = results.flatMap((one) => one.findings);
  tellFindings(findings, terminal);
  await writeWholeFile(file, text);
  const had = before === undefined ? "" : ` (before: ${before.runs.length})`;
  const [again] = repeated;
  if (again !== undefined)
    terminal.err(
      `warning: ${plural(repeated.length, "path holds", "paths hold")} the files of a run given before and ${repeated.length === 1 ? "is" : "are"} counted once: ${repeated.length === 1 ? "" : "the first, "}${again}\n`,
    );
  const few =
    baseline.runs.length < 3 ? "; corridors need 3 runs, until then each is reported as too few" : "";
  terminal.err(
    `learned ${plural(baseline.checks.length, "corridor")} from ${plural(baseline.runs.length, "run")}${had}${few}\n`,
  );
  terminal.err(writtenFiles(file));
  return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
}

async function print(
  report: GateReport,
  paths: readonly string[],
  options: GateOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { html, junit, json, markdown } = options;
  if (html !== undefined) await writeWholeFile(html, renderGateHtml(report));
  if (junit !== undefined) await writeWholeFile(junit, renderGateJunit(report));
  const written = [html, junit].filter((path) => path !== undefined);
  if (written.length > 0) terminal.err(writtenFiles(...written));
  const { width, color, unicode } = terminal;
  if (json) terminal.out(toJson(report));
  else if (markdown)
    terminal.out(renderGateMarkdown(report, { command: commandLine("gate", paths, options, FORM_FLAGS) }));
  else terminal.out(renderGateTerminal(report, { width, color, unicode }));
  if (json || markdown) tellFindings(report.findings, terminal);
  const annotations = options.annotations ?? (process.env.GITHUB_ACTIONS === "true" ? "github" : "none");
  if (annotations === "github") terminal.err(renderGitHubAnnotations(report));
  if (!report.passed) return EXIT.checkFailed;
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}
