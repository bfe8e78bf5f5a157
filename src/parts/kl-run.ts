/**
 * From texts, or scored studies, to their report: what `logratio kl` prints, as an object.
 *
 * @module
 */
import { join } from "node:path";
import type { Finding } from "../core/schema/index.ts";
import { isPresent } from "../input/io/index.ts";
import type { JudgingFlags, ReportFlags, ScoringFlags } from "../study/flags.ts";
import type { KlReport } from "../study/results/report.ts";
import {
  type AnalyzeProgress,
  analyzeStudy,
  checkStudyOutput,
  type FigureSpec,
  mergeConfigs,
  pickJudgingFlags,
  type RunStudyOptions,
  type RunStudyResult,
  readAnalysisConfig,
  readJudgingFlags,
  readReportFlags,
  readStages,
  readStoredConfig,
  refuseScoring,
  runStudy,
  type ScoreProgress,
  type StudyConfig,
  studyFromFlags,
} from "../study/scoring/index.ts";
import { reportStudies } from "./kl-part.ts";
import { areStudies, sumStudies } from "./study-shards.ts";

/**
 * The flags of `logratio kl` that decide what is scored and reported, under the same names (`logratio kl --help`
 * describes each), and who is told. Numbers may be given as text.
 */
export interface KlRunOptions
  extends ScoringFlags,
    JudgingFlags,
    ReportFlags,
    Pick<RunStudyOptions, "onGradients" | "onContinued"> {
  /** Whether the report lists every spike of every text and checkpoint, not only the largest; default false. */
  readonly allSpikes?: boolean;
  /** Whether `out` may be something that logratio did not write. */
  readonly force?: boolean;
  /** Ends the work; the promise is rejected with the signal's reason. Scores so far are kept in the study. */
  readonly signal?: AbortSignal;
  /** Called repeatedly while texts are scored. */
  readonly onScore?: (progress: ScoreProgress) => void;
  /** Called when scoring has ended, also if it was interrupted; the report has its findings, too. */
  readonly onScored?: (scored: Pick<RunStudyResult, "findings" | "interrupted">) => void;
  /** Called repeatedly while scores are analyzed. */
  readonly onProgress?: (progress: AnalyzeProgress) => void;
  /** Called when it is known how figures are to be drawn: an error ends the work, where possible before it begins. */
  readonly onFigures?: (figures: FigureSpec) => Promise<void>;
}

/**
 * Reports what training changed, token by token: the same object that `logratio kl PATHS --json` prints. Texts that are
 * not scored yet are scored first, into the study directory `out`. The figures of one study are also written into its
 * directory.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { klRun } from "logratio/node";
 *
 * const directory = await mkdtemp(join(tmpdir(), "kl-"));
 * const out = join(directory, "example.study");
 * const scored = await klRun("examples/kl/logits.npz", { reference: "dpo", out });
 * const { mean_kl } = scored.checkpoints.rlvr_step_1000!;
 * assert(mean_kl !== null && mean_kl > 0.01 && mean_kl < 0.02); // nats, mean over the tokens
 * // The study's directory is enough to ask again.
 * const { settings } = await klRun(out, { spikes: "adaptive", alpha: 0.01 });
 * assert.deepEqual([settings.spikes.method, settings.alpha], ["adaptive", 0.01]);
 * await rm(directory, { recursive: true });
 * ```
 *
 * @param paths texts, problems, saved logits or a study's YAML to score; or one scored study; or several, and
 * directories of them, which are reported as one
 * @returns figures of each checkpoint against the reference (KL in nats, shares and probabilities as fractions from 0 to
 * 1), the spikes, tests, the answers, and findings about whatever was left out
 * @throws UsageError if options contradict each other, the paths or a config, say how to score what is scored already, or
 * `out` would replace an input or something foreign
 * @throws NotFoundError if a path does not exist, or the reference has no scores
 * @throws EmptyInputError if there is no text to score, or no checkpoint has scores
 * @throws SchemaError if several studies are not about the same policies
 * @throws LogratioError if the reference cannot be opened; a policy that cannot be, and texts that one refuses, become
 * findings of the result
 */
export async function klRun(
  paths: string | readonly string[],
  options: KlRunOptions = {},
): Promise<KlReport> {
  const given = [paths].flat();
  const judging = readJudgingFlags(options);
  const reporting = readReportFlags(options);
  const scored = await findScored(given);
  if (scored === undefined) return scoreAndReport(given, options, { ...judging, ...reporting });
  const { allSpikes, checkpoint, signal, onProgress, onFigures } = options;
  const reading = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  if (scored === "studies") {
    refuseScoring(options, "the studies are already scored");
    const part = await sumStudies(given, { ...pickJudgingFlags(options), ...reading });
    const { report, figures } = reportStudies(part, reporting, { allSpikes });
    await onFigures?.(figures);
    return report;
  }
  // Of one study, it says what is reported.
  const { checkpoint: _, ...others } = options;
  const dir = given[0]!;
  refuseScoring(others, `${dir} is an already scored study`);
  const config = mergeConfigs(await readStoredConfig(dir), { ...judging, ...reporting });
  const { figures, ...how } = readAnalysisConfig(config, undefined);
  await onFigures?.(figures);
  const only = checkpoint === undefined ? undefined : [checkpoint].flat();
  return analyzeStudy(dir, { ...how, only, allSpikes, ...reading });
}

/** What the paths hold that is scored already: one study, or several as one. */
async function findScored(paths: readonly string[]): Promise<"study" | "studies" | undefined> {
  if (paths.length === 1 && isPresent(join(paths[0]!, "study.json"))) return "study";
  return (await areStudies(paths)) ? "studies" : undefined;
}

async function scoreAndReport(
  paths: readonly string[],
  options: KlRunOptions,
  more: StudyConfig,
): Promise<KlReport> {
  const { allSpikes, stage, signal, onScore, onScored, onGradients, onContinued, onProgress } = options;
  const { spec, backend } = await studyFromFlags("kl", paths, options, { ...more, ...readStages(stage) });
  await options.onFigures?.(spec.figures);
  await checkStudyOutput(spec, paths, options);
  const scored = await runStudy(spec, {
    ...backend,
    ...(signal && { signal }),
    ...(onScore && { onProgress: onScore }),
    ...(onGradients && { onGradients }),
    ...(onContinued && { onContinued }),
  });
  onScored?.(scored);
  signal?.throwIfAborted();
  const { analysis, outcomes, only } = spec;
  const report = await analyzeStudy(spec.out, {
    ...{ analysis, outcomes, only, failed: only, allSpikes },
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  return { ...report, findings: joinFindings(scored.findings, report.findings) };
}

/** Drops findings from reading the scores that scoring already reported. */
function joinFindings(scoring: readonly Finding[], reading: readonly Finding[]): Finding[] {
  const said = new Set(scoring.map(({ code, message }) => `${code} ${message}`));
  return [...scoring, ...reading.filter(({ code, message }) => !said.has(`${code} ${message}`))];
}
