/**
 * Forces texts through policies: Hugging Face models under PyTorch, local ONNX models, vLLM, SGLang and
 * OpenAI-compatible servers, saved logits. Stores each one's scores of every token in a study directory, and analyzes
 * them. For Node.
 *
 * @module
 */

export { orderFindings, reportDiffering, reportSummarized } from "./analysis-findings.ts";
export {
  type AnalyzedText,
  type AnalyzeProgress,
  type AnalyzeStudyOptions,
  analyzeStudy,
  describeAnalysis,
  type SummedStudy,
  sumStudy,
} from "./analyze-study.ts";
export { type CheckpointSpec, readCheckpointFlags } from "./config/checkpoint-flags.ts";
export { pickJudgingFlags, readJudgingFlags, writeSettings } from "./config/judging-flags.ts";
export { mergeConfigs } from "./config/merge-configs.ts";
export { readAnalysisConfig } from "./config/read-analysis.ts";
export { readStudyConfig, type StudyConfig } from "./config/read-config.ts";
export { type ConfiguredStudy, readStudy } from "./config/read-study.ts";
export { readReportFlags, readStages } from "./config/report-flags.ts";
export { checkStudyOutput, refuseScoring, studyFromFlags, studyInputs } from "./config/scoring-flags.ts";
export type { ForcedText } from "./policy.ts";
export { readStoredConfig } from "./read-stored-config.ts";
export { type RunStudyOptions, type RunStudyResult, runStudy } from "./run-study.ts";
export { scoreSample } from "./score-sample.ts";
export type { ScoreProgress } from "./score-study.ts";
export { type Manifest, paths as studyPaths, readManifest } from "./store/manifest.ts";
export { readTexts } from "./store/texts-file.ts";
export type { FigureFormat, FigureSpec, StudySpec } from "./study-spec.ts";
export type { PreparedText } from "./texts/prepare-text.ts";
