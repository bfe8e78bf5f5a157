/**
 * From scored studies to their report: what `logratio kl` prints of them, as an object.
 *
 * @module
 */
import { join } from "node:path";
import { isPresent } from "../input/io/index.ts";
import type { JudgingFlags } from "../study/flags.ts";
import type { KlReport } from "../study/results/report.ts";
import {
  type AnalyzeProgress,
  type AnalyzeStudyOptions,
  analyzeStudy,
  type FigureSpec,
  mergeConfigs,
  pickJudgingFlags,
  readAnalysisConfig,
  readJudgingFlags,
  readStoredConfig,
  type StudyConfig,
} from "../study/scoring/index.ts";
import { reportStudies } from "./kl-part.ts";
import { areStudies, sumStudies } from "./study-shards.ts";

export interface KlRunOptions extends JudgingFlags, Pick<AnalyzeStudyOptions, "allSpikes" | "signal"> {
  /** Settings of the report alone, which win over the studies': `alpha`, `bootstrap`, `seed`, `cases`, `figures`. */
  readonly settings?: StudyConfig;
  /** Of one study: the checkpoints to report, besides the reference; default all that have scores. */
  readonly checkpoint?: readonly string[];
  readonly onProgress?: (progress: AnalyzeProgress) => void;
  /** Called when it is known how figures are to be drawn: an error ends the work, where possible before it begins. */
  readonly onFigures?: (figures: FigureSpec) => Promise<void>;
}

export interface KlRun {
  readonly report: KlReport;
  readonly figures: FigureSpec;
}

/** What the paths hold that is scored already: one study, or several as one. */
export async function findScored(paths: readonly string[]): Promise<"study" | "studies" | undefined> {
  if (isOneStudy(paths)) return "study";
  return (await areStudies(paths)) ? "studies" : undefined;
}

/**
 * Reports what training changed, from studies that are already scored. The results of one are also written into its
 * directory.
 *
 * @param paths one study, or several and directories of them
 * @throws UsageError when a setting makes no sense
 * @throws NotFoundError when a path does not exist or holds no study
 * @throws EmptyInputError when no checkpoint has scores
 * @throws SchemaError when several studies are not about the same policies
 */
export async function klRun(paths: readonly string[], options: KlRunOptions = {}): Promise<KlRun> {
  const { settings = {}, checkpoint, allSpikes, signal, onProgress, onFigures } = options;
  const reading = { ...(signal && { signal }), ...(onProgress && { onProgress }) };
  if (!isOneStudy(paths)) {
    const part = await sumStudies(paths, { ...pickJudgingFlags(options), ...reading });
    const done = reportStudies(part, settings, { allSpikes });
    await onFigures?.(done.figures);
    return done;
  }
  const [dir] = paths;
  const more = { ...readJudgingFlags(options), ...settings };
  const config = mergeConfigs(await readStoredConfig(dir), more);
  const { figures, ...how } = readAnalysisConfig(config, undefined);
  await onFigures?.(figures);
  return { report: await analyzeStudy(dir, { ...how, only: checkpoint, allSpikes, ...reading }), figures };
}

function isOneStudy(paths: readonly string[]): paths is readonly [string] {
  return paths.length === 1 && isPresent(join(paths[0]!, "study.json"));
}
